/** Waits for work, but no longer than until the abort: then it rejects with the signal's reason, and how the work ends concerns nobody any more. */
export function untilAborted<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    const settle = (): void => signal.removeEventListener('abort', onAbort);
    work.then(
      (value) => (settle(), resolve(value)),
      (error: unknown) => (settle(), reject(error as Error)),
    );
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Waits for work, but no longer than this; then it rejects with what `late` makes. */
export function within<T>(work: PromiseLike<T>, { ms, late }: { readonly ms: number; late(): Error }): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms);
    work.then(
      (value) => (clearTimeout(timer), resolve(value)),
      (error: unknown) => (clearTimeout(timer), reject(error as Error)),
    );
  });
}

/** Waits for work that cannot fail, but no longer than this; it goes on. */
export function atMost(work: PromiseLike<unknown>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    // timers count with 31 bits
    const timer = ms < 2 ** 31 ? setTimeout(resolve, ms) : undefined;
    void work.then(() => (clearTimeout(timer), resolve()));
  });
}
