import { createFold } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import type { ContextList } from './context-list.ts';

/**
 * Folds one event into its reply: the newest one, a new one, or an earlier one, whose message then goes on from what it was. True when
 * that changed more than the end of the context.
 */
export function foldEvent(list: ContextList, event: AgentEvent, seq: number): boolean {
  const { newest } = list;
  // Stored without its result (DESIGN §4), and folding with and without it agree.
  if (event.type === 'AGENT_RESULT' && !('result' in event)) return false;
  const id = event.replyId;
  let isEdit = false;
  if (id === undefined || id === '' || id === newest?.id) newest?.apply(event, seq);
  else if (list.slot(id)?.kind === 'reply') isEdit = foldLate(list, event, { id, seq });
  else list.begin(id, seq).apply(event, seq);
  if (event.type === 'AGENT_START') noteInputs(list, event);
  else if (event.type === 'HINT_BLOCK') return noteSteers(list, event) || isEdit;
  return isEdit;
}

function foldLate(list: ContextList, event: AgentEvent, { id, seq }: { id: string; seq: number }): boolean {
  const index = list.indexOf(id);
  const slot = list.slots[index];
  const seed = list.at(index);
  if (slot === undefined || seed === undefined) return false;
  const fold = createFold({ seed, trusted: true });
  fold.apply(event);
  list.replace(index, fold.message() ?? seed);
  slot.to = seq;
  if (event.type === 'AGENT_END') slot.closed = fold.facts().closed;
  return true;
}

/** A reply says which inputs it answers. */
function noteInputs(list: ContextList, { replyId, metadata }: Extract<AgentEvent, { type: 'AGENT_START' }>): void {
  for (const inputId of textsOf(metadata?.['inputIds'])) {
    const slot = list.slot(inputId);
    if (slot !== undefined) slot.reply = replyId;
  }
}

/** Messages that became a hint inside a reply are none of the context any more. True if there were some. */
function noteSteers(list: ContextList, { blockId, metadata }: Extract<AgentEvent, { type: 'HINT_BLOCK' }>): boolean {
  let isSome = false;
  for (const id of [blockId, ...textsOf(metadata?.['inputIds'])]) {
    if (!list.steers.delete(id)) continue;
    isSome = true;
    list.taken.add(id);
    list.remove((slot) => slot.id === id);
  }
  return isSome;
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
