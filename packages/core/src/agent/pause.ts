import { createEvent } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import type { JsonObject } from '../internal/index.ts';
import type { ToolUseBlock } from '../message/index.ts';
import { resultEvent } from './finish.ts';
import { openCalls } from './next-step.ts';
import type { Step } from './next-step.ts';
import type { Reply, StepEvents } from './reply.ts';

/** Ends this run of the reply, which stays open: questions keep their calls, and the next input goes on from here. */
export async function* pause(reply: Reply, { reason }: Extract<Step, { kind: 'pause' }>): StepEvents {
  const { replyId } = reply;
  const questions = askAgain(reply);
  if (reason === 'PERMISSION_ASKING' && !reply.facts().stop) {
    questions.push(createEvent('REQUEST_STOP', { replyId, reason: 'Waiting for permission.', generateReason: reason }));
  }
  if (questions.length > 0) yield questions;
  yield [resultEvent(reply), createEvent('AGENT_END', { replyId, sessionId: reply.key.sessionId, generateReason: reason, ...stopMetadata(reply, reason) })];
}

/** A limit says in the message which one it was. */
function stopMetadata(reply: Reply, reason: string): { metadata?: JsonObject } {
  const { stop } = reply.facts();
  return stop && reason === 'MIDDLEWARE_STOP_REQUESTED' ? { metadata: { msg: { agentscope_stop: stop.reason } } } : {};
}

/** A run that answers only some questions says the others once more, so that its viewers know what is still open. */
function askAgain(reply: Reply): AgentEvent[] {
  if (reply.facts().askedAt !== undefined) return [];
  const open = openCalls(reply.message().content);
  const events: AgentEvent[] = [];
  const ask = (type: 'REQUIRE_USER_CONFIRM' | 'REQUIRE_EXTERNAL_EXECUTION', toolCalls: readonly ToolUseBlock[]): void => {
    if (toolCalls.length > 0) events.push(createEvent(type, { replyId: reply.replyId, toolCalls }));
  };
  ask('REQUIRE_USER_CONFIRM', open.filter((call) => call.state === 'asking'));
  ask('REQUIRE_EXTERNAL_EXECUTION', open.filter((call) => call.state === 'submitted'));
  return events;
}
