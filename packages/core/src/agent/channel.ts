/**
 * Hands arrays from one writer to one reader. The writer never waits in `push`; `ready()` is its chance to wait for a slow reader.
 */
export class Channel<T> {
  #items: T[] = [];
  #wakeReader: (() => void) | undefined;
  #wakeWriter: (() => void) | undefined;
  #closed = false;
  #error: { readonly error: unknown } | undefined;
  readonly #highWater: number;

  constructor(highWater = 1024) {
    this.#highWater = highWater;
  }

  push(items: readonly T[]): void {
    if (this.#closed) return;
    if (this.#items.length === 0) this.#items = items.slice();
    else for (const item of items) this.#items.push(item);
    this.#wakeReader?.();
  }

  /** `undefined` while there is room: no promise on the fast path. */
  ready(): Promise<void> | undefined {
    if (this.#closed || this.#items.length < this.#highWater) return undefined;
    return new Promise((resolve) => (this.#wakeWriter = resolve));
  }

  /** Ends the reader after what is buffered; with an error it throws that then. */
  close(failure?: { readonly error: unknown }): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#error = failure;
    this.#wakeReader?.();
    this.#wakeWriter?.();
  }

  /** All that is buffered now, waiting for the first; `undefined` at the end. */
  async take(): Promise<readonly T[] | undefined> {
    while (this.#items.length === 0) {
      if (this.#error) throw this.#error.error;
      if (this.#closed) return undefined;
      await new Promise<void>((resolve) => (this.#wakeReader = resolve));
      this.#wakeReader = undefined;
    }
    const items = this.#items;
    this.#items = [];
    this.#wakeWriter?.();
    this.#wakeWriter = undefined;
    return items;
  }
}
