import type { ChatResponseChunk, ChunkIterator } from '../../model/index.ts';

/** What one try of a model call holds on to: one abort controller, one listener on the caller's signal, one timer. */
export interface CallScope {
  /** Aborted with the caller's reason, with the time-out, or when the reader left. */
  readonly signal: AbortSignal;
  /** A sign of life: the time-out starts anew. */
  touch(): void;
}

export interface ScopeOptions {
  readonly signal: AbortSignal | undefined;
  /** Milliseconds without a sign of life. */
  readonly timeoutMs: number;
  onTimeout(): Error;
}

/**
 * Runs `body` as a stream of chunks. Whatever ends it (its end, a throw, an abort, the time-out, the reader leaving even while it
 * waits) aborts what still runs under the scope and leaves no listener and no timer.
 */
export function scopedStream(options: ScopeOptions, body: (scope: CallScope) => AsyncGenerator<ChatResponseChunk, void, undefined>): ChunkIterator {
  const controller = new AbortController();
  const generator = runScoped({ options, controller }, body);
  const iterator: ChunkIterator = {
    next: () => generator.next(),
    return() {
      controller.abort(LEFT);
      return generator.return(undefined);
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}

/** Why a stream was aborted whose reader went away: nobody is left to be told. */
const LEFT = Symbol('left');

interface Run {
  readonly options: ScopeOptions;
  readonly controller: AbortController;
}

async function* runScoped(
  { options, controller }: Run,
  body: (scope: CallScope) => AsyncGenerator<ChatResponseChunk, void, undefined>,
): AsyncGenerator<ChatResponseChunk, undefined, undefined> {
  const { signal: outer } = options;
  outer?.throwIfAborted();
  const onAbort = (): void => controller.abort(outer?.reason);
  outer?.addEventListener('abort', onAbort, { once: true });
  const idle = idleTimer(options, controller);
  try {
    yield* body({ signal: controller.signal, touch: idle.touch });
    return undefined;
  } catch (error) {
    if (!controller.signal.aborted) throw error;
    if (controller.signal.reason !== LEFT) throw controller.signal.reason;
    return undefined;
  } finally {
    outer?.removeEventListener('abort', onAbort);
    idle.stop();
    controller.abort(LEFT);
  }
}

/** One timer that looks back when it fires, so a sign of life costs a clock reading and no timer. */
function idleTimer({ timeoutMs, onTimeout }: ScopeOptions, controller: AbortController): { touch(): void; stop(): void } {
  if (!(timeoutMs < 2 ** 31)) return { touch() {}, stop() {} };
  let last = performance.now();
  const check = (): void => {
    const left = last + timeoutMs - performance.now();
    if (left <= 0) controller.abort(onTimeout());
    else timer = setTimeout(check, left);
  };
  let timer = setTimeout(check, timeoutMs);
  return {
    touch() {
      last = performance.now();
    },
    stop: () => clearTimeout(timer),
  };
}
