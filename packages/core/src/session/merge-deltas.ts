import type { AgentEvent } from '../event/index.ts';
import type { DeltaEntry, EventEntry, JournalEntry } from './entry.ts';

/** An entry with exactly one number. */
export type SingleEntry = Exclude<JournalEntry, DeltaEntry>;
type DeltaEvent = AgentEvent & { readonly delta: string };

const MERGED_TYPES: ReadonlySet<string> = new Set(['TEXT_BLOCK_DELTA', 'THINKING_BLOCK_DELTA', 'TOOL_CALL_DELTA', 'TOOL_RESULT_TEXT_DELTA', 'DATA_BLOCK_DELTA']);

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
  return event.metadata === undefined && !('url' in event && event.url !== undefined) && endsInNumber(event.id, entry.seq);
}

function continues(run: readonly EventEntry[], entry: JournalEntry): boolean {
  const [first] = run;
  if (first === undefined || entry.seq !== first.seq + run.length || !isMergeable(entry)) return false;
  return samePrefix(first, entry) && sameBlock(first.event, entry.event);
}

function samePrefix(first: EventEntry, next: EventEntry): boolean {
  const end = first.event.id.lastIndexOf(':');
  return next.event.id.lastIndexOf(':') === end && next.event.id.startsWith(first.event.id.slice(0, end));
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
