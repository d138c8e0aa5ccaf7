import type { Facts } from '../event/index.ts';
import { Msg } from '../message/index.ts';
import type { ContentBlock, ToolResultBlock, ToolUseBlock } from '../message/index.ts';
import type { ImportedSlot, Journal } from '../session/index.ts';
import type { AgentState } from '../state/index.ts';
import { openCalls } from './next-step.ts';
import { isOwnState, savedFacts, valuesOf } from './saved-state.ts';

/** Messages, and the facts of the one among them that is an open reply. */
interface Conversation {
  readonly messages: readonly Msg[];
  readonly open: Facts | undefined;
}

/** Makes a session exactly this state. What is written is durable with the next flush, all of it or nothing. */
export function importState(journal: Journal, state: AgentState, agentName: string): void {
  const { messages, open } = conversationOf(state, agentName);
  const values = valuesOf(state, agentName);
  for (const name of journal.stateNames()) if (!values.has(name)) journal.set(name, null);
  journal.edit({ op: 'import', replaces: true, messages: messages.map((msg) => ({ ...msg })), slots: slotsOf(messages), ...(open ? { open } : {}) });
  for (const [name, value] of values) journal.set(name, value);
}

function conversationOf(state: AgentState, agentName: string): Conversation {
  const { context } = state;
  if (isOwnState(state)) return { messages: context, open: savedFacts(state) };
  const at = context.findLastIndex(({ role }) => role === 'ASSISTANT');
  const paused = context[at];
  return paused && isPaused(paused) ? withOpenReply(state, at, agentName) : { messages: context, open: undefined };
}

/** A call that asks a person, or was handed out, and has no result yet. */
function isPaused({ content }: Msg): boolean {
  return openCalls(content).some(({ state }) => state === 'asking' || state === 'submitted');
}

/**
 * The other languages keep results as messages of their own: those behind the paused message become part of it. A call that is done
 * and has none was refused there (WIRE F16), and may not run now.
 */
function withOpenReply({ context, curIter }: AgentState, at: number, agentName: string): Conversation {
  const paused = context[at];
  if (!paused) return { messages: context, open: undefined };
  const behind = context.slice(at + 1);
  const results = behind.filter(({ role }) => role === 'TOOL').flatMap(({ content }) => content.filter((block) => block.type === 'tool_result'));
  const content = withRefused([...paused.content, ...results]);
  const before = context.slice(0, at);
  const calls = content.reduce((highest, block) => Math.max(highest, block.call ?? 0), curIter);
  const open: Facts = {
    replyId: paused.id,
    agentName: paused.name ?? agentName,
    inputIds: before.slice(before.findLastIndex(({ role }) => role === 'ASSISTANT') + 1).filter(({ role }) => role === 'USER').map(({ id }) => id),
    running: false,
    closed: false,
    iterations: curIter,
    repairs: 0,
    calls,
    interrupted: false,
    exceeded: false,
    refused: [],
  };
  return { messages: [...before, Msg.from({ ...paused, content }), ...behind.filter(({ role }) => role !== 'TOOL')], open };
}

function withRefused(content: readonly ContentBlock[]): readonly ContentBlock[] {
  const refused = openCalls(content).filter(({ state }) => state === 'finished');
  return refused.length === 0 ? content : [...content, ...refused.map(refusal)];
}

function refusal({ id, name, call }: ToolUseBlock): ToolResultBlock {
  return { type: 'tool_result', id, name, output: [{ type: 'text', text: 'Permission denied by user' }], state: 'denied', metadata: {}, ...(call === undefined ? {} : { call }) };
}

/** An assistant's message is a reply, and answers what stands before it. */
function slotsOf(messages: readonly Msg[]): readonly ImportedSlot[] {
  let reply: string | undefined;
  const slots: ImportedSlot[] = [];
  for (const { id, role } of messages.toReversed()) {
    if (role === 'ASSISTANT') reply = id;
    slots.push(role === 'ASSISTANT' ? { kind: 'reply' } : { kind: 'input', ...(reply === undefined ? {} : { reply }) });
  }
  return slots.toReversed();
}
