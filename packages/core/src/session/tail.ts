import { withOutput } from './blobs.ts';
import type { JournalEntry } from './entry.ts';
import type { SingleEntry } from './merge-deltas.ts';
import { toChildEntry } from './told-events.ts';

/**
 * The newest entries of a journal in memory, one number each and without gaps: what is not durable yet, and a little more while
 * somebody watches. A viewer holds a number only, so a slow one costs nothing: it reads from the store what has left the tail.
 */
export class Tail {
  #first: number;
  #entries: SingleEntry[] = [];

  constructor(nextSeq: number) {
    this.#first = nextSeq;
  }

  push(entry: SingleEntry): void {
    this.#entries.push(entry);
  }
  /** From this number to the end; undefined when it has left the tail. */
  from(seq: number): readonly SingleEntry[] | undefined {
    return seq < this.#first ? undefined : this.#entries.slice(seq - this.#first);
  }
  /** The entry with this number, if it is still here. */
  at(seq: number): SingleEntry | undefined {
    return this.#entries[seq - this.#first];
  }
  /** Lets go of everything before the number. */
  trim(firstKept: number): void {
    const gone = Math.min(firstKept - this.#first, this.#entries.length);
    if (gone <= 0) return;
    this.#entries = this.#entries.slice(gone);
    this.#first += gone;
  }
}

/** As it is stored: a child's event as its place, an AGENT_RESULT without its result, which the fold gives back; a large output without what its blob holds. */
export function toStored(entry: SingleEntry): JournalEntry {
  if (entry.kind !== 'event') return entry;
  if (entry.told !== undefined && entry.told.elsewhere !== true) return toChildEntry(entry, entry.told);
  if (entry.blob !== undefined) return { ...entry, event: withOutput(entry.event, '') };
  if (entry.event.type !== 'AGENT_RESULT' || !('result' in entry.event)) return entry;
  const { result: _, ...event } = entry.event;
  return { ...entry, event: event as typeof entry.event };
}
