/**
 * The same items, but an abort ends the wait at once, also when the source ignores the signal: its iterator is then told to return,
 * and nobody waits for that.
 */
export async function* abortable<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T, void, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  let reject: ((reason: unknown) => void) | undefined;
  const onAbort = (): void => reject?.(signal.reason);
  signal.addEventListener('abort', onAbort);
  let finished = false;
  try {
    for (;;) {
      signal.throwIfAborted();
      const item = await new Promise<IteratorResult<T>>((resolve, fail) => {
        reject = fail;
        iterator.next().then(resolve, fail);
      });
      if (item.done) {
        finished = true;
        return;
      }
      yield item.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    if (!finished) void iterator.return?.().then(undefined, () => undefined);
  }
}
