import type { Session } from '../session/index.ts';

const stores = new WeakSet<Session>();

/** Remembers a store that an agent has only because it was given none. */
export function madeUp<S extends Session>(store: S): S {
  stores.add(store);
  return store;
}

/** True for a store nobody chose: as another agent's tool, an agent lives in that one's store instead. */
export function isMadeUp(store: Session): boolean {
  return stores.has(store);
}
