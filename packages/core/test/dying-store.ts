import type { InMemorySession, Lease, Session } from '../src/session/index.ts';

/**
 * The process dies at an append: before it reached the store, or after. From then on nothing of that process comes back or reaches
 * the store. Its lease runs out at once.
 */
export class DyingStore {
  readonly store: Session;
  readonly died: Promise<void>;
  #lease: Lease | undefined;
  #appends = 0;

  constructor(inner: InMemorySession, { at, before }: { at: number; before: boolean }) {
    let die: () => void = () => undefined;
    this.died = new Promise((resolve) => (die = resolve));
    this.store = anotherObject(inner, {
      lease: async (key, options) => (this.#lease = await inner.lease(key, options)),
      append: async (key, entries, options) => {
        const last = ++this.#appends >= at;
        if (!last || !before) await inner.append(key, entries, options);
        if (!last) return;
        die();
        await new Promise(() => undefined);
      },
    });
  }

  async bury(): Promise<void> {
    await this.#lease?.release();
  }
}

/** The same data behind another object: what another process has of a store. */
export function anotherObject(inner: Session, changes: Partial<Session> = {}): Session {
  return new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(changes, name) ?? Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
