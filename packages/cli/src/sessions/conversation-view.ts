import type { AgentEvent, AgentSession, ContentBlock, Msg, MsgData, ToolResultBlock } from '@agentscope/core';
import { chatView, said } from '../chat-view.ts';
import type { Output } from '../output.ts';
import { LineKeeper } from '../view.ts';
import type { View } from '../view.ts';

/** What the chat shows, for events and for whole messages. */
export interface ConversationView extends View {
  message(msg: MsgData & Partial<Pick<Msg, 'generateReason'>>): void;
}

export function conversationView(output: Output): ConversationView {
  const write = (text: string): void => output.write(text);
  const view = chatView(write, { color: output.hasColor, width: output.width });
  return {
    ...view,
    message(msg) {
      view.end();
      if (msg.role === 'ASSISTANT') for (const event of eventsOf(msg)) view.event(event);
      else said(new LineKeeper(write), `${msg.role === 'SYSTEM' ? '(system) ' : ''}${msg.content.map(textOf).join(' ')}`);
      view.end();
    },
  };
}

/** Why the conversation has no end, in a line; nothing where it has one. */
export async function openNote(session: AgentSession): Promise<string> {
  const open = await session.openReply();
  if (open === undefined) return '';
  if (!open.waiting) return '(no end: the reply is running, or was cut off)\n';
  const questions = await session.pending();
  return questions.map(({ kind, toolCall }) => `(${toolCall.name} waits for ${kind === 'confirm' ? 'a yes or no' : 'a result from elsewhere'})\n`).join('');
}

/** As much of a reply's events as the chat looks at. */
function* eventsOf({ id: replyId, content, generateReason }: Parameters<ConversationView['message']>[0]): Generator<AgentEvent> {
  for (const block of content) yield* blockEvents(block, { id: '', createdAt: '', replyId, blockId: '' });
  if (generateReason !== undefined) yield { type: 'AGENT_END', id: '', createdAt: '', replyId, generateReason };
}

interface Base {
  readonly id: string;
  readonly createdAt: string;
  readonly replyId: string;
  readonly blockId: string;
}

function* blockEvents(block: ContentBlock, base: Base): Generator<AgentEvent> {
  switch (block.type) {
    case 'text':
      yield { ...base, type: 'TEXT_BLOCK_START' };
      return yield { ...base, type: 'TEXT_BLOCK_DELTA', delta: block.text };
    case 'thinking':
      yield { ...base, type: 'THINKING_BLOCK_START' };
      return yield { ...base, type: 'THINKING_BLOCK_DELTA', delta: block.thinking };
    case 'tool_use': {
      const call = { ...base, toolCallId: block.id, toolCallName: block.name };
      yield { ...call, type: 'TOOL_CALL_DELTA', delta: block.content ?? JSON.stringify(block.input) };
      return yield { ...call, type: 'TOOL_CALL_END' };
    }
    case 'tool_result':
      return yield* resultEvents(block, base);
    case 'hint':
      return yield { ...base, type: 'HINT_BLOCK', hintSource: block.source ?? '', hint: textOf(block) };
    default:
      return yield { ...base, type: 'DATA_BLOCK_START', name: mediaName(block) };
  }
}

function* resultEvents({ id, name, output, state }: ToolResultBlock, base: Base): Generator<AgentEvent> {
  if (state === 'running') return;
  const call = { ...base, toolCallId: id, toolCallName: name };
  for (const part of output) {
    if (part.type === 'text') yield { ...call, type: 'TOOL_RESULT_TEXT_DELTA', delta: part.text };
    else yield { ...call, type: 'TOOL_RESULT_DATA_DELTA', data: part };
  }
  yield { ...call, type: 'TOOL_RESULT_END', state: state ?? 'success' };
}

function textOf(block: ContentBlock): string {
  if (block.type === 'text') return block.text;
  if (block.type === 'hint') return typeof block.hint === 'string' ? block.hint : block.hint.map(textOf).join(' ');
  return 'source' in block ? `[${mediaName(block)}]` : `[${block.type}]`;
}

function mediaName(block: Extract<ContentBlock, { readonly type: 'data' | 'image' | 'audio' | 'video' }>): string {
  return ('name' in block && block.name) || block.source.mediaType || block.type;
}
