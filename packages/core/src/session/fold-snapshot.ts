import { createFold } from '../event/index.ts';
import type { JsonObject, JsonValue } from '../internal/index.ts';
import { ContextList } from './context-list.ts';
import type { Position } from './cursor.ts';
import type { EpochEntry } from './entry.ts';
import type { Slot } from './newest-reply.ts';
import { SLOT_LENGTH, SNAPSHOT_FORM } from './snapshot.ts';
import type { FoldSnapshot, SlotSnapshot } from './snapshot.ts';
import type { ThinMessage } from './thin-message.ts';

/** All that a `SessionFold` is made of. */
export interface FoldParts {
  readonly lastSeq: number;
  readonly lastAt: string;
  /** What tells the last entry from another with its number and time. */
  readonly mark: string;
  readonly epochs: EpochEntry[];
  readonly list: ContextList;
  readonly state: Map<string, JsonValue>;
  readonly lastEdit: number;
  /** How far each child's events were told in the newest reply, by task. */
  readonly told: Map<string, Position>;
}

/** Before the first entry. */
export function noParts(): FoldParts {
  return { lastSeq: 0, lastAt: '', mark: '', epochs: [], list: new ContextList(), state: new Map(), lastEdit: 0, told: new Map() };
}

export function snapshotOf({ lastSeq, lastAt, mark, epochs, list, state, lastEdit, told }: FoldParts): FoldSnapshot {
  const { slots, newest } = list;
  const messages = list.thin(slots.length);
  const places = new Map(slots.map(({ id }, i) => [id, i]));
  return {
    form: SNAPSHOT_FORM,
    seq: lastSeq,
    at: lastAt,
    mark,
    size: list.roughSize(),
    epochs: epochs.map((epoch) => ({ ...epoch })),
    messages,
    slots: slots.flatMap((slot) => slotSnapshot(slot, slot.reply === undefined ? -1 : places.get(slot.reply))),
    steers: [...list.steers],
    taken: [...list.taken],
    state: Object.fromEntries(state),
    lastEdit,
    told: Array.from(told, ([taskId, { epoch, seq }]) => [taskId, epoch, seq] as const),
    // It lives on and changes, where a store keeps objects as they are.
    newest: newest === undefined ? null : { index: newest.index, fold: JSON.parse(JSON.stringify(newest.snapshot())) as JsonObject },
  };
}

/** The parts a snapshot was made of. @throws what a damaged one makes it throw. */
export function partsOf({ seq, at, mark, epochs, messages, slots, steers, taken, state, lastEdit, told, newest }: FoldSnapshot): FoldParts {
  const list = new ContextList();
  for (const [i, msg] of messages.entries()) list.push(restoredSlot(msg.id, slots, { at: i * SLOT_LENGTH, messages }), msg);
  for (const id of steers) list.steers.add(id);
  for (const id of taken) list.taken.add(id);
  if (newest !== null) restoreReply(list, newest);
  return { lastSeq: seq, lastAt: at, mark, epochs: [...epochs], list, state: new Map(Object.entries(state) as [string, JsonValue][]), lastEdit, told: new Map(told.map(([taskId, epoch, n]) => [taskId, { epoch, seq: n }])) };
}

/** The parts as they were at an earlier number; undefined where they do not tell, see `SessionFold.until`. */
export function partsUntil({ epochs, list, state, lastEdit }: FoldParts, seq: number): FoldParts | undefined {
  const count = list.slots.findLastIndex(({ from }) => from <= seq) + 1;
  const last = list.slots.slice(0, count).findLast(({ kind }) => kind === 'reply'); // one ends before the next begins
  if (lastEdit > seq || (last !== undefined && (last.to > seq || !list.isClosed(last)))) return undefined;
  const head = list.head(count, (slot) => {
    const isTaken = slot.reply !== undefined && (list.slot(slot.reply)?.from ?? 0) <= seq;
    return { ...slot, closed: list.isClosed(slot), reply: isTaken ? slot.reply : undefined };
  });
  return { ...noParts(), lastSeq: seq, epochs: epochs.filter((epoch) => epoch.seq <= seq), list: head, state: new Map(state) };
}

function slotSnapshot({ kind, from, to, closed }: Slot, reply: number | undefined): SlotSnapshot {
  return kind === 'reply' ? [1, from, to, closed ? 1 : 0] : [0, from, to, reply ?? -2];
}
/** An input's last number is the place of the reply that took it: -1 none, -2 one that is not in the context any more. */
function restoredSlot(id: string, slots: readonly number[], { at, messages }: { at: number; messages: readonly ThinMessage[] }): Slot {
  const [kind = 0, from = 0, to = 0, last = 0] = [slots[at], slots[at + 1], slots[at + 2], slots[at + 3]];
  if (kind === 1) return { id, kind: 'reply', from, to, closed: last === 1, reply: undefined };
  return { id, kind: 'input', from, to, closed: true, reply: last === -1 ? undefined : (messages[last]?.id ?? '') };
}
function restoreReply(list: ContextList, { index, fold: snapshot }: { readonly index: number; readonly fold: JsonObject }): void {
  const slot = list.slots[index];
  const fold = createFold({ snapshot, trusted: true });
  if (slot === undefined || fold.message()?.id !== slot.id) throw new Error('A snapshot names a reply that it does not hold.');
  list.goOn(slot, index, fold);
}
