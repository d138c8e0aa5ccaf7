import { createFold, REWIND } from '../event/index.ts';
import type { JsonObject } from '../internal/index.ts';
import { ChildReader } from './child-reader.ts';
import { CONTEXT_EDIT, importedSnapshot } from './context-edit.ts';
import { parseCursor, START, toCursor } from './cursor.ts';
import type { Position } from './cursor.ts';
import type { ChildEntry, FullSessionKey, JournalEntry, JournalEvent, SessionKey } from './entry.ts';
import { Intake, intakeFrom } from './intake.ts';
import { fullKey } from './key.ts';
import { expand, lastSeqOf } from './merge-deltas.ts';
import type { SingleEntry } from './merge-deltas.ts';
import { liveJournal, watchersOf } from './open-sessions.ts';
import { ResultFiller } from './result-filler.ts';
import { SessionFold } from './session-fold.ts';
import type { Session } from './session.ts';

export interface ReadEventsOptions {
  /** Cursor of the last event seen. Default: from the beginning. Garbage is `event/invalid`. */
  readonly from?: string | undefined;
  /** Goes on with what comes: at once what this process writes, within {@link POLL_MS} what another one does. Default false. */
  readonly follow?: boolean | undefined;
  /** Ends the iteration, without throwing. */
  readonly signal?: AbortSignal | undefined;
}

/** How often a follower looks into the store while this process is not the writer, in milliseconds. */
const POLL_MS = 250;

/**
 * The events of a session after a cursor, merged deltas apart again, in order and each once. A cursor that lies beyond the end of its
 * epoch (its writer was killed before that was durable) gets one `CUSTOM` event `agentscope.rewind` first, whose value `{ snapshot }`
 * is the fold of the reply that was open at that end, or null; then everything after it. A state that was loaded or imported in
 * place of what the session held is told by the same event, with the fold of the reply it left open, or null.
 */
export function readEvents(store: Session, key: SessionKey, { from, follow = false, signal }: ReadEventsOptions = {}): AsyncIterable<JournalEvent> {
  const at = from === undefined ? START : parseCursor(from);
  return new EventReader(store, fullKey(key), at).run(follow, signal);
}

class EventReader {
  readonly #store: Session;
  readonly #key: FullSessionKey;
  readonly #filler: ResultFiller;
  readonly #children: ChildReader;
  #at: Position;

  constructor(store: Session, key: FullSessionKey, at: Position) {
    this.#store = store;
    this.#key = key;
    this.#filler = new ResultFiller(store, key);
    this.#children = new ChildReader(key.sessionId, (child, from) => readEvents(store, child, { from }));
    this.#at = at;
  }

