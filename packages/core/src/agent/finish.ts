import { createEvent } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import { STRUCTURED_OUTPUT_KEY } from '../message/index.ts';
import { isObject } from '../internal/index.ts';
import type { JsonObject } from '../internal/index.ts';
import type { GenerateReason, ToolResultState, ToolUseBlock } from '../message/index.ts';
import { openCalls } from './next-step.ts';
import { settleStarted, wasStarted } from './recover.ts';
import type { Step } from './next-step.ts';
import { textResult } from './results.ts';
import type { Reply, StepEvents } from './reply.ts';
import { unknownText, wasUnknown } from './unknown-outcome.ts';

/** Ends the reply for good: nothing stays open, then AGENT_RESULT and AGENT_END, in every ending. */
export async function* finish(reply: Reply, step: Extract<Step, { kind: 'finish' }>): StepEvents {
  const { replyId } = reply;
  const sealed = [...endCutCall(reply), ...(await sealOpenCalls(reply, step))];
  if (sealed.length > 0) yield sealed;
  const data = step.data === undefined ? {} : { metadata: { msg: { [STRUCTURED_OUTPUT_KEY]: step.data } } };
  yield [resultEvent(reply, data), createEvent('AGENT_END', { replyId, sessionId: reply.key.sessionId, ...reasonOf(step), ...(step.error ? { error: step.error } : {}), ...data })];
}

/** The folded message so far, as AGENT_RESULT says it, and what AGENT_END will add to its metadata (WIRE §3.4). */
export function resultEvent(reply: Reply, more: { readonly metadata?: { readonly msg: JsonObject } } = {}): AgentEvent {
  const message = reply.message();
  const result = more.metadata ? message.with({ metadata: { ...message.metadata, ...more.metadata.msg } }) : message;
  return createEvent('AGENT_RESULT', { replyId: reply.replyId, result, ...more });
}

/** A hook may have said the last answer anew since AGENT_RESULT was made: it says what the message is when it is committed. */
export function refreshResult(reply: Reply, events: readonly AgentEvent[]): readonly AgentEvent[] {
  return events.map((event) => {
    if (event.type !== 'AGENT_RESULT' || event.source !== undefined) return event;
    const msg = event.metadata?.['msg'];
    return isObject(msg) ? resultEvent(reply, { metadata: { msg } }) : resultEvent(reply);
  });
}

/** A model call that a crash left open ends here, and takes its half-said blocks with it. */
function endCutCall(reply: Reply): readonly AgentEvent[] {
  const { lastCall } = reply.facts();
  if (!lastCall || lastCall.ended) return [];
  return [createEvent('MODEL_CALL_END', { replyId: reply.replyId, metadata: { call: lastCall.call, discarded: true } })];
}

async function sealOpenCalls(reply: Reply, step: Extract<Step, { kind: 'finish' }>): Promise<readonly AgentEvent[]> {
  const { facts, content } = { facts: reply.facts(), content: reply.message().content };
  const cutCall = facts.lastCall && !facts.lastCall.ended ? facts.lastCall.call : undefined;
  const events: AgentEvent[] = [];
  for (const call of openCalls(content)) {
    if (cutCall !== undefined && call.call === cutCall) continue;
    if (call.state !== 'submitted' && wasStarted(content, call.id)) events.push(...(await settleStarted(reply, call)));
    else events.push(...textResult(reply.replyId, call, sealOf(step, call)));
  }
  return events;
}

function sealOf(step: Extract<Step, { kind: 'finish' }>, call: ToolUseBlock): { state: ToolResultState; text: string } {
  if (call.state === 'asking' && wasUnknown(call.metadata)) return { state: 'interrupted', text: unknownText(call.name) };
  if (step.error) return { state: 'error', text: '[ERROR] Not run: the reply ended with an error.' };
  if (step.reason === 'INTERRUPTED') {
    return { state: 'interrupted', text: call.state === 'asking' ? 'Not run: the question was closed without an answer.' : 'Interrupted before it finished.' };
  }
  return { state: 'error', text: '[ERROR] Not run: the reply reached its limit.' };
}

function reasonOf({ reason }: { readonly reason: GenerateReason }): { generateReason?: GenerateReason } {
  return reason === 'MODEL_STOP' ? {} : { generateReason: reason };
}
