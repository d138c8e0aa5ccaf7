import type { AgentEvent } from '../event/index.ts';
import type { BlobEntry, EventEntry, JournalEntry } from './entry.ts';

/** An output of a tool with more bytes than this is kept apart from its event. */
export const MAX_INLINE_BYTES = 262_144;

/** The output of a tool an event carries, text or base64; undefined for every other event. */
export function outputOf(event: AgentEvent): string | undefined {
  if (event.type === 'TOOL_RESULT_TEXT_DELTA') return event.delta;
  if (event.type !== 'TOOL_RESULT_DATA_DELTA') return undefined;
  const { data } = event;
  return data.type === 'data' && data.source.type === 'base64' ? data.source.data : undefined;
}

/** Whether a text has more bytes as UTF-8; counted only where its length does not say. */
export function hasMoreBytes(text: string, bytes: number): boolean {
  if (text.length > bytes) return true;
  return text.length * 3 > bytes && new TextEncoder().encode(text).length > bytes;
}

/** The same event with another output. */
export function withOutput(event: AgentEvent, output: string): AgentEvent {
  if (event.type === 'TOOL_RESULT_TEXT_DELTA') return { ...event, delta: output };
  if (event.type !== 'TOOL_RESULT_DATA_DELTA') return event;
  const { data } = event;
  if (data.type !== 'data' || data.source.type !== 'base64') return event;
  return { ...event, data: { ...data, source: { ...data.source, data: output } } };
}

/** Puts outputs back into their events, entry by entry in order. A `blob` entry stands right before its event. */
export class Blobs {
  #last: BlobEntry | undefined;

  restore(entry: JournalEntry): JournalEntry {
    if (entry.kind === 'blob') this.#last = entry;
    else if (entry.kind === 'event' && entry.blob !== undefined) return this.#restored(entry);
    return entry;
  }

  #restored({ blob, ...entry }: EventEntry): EventEntry {
    const found = this.#last?.seq === blob ? this.#last : undefined;
    this.#last = undefined;
    return found === undefined ? entry : { ...entry, event: withOutput(entry.event, found.data) };
  }
}
