import { canonicalJson, parseObject } from '../../internal/index.ts';
import { CONFIRM_KEY, EXTERNAL_KEY, messageTime, SUSPENDED_KEY } from '../../message/index.ts';
import type { JsonObject } from '../../internal/index.ts';
import type { Metadata, ToolCallState, ToolResultBlock, ToolUseBlock } from '../../message/index.ts';
import type { ConfirmResult, ExternalExecutionResultEvent, RequireExternalExecutionEvent, RequireUserConfirmEvent, UserConfirmResultEvent } from '../events.ts';
import { appendCall, setCallState } from './calls.ts';
import { callRefused, questionsAsked } from './facts-state.ts';
import { touch } from './reply.ts';
import type { Reply } from './reply.ts';
import { fillResult, findResult, openResult, sealResult } from './results.ts';
import { joined } from './slots.ts';
import type { CallSlot } from './slots.ts';

/** REQUIRE_USER_CONFIRM, REQUIRE_EXTERNAL_EXECUTION: calls that are not finished wait for an answer (WIRE F14, F17). */
export function requireAnswers(reply: Reply, event: RequireUserConfirmEvent | RequireExternalExecutionEvent): void {
  const asks = event.type === 'REQUIRE_USER_CONFIRM';
  for (const block of event.toolCalls ?? []) askFor(reply, block, asks ? 'asking' : 'submitted');
  reply.metadata[asks ? CONFIRM_KEY : EXTERNAL_KEY] = event.replyId || reply.id;
  reply.shown = undefined;
  questionsAsked(reply.facts, event.createdAt);
}

/** USER_CONFIRM_RESULT: only calls that are asking react (WIRE F15). */
export function confirmResults(reply: Reply, event: UserConfirmResultEvent): void {
  for (const answer of event.confirmResults ?? []) {
    const slot = reply.calls.get(answer?.toolCall?.id);
    if (slot === undefined || (slot.state !== 'asking' && !isEdit(event, slot))) continue;
    if (answer.confirmed) allow(reply, slot, { answer, rule: event.metadata?.['rule'] ?? event.metadata?.['editedBy'] });
    else refuse(reply, slot);
  }
  answered(reply, CONFIRM_KEY);
}

/** Other arguments that a middleware gave a call, asked or not, before it ran. */
function isEdit({ metadata }: UserConfirmResultEvent, slot: CallSlot): boolean {
  return typeof metadata?.['editedBy'] === 'string' && slot.state !== 'finished';
}

/** EXTERNAL_EXECUTION_RESULT: each result stands at its place, unless it is sealed already (WIRE F18). */
export function externalResults(reply: Reply, event: ExternalExecutionResultEvent): void {
  for (const block of event.toolResults ?? []) {
    const slot = findResult(reply, block.id) ?? openResult(reply, { toolCallId: block.id, toolCallName: block.name, createdAt: event.createdAt });
    if (slot.sealed) continue;
    fillResult(reply, slot, { output: block.output ?? [], state: 'running', metadata: block.metadata ?? {} });
    slot.outputString = block.outputString === true;
    slot.finishedAt = messageTime(event.createdAt);
    sealResult(reply, slot, stateOf(block));
  }
  answered(reply, EXTERNAL_KEY);
}

/** A refused call without a result gets one: Java writes it into its context, but sends no event (WIRE F16). */
export function denyRefused(reply: Reply): void {
  for (const call of reply.refused) {
    if (call.result !== undefined || reply.calls.get(call.id) !== call) continue;
    const slot = openResult(reply, { toolCallId: call.id, toolCallName: call.name });
    fillResult(reply, slot, { output: [{ type: 'text', text: 'Permission denied by user' }], state: 'running', metadata: {} });
    sealResult(reply, slot, 'denied');
  }
  reply.refused = [];
}

function askFor(reply: Reply, block: ToolUseBlock, state: ToolCallState): void {
  const slot = reply.calls.get(block.id) ?? appendCall(reply, { ...block, state: 'pending' });
  if (slot.state === 'finished') return;
  fillCall(reply, slot, block);
  setCallState(reply, slot, state);
}

/** What the stream did not show is taken over: arguments, rules, metadata. */
export function fillCall(reply: Reply, slot: CallSlot, block: ToolUseBlock): void {
  touch(reply, slot);
  if (isEmpty(inputOf(slot)) && !isEmpty(block.input)) setInput(slot, block.input, block.content);
  if (block.suggestedRules !== undefined) slot.rules = block.suggestedRules;
  if (block.metadata !== undefined) slot.metadata = withMissing(slot.metadata, block.metadata);
}

export function withMissing(metadata: Metadata | undefined, more: Metadata): Metadata {
  const missing = Object.entries(more).filter(([key]) => metadata === undefined || !Object.hasOwn(metadata, key));
  return { ...metadata, ...Object.fromEntries(missing) };
}

interface Allowing {
  readonly answer: ConfirmResult;
  /** Id of the rule that gave the answer; anything else: a person did. */
  readonly rule: unknown;
}

/** An answer may change the arguments; what was proposed is kept in the metadata of the block, and which rule answered. */
function allow(reply: Reply, slot: CallSlot, { answer: { toolCall }, rule }: Allowing): void {
  if (typeof rule === 'string') slot.metadata = { ...slot.metadata, allowedBy: rule };
  else if (slot.metadata?.['allowedBy'] !== undefined) slot.metadata = { ...slot.metadata, allowedBy: null };
  const proposed = inputOf(slot);
  const { input, content, name } = toolCall;
  if (input !== undefined && input !== null && canonicalJson(input) !== canonicalJson(proposed)) {
    slot.metadata = { ...slot.metadata, proposed };
    setInput(slot, input, content);
  }
  if (typeof name === 'string' && name !== '' && name !== slot.name) {
    slot.metadata = { ...slot.metadata, proposedName: slot.name };
    slot.name = name;
  }
  setCallState(reply, slot, 'allowed');
}

function refuse(reply: Reply, slot: CallSlot): void {
  setCallState(reply, slot, 'finished');
  reply.refused.push(slot);
  callRefused(reply.facts, slot.id);
}

function answered(reply: Reply, key: string): void {
  delete reply.metadata[key];
  reply.reason = undefined;
  reply.shown = undefined;
}

/** `content` follows the input: the given text if it says the same, else the input's own JSON. */
function setInput(slot: CallSlot, input: JsonObject, content: string | null | undefined): void {
  const parsed = typeof content === 'string' ? parseObject(content) : undefined;
  const same = parsed !== undefined && canonicalJson(parsed) === canonicalJson(input);
  slot.text = same && typeof content === 'string' ? content : JSON.stringify(input);
  slot.pieces = [];
  slot.closed = true;
  slot.input = input;
  slot.nullContent = false;
}

function inputOf(slot: CallSlot): JsonObject {
  return (slot.input ??= parseObject(joined(slot)) ?? {});
}

function isEmpty(input: JsonObject | null | undefined): boolean {
  return input === undefined || input === null || Object.keys(input).length === 0;
}

/** Running without the mark of a suspended call: whoever made the result set no state (WIRE §2). */
function stateOf({ state, metadata, output }: ToolResultBlock): ToolResultBlock['state'] {
  if (state !== 'running' && state !== undefined) return state;
  if (metadata?.[SUSPENDED_KEY] === true) return 'running';
  return (output ?? []).some((block) => block.type === 'text' && block.text.startsWith('[ERROR]')) ? 'error' : 'success';
}
