import type { AgentEvent } from '../event/index.ts';
import type { ChildEntry, DeltaEntry, EventEntry, JournalEntry } from './entry.ts';
import { continues } from './told-events.ts';

/** An entry with exactly one number. */
export type SingleEntry = Exclude<JournalEntry, DeltaEntry>;
type DeltaEvent = AgentEvent & { readonly delta: string };

const MERGED_TYPES: ReadonlySet<string> = new Set(['TEXT_BLOCK_DELTA', 'THINKING_BLOCK_DELTA', 'TOOL_CALL_DELTA', 'TOOL_RESULT_TEXT_DELTA', 'DATA_BLOCK_DELTA']);

/** Number of the last event an entry covers. */
export function lastSeqOf(entry: JournalEntry): number {
  // Not by its kind: a newer version's entry may cover several numbers too.
  return 'to' in entry && typeof entry.to === 'number' ? entry.to : entry.seq;
}

export interface MergeOptions {
  /** All ids are `<replyId>:<epoch>:<seq>` of one epoch, so they need no look. Default false. */
  readonly stamped?: boolean;
}

/**
 * Makes one `delta` entry of each run of deltas that follow each other without a gap and differ in nothing but their text, and one
 * `child` entry of each run of a child's numbers. The result covers the same numbers, each once. A delta with metadata, a URL or an id that does not end in its number stays alone.
 */
export function mergeDeltas(entries: readonly JournalEntry[], { stamped = false }: MergeOptions = {}): JournalEntry[] {
  const merged: JournalEntry[] = [];
  for (let from = 0; from < entries.length; ) {
    const to = endOfRun(entries, from, stamped);
    const first = entries[from] as JournalEntry;
    merged.push(to === from + 1 ? first : first.kind === 'child' ? { ...first, to: lastSeqOf(entries[to - 1] as ChildEntry) } : joined(entries.slice(from, to) as EventEntry[]));
    from = to;
  }
  return merged;
}

/** Index behind the last entry that goes on in the record the one at `from` begins. */
function endOfRun(entries: readonly JournalEntry[], from: number, stamped: boolean): number {
  const first = entries[from];
  let to = from + 1;
  if (first?.kind === 'child') {
    while (continues(entries[to - 1] as ChildEntry, entries[to])) to++;
    return to;
  }
  if (first === undefined || !isMergeable(first, stamped)) return to;
  const prefix = stamped ? '' : first.event.id.slice(0, first.event.id.lastIndexOf(':') + 1);
  for (; to < entries.length; to++) {
    const next = entries[to];
    if (next === undefined || next.seq !== first.seq + to - from || !isMergeable(next, stamped)) return to;
    if ((!stamped && !hasPrefix(next.event.id, prefix)) || !sameBlock(first.event, next.event)) return to;
  }
  return to;
}

function hasPrefix(id: string, prefix: string): boolean {
  return id.startsWith(prefix) && id.lastIndexOf(':') === prefix.length - 1;
}

/** The single entries an entry stands for, each with the text it had; lengths are UTF-16 units, so half a surrogate comes back as half. */
export function expand(entry: JournalEntry): readonly SingleEntry[] {
  if (entry.kind === 'child') return singles(entry);
  if (entry.kind !== 'delta') return [entry];
  const event = entry.event as DeltaEvent;
  const prefix = event.id.slice(0, event.id.lastIndexOf(':') + 1);
  let offset = 0;
  return entry.cuts.map(([seq, length]) => {
    const delta = event.delta.slice(offset, (offset += length));
    return { seq, at: entry.at, kind: 'event', event: withText(event, prefix + String(seq), delta) };
  });
}

/** One entry a number. */
function singles(entry: ChildEntry): readonly ChildEntry[] {
  return Array.from({ length: entry.to - entry.seq + 1 }, (_, i) => ({ ...entry, seq: entry.seq + i, to: entry.seq + i, from: entry.from + i }));
}

function joined(run: readonly EventEntry[]): DeltaEntry {
  const first = run[0] as EventEntry;
  const texts = run.map((entry) => (entry.event as DeltaEvent).delta);
  const cuts = run.map((entry, i) => [entry.seq, (texts[i] ?? '').length] as const);
  return { seq: first.seq, at: first.at, kind: 'delta', to: first.seq + run.length - 1, event: withText(first.event as DeltaEvent, first.event.id, texts.join('')), cuts };
}

function withText(event: DeltaEvent, id: string, delta: string): AgentEvent {
  return { ...event, id, delta } as DeltaEvent;
}

function isMergeable(entry: JournalEntry, stamped: boolean): entry is EventEntry {
  if (entry.kind !== 'event' || !MERGED_TYPES.has(entry.event.type) || entry.blob !== undefined) return false;
  const { event } = entry;
  if (event.metadata !== undefined || ('url' in event && event.url !== undefined)) return false;
  return stamped ? event.replyId !== '' : endsInNumber(event.id, entry.seq);
}

/** The id ends in `:<n>`. Digit by digit: this runs for every delta, and a text made for the comparison would be thrown away. */
function endsInNumber(id: string, n: number): boolean {
  let rest = n;
  let at = id.length - 1;
  do {
    if (id.charCodeAt(at--) !== 48 + (rest % 10)) return false;
    rest = Math.floor(rest / 10);
  } while (rest > 0);
  return id.charCodeAt(at) === COLON;
}

const COLON = 58;

/** Members a delta has beside those that may differ: nothing else, and all equal. */
function sameBlock(first: AgentEvent, next: AgentEvent): boolean {
  const before = first as DeltaMembers;
  const after = next as DeltaMembers;
  const same =
    before.type === after.type &&
    before.blockId === after.blockId &&
    before.toolCallId === after.toolCallId &&
    before.replyId === after.replyId &&
    before.toolCallName === after.toolCallName &&
    before.source === after.source &&
    before.mediaType === after.mediaType;
  return same && hasOnlyKnownMembers(after);
}

interface DeltaMembers {
  readonly type: string;
  readonly blockId?: string;
  readonly toolCallId?: string;
  readonly replyId?: string;
  readonly toolCallName?: string;
  readonly source?: string;
  readonly mediaType?: string;
}
const KNOWN_MEMBERS: ReadonlySet<string> = new Set(['type', 'blockId', 'toolCallId', 'replyId', 'toolCallName', 'source', 'mediaType', 'id', 'createdAt', 'delta', 'url', 'metadata']);

function hasOnlyKnownMembers(event: object): boolean {
  for (const name in event) if (!KNOWN_MEMBERS.has(name)) return false;
  return true;
}
