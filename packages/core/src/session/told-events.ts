import type { AgentEvent } from '../event/index.ts';
import type { ChildEntry, ChildPlace, EventEntry, FullSessionKey, JournalEntry } from './entry.ts';
import { keyText } from './key.ts';

/** Whose events are told in another session, and as what. */
export interface Teller {
  /** The session they come from. */
  readonly child: FullSessionKey;
  /** Path of the child: `<caller's session id>/<child>`. */
  readonly source: string;
  /** Tells two children of one path apart. */
  readonly taskId: string;
}

const places = new WeakMap<AgentEvent, ChildPlace>();

/**
 * A child's event as the session that asked the child tells it (WIRE §3.3): with the child's path, its task and whose task it is, and its
 * own id and time. An event of a child's child has these already: its path is joined to this one. Undefined for what stays with the child: the whole message
 * of AGENT_RESULT, which its events make again, and where a reader of the child had to go back.
 */
export function toldEvent(event: AgentEvent, { child, source, taskId }: Teller, parentSessionId: string): AgentEvent | undefined {
  if (event.type === 'AGENT_RESULT' || (event.type === 'CUSTOM' && event.id.startsWith('rewind:'))) return undefined;
  if (event.source === undefined) return { ...event, source, metadata: { ...event.metadata, taskId, parentSessionId } };
  return { ...event, source: joinedSource(source, child, event.source) };
}

/** The path of a child's child: its own begins with the child's session id, which the child's path stands for. */
export function joinedSource(source: string, { sessionId }: FullSessionKey, inner: string): string {
  return `${source}/${inner.startsWith(`${sessionId}/`) ? inner.slice(sessionId.length + 1) : inner}`;
}

/** Notes where a told event stands in the child's session, for the journal that tells it; an event without a place is stored whole. */
export function notePlace(event: AgentEvent, place: ChildPlace): void {
  places.set(event, place);
}

export function placeOf(event: AgentEvent): ChildPlace | undefined {
  return event.source === undefined ? undefined : places.get(event);
}

/** What is stored of a told event: its place. */
export function toChildEntry({ seq, at }: EventEntry, { child, source, taskId, epoch, seq: from }: ChildPlace): ChildEntry {
  return { seq, at, kind: 'child', to: seq, child, source, taskId, epoch, from };
}

/** True when the second goes on where the first ends, here and there. */
export function continues(first: JournalEntry, next: JournalEntry | undefined): next is ChildEntry {
  if (first.kind !== 'child' || next?.kind !== 'child' || next.seq !== first.to + 1 || next.epoch !== first.epoch) return false;
  return next.from === first.from + (next.seq - first.seq) && next.taskId === first.taskId && next.source === first.source && keyText(next.child) === keyText(first.child);
}

/** The number an event of the child has in the session that told it; undefined for one that was not told by this entry. */
export function seqHere({ seq, to, epoch, from }: ChildEntry, place: { readonly epoch: number; readonly seq: number }): number | undefined {
  const here = seq + place.seq - from;
  return place.epoch === epoch && here >= seq && here <= to ? here : undefined;
}
