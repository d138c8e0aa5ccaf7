import { AgentScopeError } from '../error/index.ts';
import { createEvent } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import { UserMessage } from '../message/index.ts';
import type { Content, Msg, MsgData, UserBlock } from '../message/index.ts';
import { toInput } from './input.ts';
import type { Reply } from './reply.ts';

/**
 * What `steer` was given, as a message: a hint is text, so media are refused.
 *
 * @throws AgentScopeError `message/invalid`
 */
export function toSteer(content: Content<UserBlock> | MsgData): Msg {
  const input = toInput(content);
  const [msg] = input.kind === 'messages' ? input.messages : [];
  if (!msg || msg.content.some((block) => block.type !== 'text')) {
    throw new AgentScopeError('message/invalid', 'A steering message holds text only. Send files with the next call.', { details: { path: 'content', rule: 'text blocks only' } });
  }
  return msg.role === 'USER' ? msg : new UserMessage({ id: msg.id, name: msg.name, content: msg.getTextContent(), timestamp: msg.timestamp });
}

/** The steering messages that wait, as the hints by which the reply reads them. The message's id is the block's, so each is read once. */
export function steerHints(reply: Reply): readonly AgentEvent[] {
  return reply.steers().map((msg) => createEvent('HINT_BLOCK', { replyId: reply.replyId, blockId: msg.id, hintSource: 'user', hint: msg.getTextContent() }));
}
