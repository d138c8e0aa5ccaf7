import type { ChatResponseChunk, ChunkIterator } from '../../model/index.ts';

/** What one try of a model call holds on to: one abort controller, one listener on the caller's signal, one timer. */
export interface CallScope {
  /** Aborted with the caller's reason, with the time-out, or when its reader left. */
  readonly signal: AbortSignal;
  /** A sign of life: the time-out starts anew. */
  touch(): void;
}

export interface ScopeOptions {
  readonly signal: AbortSignal | undefined;
  /** Milliseconds without a sign of life, counted only while somebody waits for the next chunk: a slow reader is no silent provider. */
  readonly timeoutMs: number;
  onTimeout(): Error;
  /** Milliseconds from the first wish for a chunk to the end, whatever comes. Default: no limit. */
  readonly totalTimeoutMs?: number;
  onTotalTimeout?(): Error;
}

/** Where chunks come from once a call is open. */
export interface ChunkSource<T = ChatResponseChunk> {
  /** The next chunk; nothing at the end. */
  next(): Promise<T | undefined>;
  /** The answer is complete: lets the connection end by itself, so that it can serve the next call, or cuts it after a moment. */
  finish(): void;
  /** Cuts the connection. */
  close(): void;
}

/**
 * A stream of chunks from a call that `open` makes when the first one is asked for. Whatever ends it (its end, a throw, an abort, the
 * time-out, the reader leaving even while it waits) ends the request and leaves no listener and no timer.
 */
export function scopedStream(options: ScopeOptions, open: (scope: CallScope) => Promise<ChunkSource>): ChunkIterator {
  return new ScopedIterator(options, open);
}

/** The same for a call that gives everything at once. */
export async function scopedCall<T>(options: ScopeOptions, run: (scope: CallScope) => Promise<T>): Promise<T> {
  const calls = new ScopedIterator<{ readonly result: T }>(options, async (scope) => ({ next: async () => ({ result: await run(scope) }), finish: () => undefined, close: () => undefined }));
  const { value } = await calls.next();
  await calls.return();
  if (value === undefined) throw new Error('a call that was not left gave nothing');
  return value.result;
}

/** No generator: what crosses an `await` per network read is two promises, not one for each layer. */
class ScopedIterator<T = ChatResponseChunk> implements AsyncIterableIterator<T, undefined, undefined>, CallScope {
  readonly #options: ScopeOptions;
  readonly #open: (scope: CallScope) => Promise<ChunkSource<T>>;
  readonly #controller = new AbortController();
  #source: ChunkSource<T> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #totalTimer: ReturnType<typeof setTimeout> | undefined;
  #lastSign = 0;
  #waiting = false;
  #over = false;

  constructor(options: ScopeOptions, open: (scope: CallScope) => Promise<ChunkSource<T>>) {
    this.#options = options;
    this.#open = open;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  touch(): void {
    this.#lastSign = performance.now();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    if (this.#over) return DONE;
    this.#wait();
    try {
      const source = this.#source ?? (await this.#start());
      const value = await source.next();
      this.#waiting = false;
      if (value !== undefined) return { done: false, value };
    } catch (error) {
      if (this.#over) return DONE; // the reader left; nobody is to be told
      const { aborted, reason } = this.signal as { aborted: boolean; reason: unknown };
      this.#end();
      throw aborted ? reason : error;
    }
    this.#end('complete');
    return DONE;
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    this.#end();
    return DONE;
  }

  async #start(): Promise<ChunkSource<T>> {
    const { signal, totalTimeoutMs = Infinity, onTotalTimeout, onTimeout } = this.#options;
    signal?.throwIfAborted();
    if (totalTimeoutMs < 2 ** 31) this.#totalTimer = setTimeout(() => this.#controller.abort((onTotalTimeout ?? onTimeout)()), totalTimeoutMs);
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    const source = await this.#open(this);
    if (this.#over) source.close();
    return (this.#source = source);
  }

  #wait(): void {
    const { timeoutMs } = this.#options;
    this.#waiting = true;
    this.touch();
    if (this.#timer === undefined && timeoutMs < 2 ** 31) this.#timer = setTimeout(this.#onTimer, timeoutMs);
  }

  readonly #onAbort = (): void => this.#controller.abort(this.#options.signal?.reason);

  /** One timer that looks back when it fires, so a sign of life costs a clock reading and no timer. */
  readonly #onTimer = (): void => {
    this.#timer = undefined;
    if (!this.#waiting) return;
    const { timeoutMs, onTimeout } = this.#options;
    const left = this.#lastSign + timeoutMs - performance.now();
    if (left <= 0) this.#controller.abort(onTimeout());
    else this.#timer = setTimeout(this.#onTimer, left);
  };

  #end(how: 'complete' | 'given up' = 'given up'): void {
    if (this.#over) return;
    this.#over = true;
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    clearTimeout(this.#timer);
    clearTimeout(this.#totalTimer);
    if (how === 'complete') return this.#source?.finish();
    this.#source?.close();
    this.#controller.abort(LEFT);
  }
}

/** Made once: an abort without a reason makes an exception with a stack each time. */
const LEFT = new DOMException('The stream was left.', 'AbortError');
const DONE = { done: true, value: undefined } as const;