  async *run(follow: boolean, signal: AbortSignal | undefined): AsyncGenerator<JournalEvent, void, undefined> {
    const watchers = watchersOf(this.#store, this.#key);
    const leave = follow ? watchers.join() : undefined;
    try {
      while (!signal?.aborted) {
        for await (const events of this.#now()) {
          for (const event of events) {
            yield event;
            if (signal?.aborted) return;
          }
        }
        if (!follow) return;
        const live = liveJournal(this.#store, this.#key);
        if (live !== undefined && live.lastSeq > this.#at.seq) continue;
        await watchers.next({ timeoutMs: live === undefined ? POLL_MS : undefined, signal });
      }
    } finally {
      leave?.();
      await this.#children.close();
    }
  }

  /** Everything there is now, an array per entry of the store, one for all that is in memory. */
  async *#now(): AsyncGenerator<readonly JournalEvent[], void, undefined> {
    if (!(await this.#isWithinItsEpoch())) yield [await this.#rewind()];
    for (;;) {
      const live = liveJournal(this.#store, this.#key);
      const tail = live?.tail.from(this.#at.seq + 1);
      if (tail !== undefined) return yield this.#advance(tail);
      const before = this.#at.seq;
      const intake = await intakeFrom(this.#store, this.#key, before + 1);
      for await (const stored of this.#store.read(this.#key, { fromSeq: before + 1 })) {
        for (const entry of intake.take(stored)) {
          this.#filler.apply(entry);
          yield entry.kind === 'child' ? await this.#tell(entry) : await this.#filled(this.#advance(expand(entry)));
        }
      }
      // What has left the tail is in the store; with a live journal the end of its tail is the end.
      if (live === undefined || this.#at.seq === before) return;
    }
  }

  async #filled(events: readonly JournalEvent[]): Promise<readonly JournalEvent[]> {
    return events.some(({ event }) => this.#filler.isBare(event)) ? this.#filler.fill(events) : events;
  }

  /** What a child said, from where it is kept. */
  async #tell(entry: ChildEntry): Promise<readonly JournalEvent[]> {
    const { epoch, seq: after } = this.#at;
    if (entry.to <= after) return [];
    const told = await this.#children.eventsOf(entry, after);
    this.#at = { epoch, seq: entry.to };
    return told.map(({ seq, event }) => ({ seq, cursor: toCursor({ epoch, seq }), event }));
  }

  #advance(entries: readonly SingleEntry[]): JournalEvent[] {
    const events: JournalEvent[] = [];
    for (const entry of entries) {
      const { seq } = entry;
      if (seq <= this.#at.seq) continue;
      this.#at = { epoch: entry.kind === 'epoch' ? entry.epoch : this.#at.epoch, seq };
      if (entry.kind === 'event') events.push({ seq, cursor: toCursor(this.#at), event: entry.event });
      const snapshot = entry.kind === 'state' && entry.name === CONTEXT_EDIT ? importedSnapshot(entry.value) : undefined;
      if (snapshot !== undefined) events.push(rewindTo(this.#at, { at: entry.at, snapshot }));
    }
    return events;
  }

  /** True when what the position saw still counts. Cheap: one entry is read, all of them only when that one does not say. */
  async #isWithinItsEpoch(): Promise<boolean> {
    const { epoch, seq } = this.#at;
    if (seq === 0) return true;
    const live = liveJournal(this.#store, this.#key);
    if (live !== undefined) return seq <= live.lastSeq && live.epochOf(seq) === epoch;
    for await (const entry of this.#store.read(this.#key, { fromSeq: seq })) {
      if (entry.seq > seq) return false;
      return (epochIn(entry) ?? (await this.#scannedEpoch(seq))) === epoch;
    }
    return false;
  }

  async #scannedEpoch(seq: number): Promise<number> {
    let epoch = 0;
    for await (const entry of this.#store.read(this.#key)) {
      if (entry.seq > seq) break;
      if (entry.kind === 'epoch') epoch = entry.epoch;
    }
    return epoch;
  }

  /** Goes back to the end of the position's epoch. */
  async #rewind(): Promise<JournalEvent> {
    const fold = new SessionFold();
    const intake = new Intake();
    for await (const entry of this.#store.read(this.#key)) {
      if (entry.kind === 'epoch' && entry.epoch > this.#at.epoch) break;
      for (const each of intake.take(entry)) fold.apply(each);
    }
    this.#at = { epoch: fold.epochs.at(-1)?.epoch ?? 0, seq: fold.lastSeq };
    return rewindTo(this.#at, { at: fold.lastAt, snapshot: await this.#openSnapshot(fold) });
  }

  /** What children said in the open reply belongs to it for who looks on; the session's own fold leaves it to theirs. */
  async #openSnapshot(session: SessionFold): Promise<JsonObject | null> {
    const since = session.openSince();
    if (since === undefined || !session.hasTold) return session.openSnapshot();
    const fold = createFold();
    const epoch = session.epochs.findLast(({ seq }) => seq < since)?.epoch ?? 0;
    for await (const { seq, event } of readEvents(this.#store, this.#key, { from: toCursor({ epoch, seq: since - 1 }) })) {
      if (seq > session.lastSeq) break;
      fold.apply(event);
    }
    return fold.snapshot();
  }
}

function rewindTo(position: Position, { at, snapshot }: { at: string; snapshot: JsonObject | null }): JournalEvent {
  const cursor = toCursor(position);
  return { seq: position.seq, cursor, event: { type: 'CUSTOM', id: `rewind:${cursor}`, createdAt: at, name: REWIND, value: { snapshot } } };
}

/** The epoch an entry says it was written in. */
function epochIn(entry: JournalEntry): number | undefined {
  if (entry.kind === 'epoch') return entry.epoch;
  if (entry.kind !== 'event' && entry.kind !== 'delta') return undefined;
  const [, epoch, seq] = /:(\d+):(\d+)$/.exec(entry.event.id) ?? [];
  return epoch !== undefined && Number(seq) >= entry.seq && Number(seq) <= lastSeqOf(entry) ? Number(epoch) : undefined;
}
