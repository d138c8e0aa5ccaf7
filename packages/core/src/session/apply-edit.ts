import { createFold } from '../event/index.ts';
import type { Facts } from '../event/index.ts';
import { Msg } from '../message/index.ts';
import type { ContextEdit, ContextImport, ImportedSlot } from './context-edit.ts';
import type { ContextList } from './context-list.ts';
import { asThin } from './thin-message.ts';

/** Does to a context what an edit says; what comes in has the number of the edit. */
export function applyEdit(list: ContextList, edit: ContextEdit, seq: number): void {
  if (edit.op === 'clear') removeAll(list);
  else if (edit.op === 'delete') list.remove((slot) => slot.id === edit.id);
  else if (edit.op === 'input-edit') list.editInputs(edit.replyId, { messages: edit.messages.map((msg) => Msg.from(msg)), seq });
  else importInto(list, edit, seq);
}

/** The first messages of a context, and what they are: what another journal begins with. */
export function exportOf(list: ContextList, count: number): ContextImport {
  const kept = list.slots.slice(0, count);
  const ids = kept.length === list.slots.length ? undefined : new Set(kept.map(({ id }) => id));
  const comesAlong = (reply: string): boolean => (ids === undefined ? list.slot(reply) !== undefined : ids.has(reply));
  // An input whose reply does not come along waits for one there.
  const slots = kept.map(({ kind, reply }): ImportedSlot => (reply === '' || (reply !== undefined && comesAlong(reply)) ? { kind, reply } : { kind }));
  return { op: 'import', messages: list.thin(count), slots };
}

/** True for a message that came with others in one import: a number does not tell them apart. */
export function isImported(list: ContextList, msgId: string): boolean {
  const at = list.indexOf(msgId);
  const from = list.slots[at]?.from;
  return from !== undefined && (list.slots[at - 1]?.from === from || list.slots[at + 1]?.from === from);
}

/** All but the open reply and what it answers. */
function removeAll(list: ContextList): void {
  const open = list.newest?.open() && list.newest;
  list.remove((slot, index) => open === undefined || (slot.reply !== open.id && index < open.index));
}

function importInto(list: ContextList, { messages, slots, replaces, open }: ContextImport, seq: number): void {
  if (replaces === true) list.clear();
  for (const [i, msg] of messages.entries()) {
    if (list.knows(msg.id)) continue;
    const { kind = 'input', reply } = slots[i] ?? {};
    list.push({ id: msg.id, kind, from: seq, to: seq, closed: true, reply }, msg instanceof Msg ? msg : asThin(msg));
  }
  if (open !== undefined) reopen(list, open);
}

function reopen(list: ContextList, facts: Facts): void {
  const index = list.indexOf(facts.replyId);
  const slot = list.slots[index];
  const seed = list.at(index);
  if (slot !== undefined && seed !== undefined) list.goOn(slot, index, createFold({ seed, facts, trusted: true }));
}
