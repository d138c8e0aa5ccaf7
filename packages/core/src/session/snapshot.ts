import { isObject } from '../internal/index.ts';
import type { JsonObject } from '../internal/index.ts';
import type { EpochEntry, JournalEntry } from './entry.ts';
import type { ThinMessage } from './thin-message.ts';

/** To be raised with every change of {@link FoldSnapshot}, of `MsgData`, or of what a reply's fold says in `event/fold/snapshot.ts`. */
export const SNAPSHOT_FORM = 2;

/** Kind (1 a reply), first and last number; of a reply whether it is closed, of an input the place of the reply that took it. */
export type SlotSnapshot = readonly [kind: number, from: number, to: number, last: number];
export const SLOT_LENGTH = 4;

/** All a `SessionFold` is, as JSON. Private to this version: one of another form is not read, the journal is. */
export interface FoldSnapshot {
  readonly form: number;
  /** The last entry: its number, its time, and what tells it from another with both. */
  readonly seq: number;
  readonly at: string;
  readonly mark: string;
  /** About its bytes. */
  readonly size: number;
  readonly epochs: readonly EpochEntry[];
  readonly messages: readonly ThinMessage[];
  /** Four numbers a message, see {@link SlotSnapshot}: one list is read faster than thousands. */
  readonly slots: readonly number[];
  readonly steers: readonly string[];
  readonly taken: readonly string[];
  readonly state: JsonObject;
  readonly lastEdit: number;
  /** Of the newest reply, how far each child's events were told: task, epoch and number there. */
  readonly told: readonly (readonly [taskId: string, epoch: number, seq: number])[];
  readonly newest: { readonly index: number; readonly fold: JsonObject } | null;
}

/** What a store gave back, if it is a snapshot of this form and whole. */
export function toFoldSnapshot(value: unknown): FoldSnapshot | undefined {
  if (!isObject(value) || value['form'] !== SNAPSHOT_FORM) return undefined;
  const { messages, slots, epochs, steers, taken, told, state, newest } = value;
  const lists = [messages, slots, epochs, steers, taken, told];
  if (!lists.every(Array.isArray) || !isObject(state) || (newest !== null && !isObject(newest))) return undefined;
  if (!Number.isSafeInteger(value['seq']) || typeof value['at'] !== 'string' || typeof value['mark'] !== 'string' || typeof value['size'] !== 'number') return undefined;
  const whole = (messages as unknown[]).length * SLOT_LENGTH === (slots as unknown[]).length && (messages as unknown[]).every(isMessage) && (slots as unknown[]).every(Number.isSafeInteger);
  return whole ? (value as unknown as FoldSnapshot) : undefined;
}

/** True when an entry is the last one a snapshot holds: the journal goes on from it, and is not another one of the same key. */
export function isEndOf({ seq, at, mark }: FoldSnapshot, entry: JournalEntry, lastSeq: number): boolean {
  // Merged ones have the time of the first.
  return lastSeq === seq && (entry.kind === 'delta' || entry.kind === 'child' || entry.at === at) && entryMark(entry) === mark;
}

/** Random parts of ids make it unlike that of another session. An event's is the same alone and among merged deltas. */
export function entryMark(entry: JournalEntry): string {
  if (entry.kind === 'child') return entry.taskId;
  if (entry.kind === 'event' && entry.told !== undefined) return entry.told.taskId;
  if (entry.kind === 'event' || entry.kind === 'delta') return entry.event.id.slice(0, entry.event.id.lastIndexOf(':') + 1);
  if (entry.kind === 'input') return entry.msg.id;
  if (entry.kind === 'epoch') return entry.owner;
  return entry.kind === 'state' ? entry.name : entry.kind;
}

function isMessage(value: unknown): boolean {
  return isObject(value) && typeof value['id'] === 'string' && typeof value['role'] === 'string' && (typeof value['text'] === 'string' || Array.isArray(value['content']));
}
