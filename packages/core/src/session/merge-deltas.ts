import type { AgentEvent } from '../event/index.ts';
import type { DeltaEntry, EventEntry, JournalEntry } from './entry.ts';

/** An entry with exactly one number. */
export type SingleEntry = Exclude<JournalEntry, DeltaEntry>;
type DeltaEvent = AgentEvent & { readonly delta: string };

const MERGED_TYPES: ReadonlySet<string> = new Set(['TEXT_BLOCK_DELTA', 'THINKING_BLOCK_DELTA', 'TOOL_CALL_DELTA', 'TOOL_RESULT_TEXT_DELTA', 'DATA_BLOCK_DELTA']);
/** What deltas of one run may differ in; `expand` makes `id` anew and gives all of them the time of the first. */
const PER_DELTA: ReadonlySet<string> = new Set(['id', 'createdAt', 'delta']);

/** Number of the last event an entry covers. */
export function lastSeqOf(entry: JournalEntry): number {
  return entry.kind === 'delta' ? entry.to : entry.seq;
}

/**
 * Makes one `delta` entry of each run of deltas that follow each other without a gap and differ in nothing but their text. The
 * result covers the same numbers, each once. A delta with metadata, a URL or an id that does not end in its number stays alone.
 */
export function mergeDeltas(entries: readonly JournalEntry[]): JournalEntry[] {
  const merged: JournalEntry[] = [];
  let run: EventEntry[] = [];
  for (const entry of entries) {
    if (run.length > 0 && !continues(run, entry)) run = close(run, merged);
    if (isMergeable(entry)) run.push(entry);
    else merged.push(entry);
  }
  close(run, merged);
  return merged;
}

/** The single entries an entry stands for, each with the text it had; lengths are UTF-16 units, so half a surrogate comes back as half. */
export function expand(entry: JournalEntry): readonly SingleEntry[] {
  if (entry.kind !== 'delta') return [entry];
  const event = entry.event as DeltaEvent;
  const prefix = event.id.slice(0, event.id.lastIndexOf(':') + 1);
  let offset = 0;
  return entry.cuts.map(([seq, length]) => {
    const delta = event.delta.slice(offset, (offset += length));
    return { seq, at: entry.at, kind: 'event', event: withText(event, prefix + String(seq), delta) };
  });
}

function close(run: EventEntry[], merged: JournalEntry[]): EventEntry[] {
  const [first] = run;
  const last = run.at(-1);
  if (first === undefined || last === undefined) return [];
  if (first === last) merged.push(first);
  else merged.push(joined(first, last.seq, run));
  return [];
}

function joined(first: EventEntry, to: number, run: readonly EventEntry[]): DeltaEntry {
  const texts = run.map((entry) => (entry.event as DeltaEvent).delta);
  const cuts = run.map((entry, i) => [entry.seq, (texts[i] ?? '').length] as const);
  const event = first.event as DeltaEvent;
  return { seq: first.seq, at: first.at, kind: 'delta', to, event: withText(event, event.id, texts.join('')), cuts };
}

function withText(event: DeltaEvent, id: string, delta: string): AgentEvent {
  return { ...event, id, delta } as DeltaEvent;
}

function isMergeable(entry: JournalEntry): entry is EventEntry {
  if (entry.kind !== 'event' || !MERGED_TYPES.has(entry.event.type)) return false;
  const { event } = entry;
  return event.metadata === undefined && !('url' in event && event.url !== undefined) && event.id.endsWith(`:${entry.seq}`);
}

function continues(run: readonly EventEntry[], entry: JournalEntry): boolean {
  const [first] = run;
  if (first === undefined || !isMergeable(entry)) return false;
  return entry.seq === first.seq + run.length && samePrefix(first, entry) && sameBlock(first.event, entry.event);
}

function samePrefix(first: EventEntry, next: EventEntry): boolean {
  const end = first.event.id.lastIndexOf(':');
  return next.event.id.lastIndexOf(':') === end && next.event.id.startsWith(first.event.id.slice(0, end));
}

function sameBlock(first: AgentEvent, next: AgentEvent): boolean {
  const before = first as unknown as Readonly<Record<string, unknown>>;
  const after = next as unknown as Readonly<Record<string, unknown>>;
  const names = Object.keys(after);
  if (names.length !== Object.keys(before).length) return false;
  return names.every((name) => PER_DELTA.has(name) || (typeof after[name] !== 'object' && after[name] === before[name]));
}
