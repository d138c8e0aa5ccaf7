import type { AgentEvent } from '../event/index.ts';
import type { Channel } from './channel.ts';

type Result = IteratorResult<AgentEvent, undefined>;
const END: Result = { done: true, value: undefined };

/**
 * Flattens arrays of events for `for await`. Written out instead of as an async generator: an event that is already there costs one
 * promise.
 */
export class LiveReader implements AsyncIterableIterator<AgentEvent, undefined> {
  readonly #channel: Channel<AgentEvent>;
  /** Called once when the reader leaves before the end. */
  readonly #onLeave: () => Promise<void>;
  #batch: readonly AgentEvent[] = [];
  #at = 0;
  #finished = false;
  #refilling: Promise<Result> | undefined;

  constructor(channel: Channel<AgentEvent>, onLeave: () => Promise<void>) {
    this.#channel = channel;
    this.#onLeave = onLeave;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    if (this.#refilling) return this.#refilling.then(() => this.next());
    const value = this.#batch[this.#at];
    if (value !== undefined) {
      this.#at++;
      return Promise.resolve({ done: false, value });
    }
    if (this.#finished) return Promise.resolve(END);
    this.#refilling = this.#refill().finally(() => (this.#refilling = undefined));
    return this.#refilling;
  }

  async return(): Promise<Result> {
    if (!this.#finished) {
      this.#finished = true;
      this.#batch = [];
      await this.#onLeave();
    }
    return END;
  }

  async #refill(): Promise<Result> {
    try {
      this.#batch = (await this.#channel.take()) ?? [];
    } catch (error) {
      this.#finished = true;
      throw error;
    }
    this.#at = 1;
    const [value] = this.#batch;
    if (value !== undefined && !this.#finished) return { done: false, value };
    this.#finished = true;
    return END;
  }
}
