import type { ChatResponseChunk } from './model.ts';

export type ChunkIterator = AsyncIterableIterator<ChatResponseChunk, undefined, undefined>;

/** Where tries come from, and what happens between them. */
export interface TryPolicy {
  /** Opens try `number`, counted from 1. */
  open(number: number): AsyncIterable<ChatResponseChunk>;
  /** Called with what try `number` threw before its first content. Resolves when the next try may start; rejects with what to throw. */
  failed(error: unknown, number: number): Promise<void>;
  /** Ends a wait in `failed`. */
  cancel(): void;
}

/**
 * One stream over several tries. Once a try has brought content it is the only one, and its chunks pass through without another
 * promise between; a failure then is the caller's to see (C134).
 */
export function streamOfTries(policy: TryPolicy): ChunkIterator {
  return new TryIterator(policy);
}

class TryIterator implements ChunkIterator {
  readonly #policy: TryPolicy;
  #inner: AsyncIterator<ChatResponseChunk> | undefined;
  #number = 0;
  /** Content came, or the stream is over: nothing is tried again. */
  #settled = false;
  #left = false;

  constructor(policy: TryPolicy) {
    this.#policy = policy;
  }

  [Symbol.asyncIterator](): ChunkIterator {
    return this;
  }

  next(): Promise<IteratorResult<ChatResponseChunk, undefined>> {
    if (this.#left) return Promise.resolve({ done: true, value: undefined });
    if (this.#settled && this.#inner !== undefined) return this.#inner.next();
    return this.#first();
  }

  async return(): Promise<IteratorResult<ChatResponseChunk, undefined>> {
    this.#left = true;
    this.#policy.cancel();
    await this.#inner?.return?.();
    return { done: true, value: undefined };
  }

  async #first(): Promise<IteratorResult<ChatResponseChunk, undefined>> {
    for (;;) {
      try {
        this.#inner ??= this.#policy.open(++this.#number)[Symbol.asyncIterator]();
        const result = await this.#inner.next();
        if (result.done === true || result.value.content.length > 0 || result.value.finishReason !== undefined) {
          this.#settled = true;
          return result;
        }
      } catch (error) {
        this.#inner = undefined;
        if (this.#left) return { done: true, value: undefined };
        await this.#wait(error);
      }
      if (this.#left) return { done: true, value: undefined };
    }
  }

  async #wait(error: unknown): Promise<void> {
    try {
      await this.#policy.failed(error, this.#number);
    } catch (thrown) {
      if (!this.#left) this.#left = true;
      else return;
      throw thrown;
    }
  }
}
