import { messageTime } from '../../message/index.ts';
import type { Metadata, ToolResultBlock, ToolResultState } from '../../message/index.ts';
import type { ToolResultDataDeltaEvent, ToolResultEndEvent, ToolResultStartEvent, ToolResultTextDeltaEvent } from '../events.ts';
import { isRealName, setCallState } from './calls.ts';
import { append, touch } from './reply.ts';
import type { Reply } from './reply.ts';
import { addPiece, joined } from './slots.ts';
import type { ResultSlot } from './slots.ts';

/** Empties a result that is not sealed: a suspended call that runs now, or one that a hook replaces (WIRE F12). */
export function resultStart(reply: Reply, event: ToolResultStartEvent): void {
  const slot = findResult(reply, event.toolCallId);
  if (slot === undefined) openResult(reply, event);
  else if (!slot.sealed) fillResult(reply, slot, { output: [], state: 'running', metadata: {} });
}

export function resultTextDelta(reply: Reply, event: ToolResultTextDeltaEvent): void {
  const slot = findResult(reply, event.toolCallId) ?? openResult(reply, event);
  if (slot.sealed || typeof event.delta !== 'string') return;
  touch(reply, slot);
  takeBackText(slot);
  addPiece(slot, event.delta);
}

export function resultDataDelta(reply: Reply, event: ToolResultDataDeltaEvent): void {
  const slot = findResult(reply, event.toolCallId) ?? openResult(reply, event);
  if (slot.sealed || typeof event.data !== 'object' || event.data === null) return;
  touch(reply, slot);
  flushText(slot);
  slot.output.push(event.data);
}

/** Seals the result, unless it still runs, and finishes its call. A missing state reads as success. */
export function resultEnd(reply: Reply, event: ToolResultEndEvent): void {
  const slot = findResult(reply, event.toolCallId) ?? openResult(reply, event);
  if (slot.sealed) return;
  touch(reply, slot);
  slot.metadata = resultMetadata(event.metadata);
  slot.finishedAt = messageTime(event.createdAt);
  sealResult(reply, slot, event.state ?? 'success');
}

/** Running is no end: such a result waits for work outside. */
export function sealResult(reply: Reply, slot: ResultSlot, state: ToolResultState): void {
  touch(reply, slot);
  slot.state = state;
  if (state === 'running') return;
  slot.sealed = true;
  const call = reply.calls.get(slot.id);
  if (call?.result === slot) setCallState(reply, call, 'finished');
}

export function findResult(reply: Reply, id: string): ResultSlot | undefined {
  const call = reply.calls.get(id);
  return call === undefined ? reply.orphans.get(id) : call.result;
}

/** Its content becomes this, whatever it was. */
export function fillResult(reply: Reply, slot: ResultSlot, { output, state, metadata }: Pick<ToolResultBlock, 'output' | 'state' | 'metadata'>): void {
  touch(reply, slot);
  slot.output = [...output];
  slot.text = '';
  slot.pieces = [];
  slot.state = state;
  slot.metadata = metadata;
}

/** A result of the newest call with this id, at the end of the message; without such a call it is kept all the same. */
export function openResult(reply: Reply, event: { toolCallId: string; toolCallName?: string; createdAt?: string }): ResultSlot {
  const id = event.toolCallId ?? '';
  const call = reply.calls.get(id);
  const slot = append<ResultSlot>(reply, {
    kind: 'result',
    id,
    name: call?.name || (isRealName(event.toolCallName) ? event.toolCallName : ''),
    index: 0,
    round: reply.round,
    call: call?.call,
    createdAt: messageTime(event.createdAt),
    finishedAt: undefined,
    block: undefined,
    output: [],
    text: '',
    pieces: [],
    state: 'running',
    metadata: {},
    sealed: false,
    outputString: false,
  });
  if (call === undefined) reply.orphans.set(id, slot);
  else call.result = slot;
  return slot;
}

function resultMetadata(metadata: Metadata = {}): Metadata {
  const { taskId: _task, parentSessionId: _parent, ...rest } = metadata ?? {};
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null && value !== undefined));
}

/** Text that stands last is extended, not followed by another text. */
function takeBackText(slot: ResultSlot): void {
  if (slot.text !== '' || slot.pieces.length > 0) return;
  const last = slot.output.at(-1);
  if (last?.type !== 'text' || Object.keys(last).length > 2) return;
  slot.output.pop();
  slot.text = last.text;
}

function flushText(slot: ResultSlot): void {
  const text = joined(slot);
  if (text !== '') slot.output.push({ type: 'text', text });
  slot.text = '';
}
