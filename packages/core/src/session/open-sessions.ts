import { newId } from '../internal/index.ts';
import type { SessionKey } from './entry.ts';
import type { Journal } from './journal.ts';
import { fullKey, keyText } from './key.ts';
import type { LeaseKeeper } from './lease-keeper.ts';
import { RunQueue } from './queue.ts';
import type { Session } from './session.ts';
import { Watchers } from './watchers.ts';

/** What this process knows about one session of one store object. */
export interface OpenSession {
  readonly queue: RunQueue;
  readonly watchers: Watchers;
  /** Makes this process another owner after something was given up, and so its next epoch another one. */
  abandoned: number;
  journal?: { readonly journal: Journal; readonly keeper: LeaseKeeper };
  /** Openings follow each other, so that two at once end with one journal. */
  opening: Promise<unknown>;
  /** How many of them have not ended. */
  openings: number;
}
/** What it knows about the sessions of one store object; `byKey` is in order of use. */
export interface OpenSessions {
  readonly owner: string;
  readonly byKey: Map<string, OpenSession>;
  maxOpen: number;
}

/** Sessions that stay folded in memory, per store object; those somebody holds are never let go, however many there are. */
export const MAX_OPEN_SESSIONS = 256;
/** How many old ones are looked at when one more is needed. */
const LOOKED_AT = 4;

const stores = new WeakMap<Session, OpenSessions>();

/** The journal this process has of a session, held or not; it may be behind what another process wrote since. */
export function journalOf(store: Session, key: SessionKey): Journal | undefined {
  const journal = stores.get(store)?.byKey.get(keyText(key))?.journal?.journal;
  return journal?.isBroken ? undefined : journal;
}

/** The journal through which this process is writing a session now; undefined where the store knows all there is. */
export function liveJournal(store: Session, key: SessionKey): Journal | undefined {
  const journal = journalOf(store, key);
  return journal?.isLive ? journal : undefined;
}

/** Who in this process waits for something new in a session. */
export function watchersOf(store: Session, key: SessionKey): Watchers {
  return sessionOf(sessionsOf(store), key).watchers;
}

/** The queue all runs on one session in this process go through. */
export function queueOf(store: Session, key: SessionKey): RunQueue {
  return sessionOf(sessionsOf(store), key).queue;
}

export function sessionsOf(store: Session): OpenSessions {
  const known = stores.get(store);
  if (known !== undefined) return known;
  const sessions: OpenSessions = { owner: newId(), byKey: new Map(), maxOpen: MAX_OPEN_SESSIONS };
  stores.set(store, sessions);
  return sessions;
}

/** What is known of a session, which is the one used last from then on. */
export function sessionOf({ byKey, maxOpen }: OpenSessions, key: SessionKey): OpenSession {
  const name = keyText(key);
  const session = byKey.get(name) ?? newSession(fullKey(key).sessionId);
  byKey.delete(name);
  byKey.set(name, session);
  if (byKey.size > maxOpen) forgetOld(byKey, { used: name, tooMany: byKey.size - maxOpen });
  return session;
}

function newSession(sessionId: string): OpenSession {
  return { queue: new RunQueue(sessionId), watchers: new Watchers(), abandoned: 0, opening: Promise.resolve(), openings: 0 };
}

/** Looks at the oldest few and lets go of those nobody needs, no more than are too many; one that is needed counts as just used. */
function forgetOld(byKey: Map<string, OpenSession>, { used, tooMany }: { used: string; tooMany: number }): void {
  let left = tooMany;
  for (const [name, session] of [...take(byKey, LOOKED_AT)]) {
    if (name === used || left === 0) continue;
    byKey.delete(name);
    if (isNeeded(session)) byKey.set(name, session);
    else left--;
  }
}

function isNeeded({ queue, watchers, journal, openings }: OpenSession): boolean {
  return openings > 0 || queue.busy() || watchers.size > 0 || journal?.journal.isLive === true;
}

function* take<T>(items: Iterable<T>, count: number): Generator<T> {
  let left = count;
  for (const item of items) {
    if (left-- <= 0) return;
    yield item;
  }
}
