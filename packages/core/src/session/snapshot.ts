import { isObject } from '../internal/index.ts';
import type { JsonObject } from '../internal/index.ts';
import type { MsgData } from '../message/index.ts';
import type { EpochEntry, JournalEntry } from './entry.ts';

/** To be raised with every change of {@link FoldSnapshot}, of `MsgData`, or of what a reply's fold says in `event/fold/snapshot.ts`. */
export const SNAPSHOT_FORM = 1;

/** Kind (1 a reply), first and last number; of a reply whether it is closed, of an input the place of the reply that took it. */
export type SlotSnapshot = readonly [kind: number, from: number, to: number, last: number];
const SLOT_LENGTH = 4;

/** A message without the members that have their default; `text` is its content where that is one plain text. */
export type ThinMessage = Partial<MsgData> & Pick<MsgData, 'id' | 'role' | 'timestamp'> & { readonly text?: string };

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
  readonly newest: { readonly index: number; readonly fold: JsonObject } | null;
}

/** What a store gave back, if it is a snapshot of this form and whole. */
export function toFoldSnapshot(value: unknown): FoldSnapshot | undefined {
  if (!isObject(value) || value['form'] !== SNAPSHOT_FORM) return undefined;
  const { messages, slots, epochs, steers, taken, state, newest } = value;
  const lists = [messages, slots, epochs, steers, taken];
  if (!lists.every(Array.isArray) || !isObject(state) || (newest !== null && !isObject(newest))) return undefined;
  if (!Number.isSafeInteger(value['seq']) || typeof value['at'] !== 'string' || typeof value['mark'] !== 'string' || typeof value['size'] !== 'number') return undefined;
  const whole = (messages as unknown[]).length * SLOT_LENGTH === (slots as unknown[]).length && (messages as unknown[]).every(isMessage) && (slots as unknown[]).every(Number.isSafeInteger);
  return whole ? (value as unknown as FoldSnapshot) : undefined;
}

export function slotAt(slots: readonly number[], place: number): SlotSnapshot {
  const at = place * SLOT_LENGTH;
  return [slots[at] ?? 0, slots[at + 1] ?? 0, slots[at + 2] ?? 0, slots[at + 3] ?? 0];
}

/** Leaves out what is said by leaving it out. */
export function toThin({ id, role, timestamp, content, name, metadata, usage, ...rest }: MsgData): ThinMessage {
  const text = plainText(content);
  return {
    id,
    role,
    timestamp,
    ...(text === undefined ? { content } : { text }),
    ...(name === null ? {} : { name }),
    ...(isEmpty(metadata) ? {} : { metadata }),
    ...(usage === null ? {} : { usage }),
    ...rest,
  };
}

/** The members in the order `Msg` has them. */
export function fromThin({ id, role, timestamp, text, content, name = null, metadata = NOTHING, usage = null, ...rest }: ThinMessage): MsgData {
  return { id, name, role, content: text === undefined ? (content ?? []) : [{ type: 'text', text }], metadata, timestamp, usage, ...rest };
}

const NOTHING: MsgData['metadata'] = Object.freeze({});

function plainText([block, more]: MsgData['content']): string | undefined {
  if (block?.type !== 'text' || more !== undefined) return undefined;
  for (const member in block) if (member !== 'type' && member !== 'text') return undefined;
  return block.text;
}
function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return true;
}

/** True when an entry is the last one a snapshot holds: the journal goes on from it, and is not another one of the same key. */
export function isEndOf({ seq, at, mark }: FoldSnapshot, entry: JournalEntry, lastSeq: number): boolean {
  // Merged deltas have the time of their first one.
  return lastSeq === seq && (entry.kind === 'delta' || entry.at === at) && entryMark(entry) === mark;
}

/** Random parts of ids make it unlike that of another session. An event's is the same alone and among merged deltas. */
export function entryMark(entry: JournalEntry): string {
  if (entry.kind === 'event' || entry.kind === 'delta') return entry.event.id.slice(0, entry.event.id.lastIndexOf(':') + 1);
  if (entry.kind === 'input') return entry.msg.id;
  if (entry.kind === 'epoch') return entry.owner;
  return entry.kind === 'state' ? entry.name : entry.kind;
}

function isMessage(value: unknown): boolean {
  return isObject(value) && typeof value['id'] === 'string' && typeof value['role'] === 'string' && (typeof value['text'] === 'string' || Array.isArray(value['content']));
}
