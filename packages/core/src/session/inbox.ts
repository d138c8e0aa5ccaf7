import type { SessionKey } from './entry.ts';
import { keyText } from './key.ts';
import type { InboxItem, Session } from './session.ts';

/** Who in this process wants to hear of a post, per store object and session. */
const listeners = new WeakMap<Session, Map<string, Set<() => void>>>();

/**
 * Puts an item into a session's inbox and wakes its owner, if that is in this process and uses the same store object; an owner
 * elsewhere looks every {@link INBOX_POLL_MS} while a reply runs.
 *
 * @returns false when an item of this id was posted before
 */
export async function postToInbox(store: Session, key: SessionKey, item: InboxItem): Promise<boolean> {
  const isNew = await store.post(key, item);
  for (const wake of listeners.get(store)?.get(keyText(key)) ?? []) wake();
  return isNew;
}

/** Calls the listener at each post of this process, until what is returned is called. */
export function onPost(store: Session, key: SessionKey, listener: () => void): () => void {
  const name = keyText(key);
  const sessions = listeners.get(store) ?? new Map<string, Set<() => void>>();
  listeners.set(store, sessions);
  const all = sessions.get(name) ?? new Set();
  sessions.set(name, all);
  all.add(listener);
  return () => {
    all.delete(listener);
    if (all.size === 0 && sessions.get(name) === all) sessions.delete(name);
  };
}

/** How often an owner looks into the inbox while a reply runs and the store is not in memory, in milliseconds. */
export const INBOX_POLL_MS = 250;
