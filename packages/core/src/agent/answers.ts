import { createEvent } from '../event/index.ts';
import type { ConfirmResult, ExternalExecutionResultEvent, UserConfirmResultEvent } from '../event/index.ts';
import type { PermissionRule, ToolUseBlock } from '../message/index.ts';
import { toOutput } from '../tool/index.ts';
import { suggestedRules } from './remember.ts';
import type { ConfirmDecision, ConfirmQuestion, ExternalQuestion } from './questions.ts';

/** The answer that lets a call run, as input for `call` and `streamEvents`, a queue or a POST body. */
export function approve(question: ConfirmQuestion, { input, remember, rules }: Omit<ConfirmDecision, 'approve' | 'reason'> = {}): UserConfirmResultEvent {
  const toolCall = input === undefined ? question.toolCall : { ...question.toolCall, input, content: JSON.stringify(input) };
  return confirmResult(question, { confirmed: true, toolCall, rules: rules ?? rememberedRules(question, { scope: remember, input }) });
}

/** The answer that refuses a call; the model is told, with the reason. */
export function deny(question: ConfirmQuestion, reason?: string): UserConfirmResultEvent {
  const toolCall = reason === undefined ? question.toolCall : withReason(question.toolCall, reason);
  return confirmResult(question, { confirmed: false, toolCall, rules: null });
}

/** The result of a call that ran elsewhere: text, any JSON value, or `toolResult(…)`. */
export function provide(question: ExternalQuestion, result: unknown): ExternalExecutionResultEvent {
  const { content, state, metadata } = toOutput(result);
  const { id, name } = question.toolCall;
  return createEvent('EXTERNAL_EXECUTION_RESULT', {
    replyId: question.replyId,
    toolResults: [{ type: 'tool_result', id, name, output: content, state, metadata }],
  });
}

/** Rules beside a no: `session.confirm(id, { approve: false, rules })`. They count only from a caller who is trusted. */
export function withRules(answer: UserConfirmResultEvent, rules: readonly PermissionRule[] | undefined): UserConfirmResultEvent {
  return rules === undefined ? answer : { ...answer, confirmResults: answer.confirmResults.map((result) => ({ ...result, rules })) };
}

/** What a person said when refusing, where it came along. */
export function refusalReason(result: ConfirmResult): string | undefined {
  const reason = result.toolCall.metadata[REASON];
  return typeof reason === 'string' && reason !== '' ? reason : undefined;
}

const REASON = 'refusalReason';

function withReason(call: ToolUseBlock, reason: string): ToolUseBlock {
  return { ...call, metadata: { ...call.metadata, [REASON]: reason } };
}

function confirmResult(question: ConfirmQuestion, result: ConfirmResult): UserConfirmResultEvent {
  return createEvent('USER_CONFIRM_RESULT', { replyId: question.replyId, confirmResults: [result] });
}

function rememberedRules({ toolCall }: ConfirmQuestion, { scope, input }: { readonly scope: ConfirmDecision['remember']; readonly input: ConfirmDecision['input'] }): readonly PermissionRule[] | null {
  return scope === undefined ? null : suggestedRules(toolCall, input).map((rule) => ({ ...rule, scope }));
}
