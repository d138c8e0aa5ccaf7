import type { AgentEvent } from '../event/index.ts';
import { cursorOf, parseCursor } from './cursor.ts';
import type { ChildEntry, FullSessionKey, JournalEvent } from './entry.ts';
import { keyText } from './key.ts';
import { seqHere, toldEvent } from './told-events.ts';

/** The events of a session behind a cursor, as far as there are any now. */
type ReadSession = (key: FullSessionKey, from: string) => AsyncIterable<JournalEvent>;

/** One child's session, read on from entry to entry. */
interface Reading {
  readonly iterator: AsyncIterator<JournalEvent>;
  /** Epoch and number behind which it goes on. */
  readonly epoch: number;
  at: number;
  /** Read already, and for a later entry. */
  next: JournalEvent | undefined;
}

/**
 * Reads what `child` entries stand for from the children's own sessions. Numbers that are not there any more (the child's session was
 * deleted, or its process was killed before they were durable) are left out.
 */
export class ChildReader {
  readonly #sessionId: string;
  readonly #read: ReadSession;
  readonly #readings = new Map<string, Reading>();

  /** `sessionId`: the session that told them. */
  constructor(sessionId: string, read: ReadSession) {
    this.#sessionId = sessionId;
    this.#read = read;
  }

  /** The events of an entry behind a number of its own, each with its number there. */
  async eventsOf(entry: ChildEntry, after: number): Promise<readonly { readonly seq: number; readonly event: AgentEvent }[]> {
    const first = Math.max(entry.seq, after + 1);
    const reading = await this.#readingFrom(entry, entry.from + first - entry.seq);
    const last = entry.from + entry.to - entry.seq;
    const events: { seq: number; event: AgentEvent }[] = [];
    for (let told = await nextOf(reading); told !== undefined && told.seq <= last; told = await nextOf(reading)) {
      reading.next = undefined;
      reading.at = Math.max(reading.at, told.seq);
      const seq = seqHere(entry, parseCursor(told.cursor));
      const event = seq === undefined ? undefined : toldEvent(told.event, entry, this.#sessionId);
      if (seq !== undefined && event !== undefined) events.push({ seq, event });
    }
    return events;
  }

  async close(): Promise<void> {
    for (const { iterator } of this.#readings.values()) await iterator.return?.();
    this.#readings.clear();
  }

  async #readingFrom({ child, epoch }: ChildEntry, from: number): Promise<Reading> {
    const name = keyText(child);
    const known = this.#readings.get(name);
    if (known?.epoch === epoch && known.at < from && known.next !== undefined) return known;
    await known?.iterator.return?.();
    const iterator = this.#read(child, cursorOf(epoch, from - 1))[Symbol.asyncIterator]();
    const reading: Reading = { iterator, epoch, at: from - 1, next: undefined };
    this.#readings.set(name, reading);
    return reading;
  }
}

async function nextOf(reading: Reading): Promise<JournalEvent | undefined> {
  if (reading.next === undefined) {
    const step = await reading.iterator.next();
    if (step.done !== true) reading.next = step.value;
  }
  return reading.next;
}
