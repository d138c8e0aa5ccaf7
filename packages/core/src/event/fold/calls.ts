import { parseObject } from '../../internal/index.ts';
import { messageTime } from '../../message/index.ts';
import type { ToolCallState, ToolUseBlock } from '../../message/index.ts';
import type { ToolCallDeltaEvent, ToolCallEndEvent, ToolCallStartEvent } from '../events.ts';
import { modelSpoke } from './facts-state.ts';
import { append, touch } from './reply.ts';
import type { Reply } from './reply.ts';
import { addPiece, joined } from './slots.ts';
import type { CallSlot } from './slots.ts';
import { mergeBlockMetadata } from './stream-key.ts';

export function callStart(reply: Reply, event: ToolCallStartEvent): void {
  callFor(reply, event);
  if (reply.call !== undefined) modelSpoke(reply.facts);
}

export function callDelta(reply: Reply, event: ToolCallDeltaEvent): void {
  const slot = callFor(reply, event);
  if (typeof event.delta !== 'string' || event.delta === '') return;
  touch(reply, slot);
  addPiece(slot, event.delta);
  noteEnd(slot, event.delta);
  slot.input = undefined;
  slot.nullContent = false;
}

/** The arguments are parsed here, once. */
export function callEnd(reply: Reply, event: ToolCallEndEvent): void {
  const slot = callFor(reply, event);
  touch(reply, slot);
  slot.input ??= parseObject(joined(slot)) ?? {};
  slot.metadata = mergeBlockMetadata(slot.metadata, event);
  slot.finishedAt ??= messageTime(event.createdAt);
}

/** Sets the state, and counts the questions that are open. */
export function setCallState(reply: Reply, slot: CallSlot, state: ToolCallState): void {
  touch(reply, slot);
  reply.asking += Number(state === 'asking') - Number(slot.state === 'asking');
  reply.submitted += Number(state === 'submitted') - Number(slot.state === 'submitted');
  slot.state = state;
}

/** A call that came whole: from a question, or from AGENT_RESULT. */
export function appendCall(reply: Reply, block: ToolUseBlock): CallSlot {
  const slot = append<CallSlot>(reply, {
    kind: 'call',
    id: block.id,
    name: block.name ?? '',
    index: 0,
    round: reply.round,
    call: block.call ?? reply.call,
    createdAt: block.createdAt,
    finishedAt: block.finishedAt,
    block: undefined,
    text: block.content ?? '',
    pieces: [],
    input: block.input ?? {},
    closed: false,
    nullContent: block.content === null,
    state: 'pending',
    metadata: block.metadata ?? {},
    rules: block.suggestedRules,
    result: undefined,
  });
  noteEnd(slot, slot.text);
  reply.calls.set(block.id, slot);
  setCallState(reply, slot, block.state ?? 'pending');
  return slot;
}

/** Whether the arguments end like an object now; white space changes nothing. */
function noteEnd(slot: { closed: boolean }, piece: string): void {
  const end = piece.trimEnd();
  if (end !== '') slot.closed = end.endsWith('}');
}

/** Names like `__fragment__` stand for a name the emitter does not know (WIRE §3.5). */
export function isRealName(name: unknown): name is string {
  return typeof name === 'string' && name !== '' && !name.startsWith('__');
}

/** The newest call with this id; another one, when that has its result from an earlier model call (WIRE F11). */
function callFor(reply: Reply, event: ToolCallStartEvent | ToolCallDeltaEvent | ToolCallEndEvent): CallSlot {
  const { toolCallId: id, toolCallName: name } = event;
  let slot = reply.calls.get(id);
  if (slot === undefined || (slot.result !== undefined && slot.round !== reply.round)) slot = openCall(reply, event);
  if (slot.name === '' && isRealName(name)) {
    touch(reply, slot);
    slot.name = name;
  }
  return slot;
}

function openCall(reply: Reply, event: ToolCallStartEvent | ToolCallDeltaEvent | ToolCallEndEvent): CallSlot {
  const slot = append<CallSlot>(reply, {
    kind: 'call',
    id: event.toolCallId ?? '',
    name: '',
    index: 0,
    round: reply.round,
    call: reply.call,
    createdAt: messageTime(event.createdAt),
    finishedAt: undefined,
    block: undefined,
    text: '',
    pieces: [],
    input: undefined,
    closed: false,
    nullContent: false,
    state: 'pending',
    metadata: {},
    rules: undefined,
    result: undefined,
  });
  reply.calls.set(event.toolCallId, slot);
  return slot;
}
