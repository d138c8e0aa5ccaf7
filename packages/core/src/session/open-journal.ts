import { AgentScopeError } from '../error/index.ts';
import { isoTime } from '../internal/index.ts';
import type { Clock } from '../internal/index.ts';
import { endsWhere } from './ends-where.ts';
import type { EpochEntry, FullSessionKey, SessionKey } from './entry.ts';
import { Journal } from './journal.ts';
import type { JournalOptions } from './journal.ts';
import { fullKey } from './key.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import { JOURNAL_SCHEMA } from './migrate.ts';
import { liveJournal, sessionOf, sessionsOf } from './open-sessions.ts';
import type { OpenSession } from './open-sessions.ts';
import { readSession } from './read-session.ts';
import type { SessionFold } from './session-fold.ts';
import type { Session } from './session.ts';
import type { Watchers } from './watchers.ts';
import { asStoreError } from './writer.ts';

/** How often the end of a journal may move between reading it and taking it over. */
const TRIES = 5;

/**
 * Opens a session for writing: takes its lease, reads what is new, folds it, and starts an epoch unless this process wrote last.
 * All who open the same key of the same store object get the same journal, and each must `release()` it once.
 *
 * @throws AgentScopeError `session/conflict` while another process writes the session; `session/unavailable`; `session/newer-schema`.
 */
export async function openJournal(store: Session, key: SessionKey, options: JournalOptions = {}): Promise<Journal> {
  const sessions = sessionsOf(store);
  sessions.maxOpen = options.maxOpenSessions ?? sessions.maxOpen;
  const session = sessionOf(sessions, key);
  session.openings++;
  const opened = session.opening.then(() => openSession(store, { session, key: fullKey(key), owner: options.owner ?? sessions.owner, options }));
  const ended = (): void => void session.openings--;
  session.opening = opened.then(ended, ended);
  return opened;
}

interface Opening {
  readonly session: OpenSession;
  readonly key: FullSessionKey;
  readonly owner: string;
  readonly options: JournalOptions;
}

async function openSession(store: Session, { session, key, owner, options }: Opening): Promise<Journal> {
  try {
    if (session.journal?.journal.isAbandoned) {
      await session.journal.keeper.end();
      session.abandoned++;
    }
    const me = session.abandoned === 0 ? owner : `${owner}/${session.abandoned}`;
    if (!(await canGoOn(store, session, me))) session.journal = await openNew(store, { key, owner: me, watchers: session.watchers, clock: options.clock ?? Date.now });
  } catch (error) {
    throw asStoreError(store, error);
  }
  const journal = session.journal?.journal;
  if (journal === undefined) throw new Error('A journal was opened and is not there.');
  journal.configure(options);
  session.watchers.wake();
  return journal;
}

/** Holds the journal that is there, if it is this owner's and nobody wrote, took over or deleted since it was given back. */
async function canGoOn(store: Session, { journal: kept }: OpenSession, owner: string): Promise<boolean> {
  if (kept === undefined || kept.journal.isBroken || kept.keeper.owner !== owner) return false;
  const wasHeld = kept.keeper.isHeld;
  if (!(await kept.keeper.hold())) return false;
  if (wasHeld || (await endsWhere(store, kept.journal))) return true;
  await kept.keeper.drop();
  return false;
}

interface NewJournal {
  readonly key: FullSessionKey;
  readonly owner: string;
  readonly watchers: Watchers;
  readonly clock: Clock;
}

async function openNew(store: Session, { key, owner, watchers, clock }: NewJournal): Promise<{ journal: Journal; keeper: LeaseKeeper }> {
  const keeper = await LeaseKeeper.take(store, key, owner);
  try {
    const fold = await takeOver(store, { key, keeper, clock });
    const flushOther = async (other: FullSessionKey): Promise<void> => liveJournal(store, other)?.flush();
    return { journal: new Journal(store, { key, fold, keeper, watchers, flushOther }), keeper };
  } catch (error) {
    await keeper.drop();
    throw error;
  }
}

/** Reads what there is and seals what the writer before has written; once more when that one was still writing. */
async function takeOver(store: Session, { key, keeper: { fence, owner }, clock }: { key: FullSessionKey; keeper: LeaseKeeper; clock: Clock }): Promise<SessionFold> {
  for (let tries = 1; ; tries++) {
    const fold = await readSession(store, key);
    const newest = fold.epochs.at(-1);
    if (newest?.epoch === fence && newest.owner === owner) return fold;
    const now = isoTime(clock());
    const epoch: EpochEntry = { seq: fold.lastSeq + 1, at: now < fold.lastAt ? fold.lastAt : now, kind: 'epoch', epoch: fence, owner, schema: JOURNAL_SCHEMA };
    try {
      await store.append(key, [epoch], { expectedSeq: fold.lastSeq, fence });
    } catch (error) {
      if (tries < TRIES && AgentScopeError.is(error, 'session/conflict')) continue;
      throw error;
    }
    fold.apply(epoch);
    return fold;
  }
}
