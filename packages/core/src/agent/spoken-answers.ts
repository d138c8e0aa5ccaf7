import { createEvent, parseEvent } from '../event/index.ts';
import { Msg } from '../message/index.ts';
import type { Answer } from './agent.ts';

/** Where AgentScope Java puts answers into an input message (WIRE §1.4). */
const CONFIRM_RESULTS = 'agentscope_confirm_results';

/** A message that answers a pause as AgentScope Java does: confirm results in its metadata, or results of tools as its content. */
export function isSpokenAnswer({ role, content, metadata }: Msg): boolean {
  const results = metadata[CONFIRM_RESULTS];
  if (role === 'USER' && Array.isArray(results) && results.length > 0) return true;
  return role === 'TOOL' && content.length > 0 && content.every((block) => block.type === 'tool_result');
}

/**
 * The same as events, for whatever reply is open.
 *
 * @throws AgentScopeError `event/invalid`, `message/invalid` for what is no confirm result
 */
export function answersOf({ content, metadata }: Msg): readonly Answer[] {
  const results = content.filter((block) => block.type === 'tool_result');
  if (results.length > 0) return [createEvent('EXTERNAL_EXECUTION_RESULT', { replyId: '', toolResults: results })];
  return [parseEvent({ type: 'USER_CONFIRM_RESULT', id: '', createdAt: '', replyId: '', confirmResults: metadata[CONFIRM_RESULTS] }) as Answer];
}

/** What a person said along with the answers: the reply reads it before its next model call. */
export function wordsOf(msg: Msg): readonly Msg[] {
  const words = msg.content.filter((block) => block.type === 'text' && block.text.trim() !== '');
  if (msg.role !== 'USER' || words.length === 0) return [];
  const { [CONFIRM_RESULTS]: _, ...metadata } = msg.metadata;
  return [Msg.from({ ...msg, content: words, metadata })];
}
