import type { Facts } from '../event/index.ts';
import type { JsonValue } from '../internal/index.ts';
import type { GenerateReason } from '../message/index.ts';

/** What became of the answer that has to fit a schema. */
export type Verdict =
  | { readonly ok: true; readonly value: JsonValue }
  | {
      readonly ok: false;
      /** In words for the model. */
      readonly problem: string;
      /** It was given by the tool, so its result has told the model already. */
      readonly called: boolean;
      /** The model declined to answer. */
      readonly refused: boolean;
      /** Answers that did not fit so far, this one included. */
      readonly attempts: number;
      readonly triesLeft: boolean;
    };

export type StructuredStep =
  | { readonly kind: 'finish'; readonly reason: GenerateReason; readonly data: JsonValue }
  | { readonly kind: 'finish'; readonly reason: GenerateReason; readonly error: { readonly type: string; readonly message: string } }
  | { readonly kind: 'repair'; readonly cause: 'structured'; readonly problem: string };

export interface JudgedFacts extends Pick<Facts, 'exceeded' | 'iterations'> {
  readonly verdict?: Verdict | undefined;
  readonly steers?: number;
}

/** What an answer as data leads to; undefined: none is wanted or none was given yet, or what else is there decides. */
export function structuredStep({ verdict, steers, exceeded, iterations }: JudgedFacts, { maxIters }: { readonly maxIters: number }): StructuredStep | undefined {
  if (verdict === undefined || (steers && iterations < maxIters)) return undefined;
  if (verdict.ok) return { kind: 'finish', reason: exceeded ? 'MAX_ITERATIONS' : 'STRUCTURED_OUTPUT', data: verdict.value };
  if (exceeded) return undefined; // the summary says how far it got, and has no second try
  if (verdict.refused) return { kind: 'finish', reason: 'MODEL_STOP', error: { type: 'model/refused', message: 'The model refused to answer.' } };
  if (!verdict.triesLeft) return { kind: 'finish', reason: 'MODEL_STOP', error: { type: 'agent/structured-output-invalid', message: gaveUp(verdict) } };
  return verdict.called ? undefined : { kind: 'repair', cause: 'structured', problem: verdict.problem };
}

export function gaveUp({ attempts, problem }: Pick<Extract<Verdict, { ok: false }>, 'attempts' | 'problem'>): string {
  return `The model gave no answer that fits the schema, in ${attempts} tries. About the last one: ${problem}`;
}
