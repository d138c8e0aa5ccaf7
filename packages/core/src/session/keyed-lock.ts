/** Lets one task per key run at a time, in the order they came; different keys do not wait for each other. */
export class KeyedLock {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const running = before === undefined ? task() : before.then(task, task);
    this.#last.set(key, running);
    try {
      return await running;
    } finally {
      if (this.#last.get(key) === running) this.#last.delete(key);
    }
  }
}
