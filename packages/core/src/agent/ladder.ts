import { AgentScopeError } from '../error/index.ts';
import type { ChatModel } from '../model/index.ts';

/**
 * A way to get an answer that fits a schema: the provider keeps the model to it; one tool is forced whose arguments are the answer; the
 * tool is offered; the model is only asked for JSON.
 */
export type Rung = 'native' | 'forced' | 'auto' | 'prompt';
export type StructuredMode = 'auto' | 'native' | 'tool';

/** Rungs that a model refused whoever asked: found out once. */
const refusedBy = new WeakMap<ChatModel, Set<Rung>>();

/** What servers say where they do not know a way, or not with this schema. Any other bad request is the caller's to see. */
const REFUSALS: Readonly<Record<Rung, RegExp | undefined>> = {
  native: /response_?format|json_?schema|structured.?output|output_(?:config|format)|response_?(?:mime|schema)/i,
  forced: /tool_?choice|only ["'`]?auto["'`]? is supported|force/i,
  auto: /generate_response|(?:tools?|function)\b.*(?:not|un)\s?support/i,
  prompt: undefined,
};
/** Refused for this one schema, which says nothing about others. */
const ABOUT_THE_SCHEMA = /invalid\W+(?:json\W+)?schema|generate_response/i;

/** Which way is taken, and what a refusal of it means: the next one down (PROVIDERS §1.9). */
export class Ladder {
  readonly #mode: StructuredMode;
  readonly #model: ChatModel;
  /** Refused in this run, for whatever reason. */
  readonly #refused = new Set<Rung>();

  constructor(mode: StructuredMode, model: ChatModel) {
    this.#mode = mode;
    this.#model = model;
  }

  /** The way of the next model call, after so many reminders. Other tools come before the answer, so nothing is forced then. */
  rung({ reminders, hasTools }: { readonly reminders: number; readonly hasTools: boolean }): Rung {
    if (this.#mode === 'native') return 'native';
    const ways: readonly Rung[] = this.#isNative(hasTools) ? NATIVE_FIRST : hasTools ? TOOLS_FIRST : FORCED_FIRST;
    const way = ways[Math.min(reminders, ways.length - 1)] ?? 'prompt';
    return DOWN.slice(DOWN.indexOf(way)).find((rung) => !this.#isRefused(rung)) ?? 'prompt';
  }

  /** False where the tool itself was refused. */
  get hasTool(): boolean {
    return !this.#isRefused('auto');
  }

  /** True when a failure means that the next call goes another way; that is remembered. */
  stepsDown(rung: Rung, error: unknown): boolean {
    if (this.#mode === 'native' || !AgentScopeError.is(error, 'model/bad-request')) return false;
    if (REFUSALS[rung]?.test(error.message) !== true) return false;
    this.#refused.add(rung);
    if (!ABOUT_THE_SCHEMA.test(error.message)) refusedBy.set(this.#model, (refusedBy.get(this.#model) ?? new Set()).add(rung));
    return true;
  }

  #isNative(hasTools: boolean): boolean {
    const { nativeStructuredOutput: native } = this.#model;
    return this.#mode === 'auto' && (native === true || (native === 'without-tools' && !hasTools)) && !this.#isRefused('native');
  }

  #isRefused(rung: Rung): boolean {
    return this.#refused.has(rung) || refusedBy.get(this.#model)?.has(rung) === true;
  }
}

const DOWN: readonly Rung[] = ['native', 'forced', 'auto', 'prompt'];
const NATIVE_FIRST: readonly Rung[] = ['native', 'forced', 'auto', 'prompt'];
const TOOLS_FIRST: readonly Rung[] = ['auto', 'forced', 'auto', 'prompt'];
const FORCED_FIRST: readonly Rung[] = ['forced', 'auto', 'prompt'];
