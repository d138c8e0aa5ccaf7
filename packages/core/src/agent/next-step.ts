import type { Facts } from '../event/index.ts';
import { deniedStep } from './denied-step.ts';
import { stuckOn } from './stuck.ts';
import { structuredStep } from './structured-step.ts';
import type { Verdict } from './structured-step.ts';
import type { JsonValue } from '../internal/index.ts';
import type { ContentBlock, GenerateReason, MsgData, ToolUseBlock } from '../message/index.ts';

export interface ReplyError {
  readonly type: string;
  readonly message: string;
}

export type Step =
  | { readonly kind: 'finish'; readonly reason: GenerateReason; readonly error?: ReplyError; /** The answer that a schema wanted. */ readonly data?: JsonValue }
  | { readonly kind: 'discard'; readonly call: number }
  | { readonly kind: 'pause'; readonly reason: GenerateReason }
  | { readonly kind: 'act'; readonly calls: readonly ToolUseBlock[] }
  | { readonly kind: 'repair'; readonly cause: 'empty' | 'only-thinking' | 'cut' }
  | { readonly kind: 'repair'; readonly cause: 'structured'; readonly problem: string }
  | { readonly kind: 'stop'; readonly reason: string }
  | { readonly kind: 'summarise' }
  | { readonly kind: 'reason' };

/** What the events say, how many steering messages the journal holds that the reply has not read, and how its answer fits a schema. */
export interface StepFacts extends Facts {
  /** Default 0. */
  readonly steers?: number;
  /** What became of the answer that a schema wants, as judged from the message; absent: none is wanted, or none was given. */
  readonly verdict?: Verdict | undefined;
}

export interface StepLimits {
  /** Model calls before the summary. */
  readonly maxIters: number;
  /** Reminders after an empty answer. */
  readonly maxRepairs: number;
}

/**
 * What a reply needs next, from what is folded of it and nothing else. A fresh call, a resume after an answer and a recovery after a
 * crash are this same question. The first row that matches wins; the numbers are the rows of the table in docs/architecture.md.
 */
export function nextStep(message: Pick<MsgData, 'content'>, facts: StepFacts, { maxIters, maxRepairs }: StepLimits): Step {
  const { lastCall } = facts;
  /* 1 */ if (facts.interrupted) return { kind: 'finish', reason: 'INTERRUPTED' };
  if (lastCall?.error) return { kind: 'finish', reason: 'MODEL_STOP', error: lastCall.error };
  /* 2 */ if (lastCall && !lastCall.ended) return { kind: 'discard', call: lastCall.call };
  /* 3 */ if (facts.stop) return { kind: 'pause', reason: facts.stop.generateReason };
  const open = openCalls(message.content);
  /* 4 */ if (open.some((call) => call.state === 'asking')) return { kind: 'pause', reason: 'PERMISSION_ASKING' };
  if (open.some((call) => call.state === 'submitted')) return { kind: 'pause', reason: 'TOOL_SUSPENDED' };
  /* 5 */ if (open.length > 0 || deniedStep(message.content, facts).length > 0) return { kind: 'act', calls: open };
  /* 6 */ const structured = structuredStep(facts, { maxIters });
  if (structured) return structured;
  const answer = lastCall && answerOf(message.content, lastCall);
  if (answer?.cause && triesLeft(answer.cause, facts, { maxIters, maxRepairs })) return { kind: 'repair', cause: answer.cause };
  if (answer && !answer.called && facts.steers && facts.iterations < maxIters) return { kind: 'reason' };
  /* 7 */ if (answer && !answer.called) return finish(facts, answer);
  /* 8 */ if (facts.iterations >= maxIters) return { kind: 'summarise' };
  const stuck = facts.verdict ? undefined : stuckOn(message.content, facts.stoppedAt ?? 0); // answers have a bound of their own
  /* 9 */ if (stuck !== undefined) return { kind: 'stop', reason: `The call of ${stuck} failed three times in a row with the same arguments and the same error.` };
  /* 10 */ return { kind: 'reason' };
}

/** The calls without a sealed result, in call order. A result belongs to the newest call with its id that stands before it (WIRE F12). */
export function openCalls(content: readonly ContentBlock[]): readonly ToolUseBlock[] {
  const sealed = new Map<string, number>();
  const open: ToolUseBlock[] = [];
  for (let i = content.length - 1; i >= 0; i--) {
    const block = content[i];
    if (isPair(content[i - 1], block)) {
      i--; // the two belong to each other whatever else there is; most of a long reply is such pairs
      continue;
    }
    if (block?.type === 'tool_result' && block.state !== 'running') sealed.set(block.id, (sealed.get(block.id) ?? 0) + 1);
    if (block?.type !== 'tool_use') continue;
    const results = sealed.get(block.id) ?? 0;
    if (results === 0) open.push(block);
    else sealed.set(block.id, results - 1);
  }
  return open.reverse();
}

/** A call and, right behind it, its sealed result. */
function isPair(call: ContentBlock | undefined, result: ContentBlock | undefined): boolean {
  return call?.type === 'tool_use' && result?.type === 'tool_result' && result.state !== 'running' && call.id === result.id;
}

/** An answer the provider paused goes on as a model call like any other; reminders are counted apart. */
function triesLeft(cause: 'empty' | 'only-thinking' | 'cut', facts: Facts, { maxIters, maxRepairs }: StepLimits): boolean {
  return cause === 'cut' ? facts.iterations < maxIters : facts.repairs < maxRepairs;
}

interface Answer {
  readonly called: boolean;
  readonly said: boolean;
  readonly refused: boolean;
  /** Why it needs another try; undefined: it needs none. */
  readonly cause: 'empty' | 'only-thinking' | 'cut' | undefined;
}

/** What the last model call brought. */
function answerOf(content: readonly ContentBlock[], lastCall: NonNullable<Facts['lastCall']>): Answer {
  let called = false;
  let said = false;
  let thought = false;
  for (let i = content.length - 1; i >= 0; i--) {
    const block = content[i];
    if (block === undefined || (block.call !== undefined && block.call < lastCall.call)) break;
    if (block.call !== lastCall.call) continue;
    if (block.type === 'tool_use') called = true;
    else if (block.type === 'thinking') thought = true;
    else if (block.type !== 'text' || block.text.trim() !== '') said = true;
  }
  const refused = lastCall.finishReason === 'content_filter' && !said;
  const mended = called || refused || lastCall.purpose === 'summary';
  const cause = mended ? undefined : lastCall.finishReason === 'pause' ? 'cut' : said ? undefined : thought ? 'only-thinking' : 'empty';
  return { called, said, refused, cause };
}

function finish(facts: Facts, answer: Answer): Step {
  const reason = facts.exceeded ? 'MAX_ITERATIONS' : 'MODEL_STOP';
  if (answer.said || facts.exceeded) return { kind: 'finish', reason };
  const error = answer.refused
    ? { type: 'model/refused', message: 'The model refused to answer (content filter).' }
    : { type: 'model/empty-answer', message: 'The model gave no answer, also not after being asked again.' };
  return { kind: 'finish', reason, error };
}
