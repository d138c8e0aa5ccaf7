import type { AgentEvent } from '../event/index.ts';
import type { JsonValue } from '../internal/index.ts';
import type { MsgData } from '../message/index.ts';

/** Whose conversation, and which. Without `sessionId` an agent uses its default one. */
export interface SessionKey {
  readonly userId?: string | undefined;
  readonly sessionId?: string | undefined;
}
/** A key with its session id settled. */
export interface FullSessionKey {
  readonly userId: string | undefined;
  readonly sessionId: string;
}

interface EntryBase<K extends string> {
  /** Number of the entry's first event; without gaps over the whole journal. */
  readonly seq: number;
  /** ISO 8601 with `Z`. */
  readonly at: string;
  readonly kind: K;
}

/** A writer took over; everything the epoch before wrote beyond `seq - 1` does not count. */
export interface EpochEntry extends EntryBase<'epoch'> {
  readonly epoch: number;
  readonly owner: string;
  /** Version of the journal's form; a reader refuses a higher one (`session/newer-schema`). */
  readonly schema: number;
}
/** A message accepted into the context. */
export interface InputEntry extends EntryBase<'input'> {
  readonly msg: MsgData;
  readonly steer?: boolean;
}
export interface EventEntry extends EntryBase<'event'> {
  readonly event: AgentEvent;
  /** Where a child's event stands in the child's own session. Stored only where that is in another store: then the event is kept here too. */
  readonly told?: ChildPlace;
  /** As stored: the event's `delta` (or the base64 of its `data`) is `''` here and stands in the `blob` entry of this number. */
  readonly blob?: number;
}
/** A large output of a tool, apart from its event, which comes right behind it in the same append. Readers put it back. */
export interface BlobEntry extends EntryBase<'blob'> {
  readonly data: string;
}
/** Deltas of one block, one after the other: `event` is the first with the whole text; `cuts` says where each ended. */
export interface DeltaEntry extends EntryBase<'delta'> {
  /** Number of the last delta. */
  readonly to: number;
  readonly event: AgentEvent;
  readonly cuts: readonly (readonly [seq: number, length: number])[];
}
/** An event of a child's session: which session, whose task, and its place there. */
export interface ChildPlace {
  readonly child: FullSessionKey;
  /** Path of the child, as its events say it. */
  readonly source: string;
  readonly taskId: string;
  readonly epoch: number;
  readonly seq: number;
  /** The child's session is in another store. */
  readonly elsewhere?: boolean;
}
/**
 * Events of a child that were shown in this session: the numbers `from` and on of the child's epoch are `seq` to `to` here. What they say
 * stands in the child's session and is read from there.
 */
export interface ChildEntry extends EntryBase<'child'> {
  readonly to: number;
  readonly child: FullSessionKey;
  readonly source: string;
  readonly taskId: string;
  readonly epoch: number;
  readonly from: number;
}
/** A change of what the session keeps beside messages, or of the context (see `ContextEdit`). `value` null: taken away. */
export interface StateEntry extends EntryBase<'state'> {
  readonly name: string;
  readonly value: JsonValue;
}
/**
 * A kind that is not among these was written by a newer minor version: it keeps its place (`seq`, and `to` where it covers several
 * numbers), is kept as it is and changes nothing for this one.
 */
export type JournalEntry = EpochEntry | InputEntry | EventEntry | DeltaEntry | ChildEntry | StateEntry | BlobEntry;

/** An event as a viewer sees it. `cursor` is opaque: give it back as `from`. */
export interface JournalEvent {
  readonly seq: number;
  readonly cursor: string;
  readonly event: AgentEvent;
}
