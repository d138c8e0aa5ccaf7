import { sleep as timer } from '../internal/index.ts';

/** Milliseconds; rejects with the signal's reason as soon as it is aborted. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** A wait that an aborted signal rejects, and `cancel` ends. Leaves no listener on the signal. */
export function cancellableWait(signal: AbortSignal | undefined, sleep: Sleep = timer): { wait(ms: number): Promise<void>; cancel(): void } {
  const controller = new AbortController();
  return {
    async wait(ms) {
      const onAbort = (): void => controller.abort(signal?.reason);
      if (signal?.aborted === true) onAbort();
      signal?.addEventListener('abort', onAbort, { once: true });
      try {
        await sleep(ms, controller.signal);
        controller.signal.throwIfAborted();
      } finally {
        signal?.removeEventListener('abort', onAbort);
      }
    },
    cancel: () => controller.abort(),
  };
}
