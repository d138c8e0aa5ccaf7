/** Who waits for something new in one session of this process, whether or not it has an open journal now. */
export class Watchers {
  #waiting = new Set<() => void>();
  #following = 0;

  /** Number of viewers that follow, waiting or not. */
  get size(): number {
    return this.#following;
  }
  /** One more viewer; returns how it leaves. */
  join(): () => void {
    this.#following++;
    let hasLeft = false;
    return () => {
      if (!hasLeft) this.#following--;
      hasLeft = true;
    };
  }

  /** Wakes everybody who waits. */
  wake(): void {
    if (this.#waiting.size === 0) return;
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const resolve of waiting) resolve();
  }

  /** Resolves at the next {@link wake}, after the time, or when aborted; leaves no listener and no timer behind. */
  next({ timeoutMs, signal }: { timeoutMs: number | undefined; signal: AbortSignal | undefined }): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = timeoutMs === undefined ? undefined : setTimeout(done, timeoutMs);
      this.#waiting.add(done);
      signal?.addEventListener('abort', done, { once: true });
    });
  }
}
