import { AgentScopeError } from '../error/index.ts';
import type { ModelCallEndFacts, ModelCallPurpose } from '../event/index.ts';
import type { ChatUsage } from '../message/index.ts';
import type { ChatResponseChunk } from '../model/index.ts';
import type { ReplyError } from './next-step.ts';
import type { Reply } from './reply.ts';

/** Gathers what MODEL_CALL_END says. */
export class CallEnding {
  readonly #reply: Reply;
  readonly #startedAt: number;
  #usage: ChatUsage | undefined;
  #facts: ModelCallEndFacts = {};
  #interrupted = false;
  #hasContent = false;
  error: ReplyError | undefined;

  constructor(reply: Reply) {
    this.#reply = reply;
    this.#startedAt = reply.config.clock();
  }

  note({ content, usage, finishReason, metadata }: ChatResponseChunk): void {
    if (content.length > 0) this.#hasContent = true;
    if (usage) this.#usage = usage;
    if (finishReason) this.#facts = { ...this.#facts, finishReason };
    for (const name of ['providerFinishReason', 'requestId'] as const) {
      const value = metadata?.[name];
      if (typeof value === 'string') this.#facts = { ...this.#facts, [name]: value };
    }
  }

  thrown(error: unknown): void {
    if (this.#reply.signal.aborted) this.#interrupted = true;
    else if (!this.#hasContent && this.#reply.structured?.stepsDown(error)) this.#facts = { ...this.#facts, discarded: true };
    else {
      this.#reply.failed(error);
      this.error = toReplyError(error);
    }
  }

  /** Usage as far as it was told; a call that is said anew has told it already. */
  takeUsage(): { readonly usage?: ChatUsage } {
    const usage = this.#usage;
    this.#usage = undefined;
    if (!usage) return {};
    return { usage: { ...usage, time: usage.time ?? (this.#reply.config.clock() - this.#startedAt) / 1000 } };
  }

  fields(purpose: ModelCallPurpose): Record<string, unknown> {
    const error = purpose === 'summary' || !this.error ? {} : { error: this.error };
    return {
      ...this.takeUsage(),
      ...(this.#interrupted ? { finishedReason: 'interrupted' } : {}),
      metadata: { ...this.#facts, ...error },
    };
  }
}

/** What a model threw, as one of our errors: an own model may throw anything. */
export function toModelError(error: unknown, provider: string): AgentScopeError {
  if (AgentScopeError.is(error)) return error;
  const said = error instanceof Error ? error.message : String(error);
  return new AgentScopeError('model/failed', `The model failed: ${said}`, { details: { provider, retryable: false }, cause: error });
}

/** Type and message for the record: no cause, no stack, nothing that could hold a key or a prompt. */
export function toReplyError(error: unknown): ReplyError {
  if (AgentScopeError.is(error)) return { type: error.code, message: error.message };
  return error instanceof Error ? { type: error.name, message: error.message } : { type: 'Error', message: String(error) };
}
