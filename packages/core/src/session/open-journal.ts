import { AgentScopeError } from '../error/index.ts';
import { isoTime, newId } from '../internal/index.ts';
import type { Clock } from '../internal/index.ts';
import type { EpochEntry, FullSessionKey, JournalEntry, SessionKey } from './entry.ts';
import { Journal } from './journal.ts';
import type { JournalOptions } from './journal.ts';
import { intakeFrom } from './intake.ts';
import { fullKey, keyText } from './key.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import { expand, lastSeqOf } from './merge-deltas.ts';
import { JOURNAL_SCHEMA } from './migrate.ts';
import { RunQueue } from './queue.ts';
import { readSession } from './read-session.ts';
import type { SessionFold } from './session-fold.ts';
import type { Session } from './session.ts';
import { Watchers } from './watchers.ts';
import { asStoreError } from './writer.ts';

/** What this process knows about one session of one store object. */
interface Slot {
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
interface Place {
  readonly owner: string;
  readonly slots: Map<string, Slot>;
  maxOpen: number;
}

/** Sessions that stay folded in memory, per store object; those somebody holds are never let go, however many there are. */
export const MAX_OPEN_SESSIONS = 256;
/** How many old ones are looked at when one more is needed. */
const LOOKED_AT = 4;
/** How often the end of a journal may move between reading it and taking it over. */
const TRIES = 5;

const places = new WeakMap<Session, Place>();

/**
 * Opens a session for writing: takes its lease, reads what is new, folds it, and starts an epoch unless this process wrote last.
 * All who open the same key of the same store object get the same journal, and each must `release()` it once.
 *
 * @throws AgentScopeError `session/conflict` while another process writes the session; `session/unavailable`; `session/newer-schema`.
 */
export async function openJournal(store: Session, key: SessionKey, options: JournalOptions = {}): Promise<Journal> {
  const place = placeOf(store);
  place.maxOpen = options.maxOpenSessions ?? place.maxOpen;
  const slot = slotOf(place, key);
  slot.openings++;
  const opened = slot.opening.then(() => openSlot(store, { slot, key: fullKey(key), owner: options.owner ?? place.owner, options }));
  const ended = (): void => void slot.openings--;
  slot.opening = opened.then(ended, ended);
  return opened;
}

/** The journal this process has of a session, held or not; it may be behind what another process wrote since. */
export function journalOf(store: Session, key: SessionKey): Journal | undefined {
  const journal = places.get(store)?.slots.get(keyText(key))?.journal?.journal;
  return journal?.isBroken ? undefined : journal;
}

/** The journal through which this process is writing a session now; undefined where the store knows all there is. */
export function liveJournal(store: Session, key: SessionKey): Journal | undefined {
  const journal = journalOf(store, key);
  return journal?.isLive ? journal : undefined;
}

/** Who in this process waits for something new in a session. */
export function watchersOf(store: Session, key: SessionKey): Watchers {
  return slotOf(placeOf(store), key).watchers;
}

/** The queue all runs on one session in this process go through. */
export function queueOf(store: Session, key: SessionKey): RunQueue {
  return slotOf(placeOf(store), key).queue;
}

/**
 * A session as it stands, or as of a number, to read: this process's own fold where that is ahead of the store or still says the
 * same, else what is stored, which another process may have written. Numbers beyond the end mean the end.
 */
export async function viewSession(store: Session, key: SessionKey, { atSeq = Infinity }: { atSeq?: number | undefined } = {}): Promise<SessionFold> {
  const journal = journalOf(store, key);
  const own = journal !== undefined && (journal.isLive || (await endsWhere(store, journal))) ? journal : undefined;
  if (own !== undefined && atSeq >= own.lastSeq) return own.fold;
  const fold = await readSession(store, key, { toSeq: atSeq });
  for (const entry of own?.tail.from(fold.lastSeq + 1) ?? []) if (entry.seq <= atSeq) fold.apply(entry);
  return fold;
}

/** The entries of a session between two numbers, outputs in place, also those that are not durable yet. */
export async function readRange(store: Session, key: SessionKey, { from, to }: { from: number; to: number }): Promise<readonly JournalEntry[]> {
  const entries: JournalEntry[] = [];
  const add = (entry: JournalEntry): void => {
    for (const single of expand(entry)) if (single.seq >= from && single.seq <= to) entries.push(single);
  };
  const intake = await intakeFrom(store, key, from);
  for await (const entry of store.read(key, { fromSeq: from })) {
    if (entry.seq > to) break;
    intake.take(entry).forEach(add);
  }
  const next = (entries.at(-1)?.seq ?? from - 1) + 1;
  journalOf(store, key)?.tail.from(next)?.forEach(add);
  return entries;
}

interface Opening {
  readonly slot: Slot;
  readonly key: FullSessionKey;
  readonly owner: string;
  readonly options: JournalOptions;
}

async function openSlot(store: Session, { slot, key, owner, options }: Opening): Promise<Journal> {
  try {
    if (slot.journal?.journal.isAbandoned) {
      await slot.journal.keeper.end();
      slot.abandoned++;
    }
    const me = slot.abandoned === 0 ? owner : `${owner}/${slot.abandoned}`;
    if (!(await canGoOn(store, slot, me))) slot.journal = await openNew(store, { key, owner: me, watchers: slot.watchers, clock: options.clock ?? Date.now });
  } catch (error) {
    throw asStoreError(store, error);
  }
  const journal = slot.journal?.journal;
  if (journal === undefined) throw new Error('A journal was opened and is not there.');
  journal.configure(options);
  slot.watchers.wake();
  return journal;
}

/** Holds the journal that is there, if it is this owner's and nobody wrote, took over or deleted since it was given back. */
async function canGoOn(store: Session, { journal: kept }: Slot, owner: string): Promise<boolean> {
  if (kept === undefined || kept.journal.isBroken || kept.keeper.owner !== owner) return false;
  const wasHeld = kept.keeper.isHeld;
  if (!(await kept.keeper.hold())) return false;
  if (wasHeld || (await endsWhere(store, kept.journal))) return true;
  await kept.keeper.drop();
  return false;
}

/** True when the last entry of the store is the last durable one of the journal. */
async function endsWhere(store: Session, { key, durableSeq, lastSeq, lastAt }: Journal): Promise<boolean> {
  let last: JournalEntry | undefined;
  for await (const entry of store.read(key, { fromSeq: Math.max(1, durableSeq) })) last = entry;
  if (last === undefined) return durableSeq === 0;
  return lastSeqOf(last) === durableSeq && (durableSeq < lastSeq || last.kind === 'delta' || last.at === lastAt);
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
    return { journal: new Journal(store, { key, fold: await takeOver(store, { key, keeper, clock }), keeper, watchers }), keeper };
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

function placeOf(store: Session): Place {
  const known = places.get(store);
  if (known !== undefined) return known;
  const place: Place = { owner: newId(), slots: new Map(), maxOpen: MAX_OPEN_SESSIONS };
  places.set(store, place);
  return place;
}

/** Slots stand in order of use. */
function slotOf({ slots, maxOpen }: Place, key: SessionKey): Slot {
  const name = keyText(key);
  const slot = slots.get(name) ?? newSlot(fullKey(key).sessionId);
  slots.delete(name);
  slots.set(name, slot);
  if (slots.size > maxOpen) forgetOld(slots, { used: name, tooMany: slots.size - maxOpen });
  return slot;
}

function newSlot(sessionId: string): Slot {
  return { queue: new RunQueue(sessionId), watchers: new Watchers(), abandoned: 0, opening: Promise.resolve(), openings: 0 };
}

/** Looks at the oldest few and lets go of those nobody needs, no more than are too many; one that is needed counts as just used. */
function forgetOld(slots: Map<string, Slot>, { used, tooMany }: { used: string; tooMany: number }): void {
  let left = tooMany;
  for (const [name, slot] of [...take(slots, LOOKED_AT)]) {
    if (name === used || left === 0) continue;
    slots.delete(name);
    if (isNeeded(slot)) slots.set(name, slot);
    else left--;
  }
}

function isNeeded({ queue, watchers, journal, openings }: Slot): boolean {
  return openings > 0 || queue.busy() || watchers.size > 0 || journal?.journal.isLive === true;
}

function* take<T>(items: Iterable<T>, count: number): Generator<T> {
  let left = count;
  for (const item of items) {
    if (left-- <= 0) return;
    yield item;
  }
}
