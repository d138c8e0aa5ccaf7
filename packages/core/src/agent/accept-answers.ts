import { AgentScopeError } from '../error/index.ts';
import { createEvent } from '../event/index.ts';
import type { AgentEvent, ConfirmResult } from '../event/index.ts';
import { isObject } from '../internal/index.ts';
import { CONFIRM_KEY, EXTERNAL_KEY } from '../message/index.ts';
import type { ContentBlock, Msg, ToolResultBlock, ToolUseBlock } from '../message/index.ts';
import type { Answer } from './agent.ts';
import { refusalReason } from './answers.ts';
import { openCalls } from './next-step.ts';
import type { OpenReply } from './questions.ts';
import { acceptedRules } from './remember.ts';
import { textResult } from './results.ts';
import { unknownText, wasUnknown } from './unknown-outcome.ts';

export interface AcceptOptions {
  /** Answers whose rules count as they are. Of all others only rules that the question suggested. */
  readonly trusted?: readonly Answer[] | undefined;
}

/**
 * The events that answers become, under the reply's id: only questions that are open, each once. A refusal brings its result along.
 *
 * @throws AgentScopeError `agent/no-such-question`; then nothing of the answers counts
 */
export function acceptAnswers(open: OpenReply | undefined, answers: readonly Answer[], { trusted = [] }: AcceptOptions = {}): AgentEvent[] {
  answers.forEach(checkShape);
  const confirms = answers.flatMap((answer) => (answer.type === 'USER_CONFIRM_RESULT' ? answer.confirmResults.map((result) => ({ answer, result })) : []));
  const results = answers.flatMap((answer) => (answer.type === 'EXTERNAL_EXECUTION_RESULT' ? answer.toolResults.map((result) => ({ answer, result })) : []));
  if (confirms.length + results.length === 0) throw malformed('', 'an answer names at least one call');
  const seen = new Set<string>();
  for (const { answer, result } of confirms) checkQuestion({ open, seen, replyId: answer.replyId, ...shownAs(result), state: 'asking' });
  for (const { answer, result } of results) checkQuestion({ open, seen, replyId: answer.replyId, id: result.id, name: result.name, state: 'submitted' });
  return [...confirmEvents(open, confirms.map(({ answer, result }) => withAcceptedRules(open, result, trusted.includes(answer)))), ...resultEvents(open, results.map(({ result }) => result))];
}

/** Answers come from pages and queues: what is no answer is said, before anything else looks at it. */
function checkShape(answer: Answer): void {
  if (answer.type === 'USER_CONFIRM_RESULT') {
    const ok = Array.isArray(answer.confirmResults) && answer.confirmResults.every((result: unknown) => isObject(result) && typeof result['confirmed'] === 'boolean' && isCall(result['toolCall']));
    if (!ok) throw malformed('confirmResults', 'each has `confirmed` (true or false) and the `toolCall` it answers');
  } else if (!Array.isArray(answer.toolResults) || !answer.toolResults.every((result: unknown) => isCall(result) && Array.isArray((result as Record<string, unknown>)['output']))) {
    throw malformed('toolResults', 'each is a tool_result block with `id`, `name` and `output`');
  }
}

function isCall(value: unknown): boolean {
  return isObject(value) && typeof value['id'] === 'string' && typeof value['name'] === 'string';
}

function malformed(path: string, rule: string): AgentScopeError {
  return new AgentScopeError('message/invalid', `The answer is malformed at ${path}: ${rule}.`, { details: { path, rule } });
}

interface Claim {
  readonly open: OpenReply | undefined;
  readonly seen: Set<string>;
  readonly replyId: string;
  readonly id: string;
  readonly name: string;
  readonly state: ToolUseBlock['state'];
}

function shownAs({ toolCall }: ConfirmResult): { id: string; name: string } {
  return { id: toolCall.id, name: toolCall.name };
}

function checkQuestion({ open, seen, replyId, id, name, state }: Claim): void {
  const call = open && openCalls(open.message.content).findLast((block) => block.id === id);
  if (seen.has(id)) throw noSuchQuestion(id, 'already-answered');
  seen.add(id);
  if (!call || call.state !== state) throw noSuchQuestion(id, whyNot(open, id));
  if (replyId !== '' && !idsOf(open.message).includes(replyId)) throw noSuchQuestion(id, 'superseded');
  if (name !== call.name) throw noSuchQuestion(id, 'arguments-differ');
}

/** A message that came from Java was asked about under another id (WIRE F6). */
function idsOf({ id, metadata }: Msg): readonly unknown[] {
  return [id, metadata[CONFIRM_KEY], metadata[EXTERNAL_KEY]];
}

function whyNot(open: OpenReply | undefined, id: string): 'unknown' | 'already-answered' {
  const known = open?.message.content.some((block: ContentBlock) => block.type === 'tool_use' && block.id === id);
  return known ? 'already-answered' : 'unknown';
}

const WHY = {
  unknown: 'nobody asked it',
  'already-answered': 'it has its answer',
  superseded: 'it belongs to another reply',
  'arguments-differ': 'the answer names another tool than the question',
} as const;

function noSuchQuestion(questionId: string, why: keyof typeof WHY): AgentScopeError {
  return new AgentScopeError('agent/no-such-question', `No open question ${JSON.stringify(questionId)}: ${WHY[why]}. Nothing was run; see session.pending().`, {
    details: { questionId, why },
  });
}

/** The record says which rules counted, not which were sent. */
function withAcceptedRules(open: OpenReply | undefined, result: ConfirmResult, trusted: boolean): ConfirmResult {
  const call = open && openCalls(open.message.content).findLast((block) => block.id === result.toolCall.id);
  const rules = call ? acceptedRules(call, result, trusted) : [];
  return { ...result, rules: rules.length > 0 ? rules : null };
}

function confirmEvents(open: OpenReply | undefined, confirmResults: readonly ConfirmResult[]): AgentEvent[] {
  if (!open || confirmResults.length === 0) return [];
  const replyId = open.message.id;
  const refused = confirmResults.filter(({ confirmed }) => !confirmed);
  return [createEvent('USER_CONFIRM_RESULT', { replyId, confirmResults }), ...refused.flatMap((result) => refusal(replyId, result))];
}

function refusal(replyId: string, result: ConfirmResult): AgentEvent[] {
  const reason = refusalReason(result);
  if (wasUnknown(result.toolCall.metadata)) return leftUnknown(replyId, result, reason);
  const text = reason === undefined ? 'Permission denied by user' : `Permission denied by user: ${reason}`;
  return textResult(replyId, result.toolCall, { state: 'denied', text, run: { decision: 'user-deny', by: 'user' } });
}

/** A call that had started before a crash: it is not refused, only not run again. */
function leftUnknown(replyId: string, { toolCall }: ConfirmResult, reason: string | undefined): AgentEvent[] {
  const text = `${unknownText(toolCall.name)} The user decided not to run it again${reason === undefined ? '' : `: ${reason}`}.`;
  return textResult(replyId, toolCall, { state: 'interrupted', text });
}

function resultEvents(open: OpenReply | undefined, toolResults: readonly ToolResultBlock[]): AgentEvent[] {
  return open && toolResults.length > 0 ? [createEvent('EXTERNAL_EXECUTION_RESULT', { replyId: open.message.id, toolResults })] : [];
}
