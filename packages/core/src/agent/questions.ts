import type { Facts } from '../event/index.ts';
import type { Msg, PermissionRule, RuleScope, ToolUseBlock } from '../message/index.ts';
import { openCalls } from './next-step.ts';

interface QuestionBase {
  /** The tool call id. */
  readonly id: string;
  readonly replyId: string;
  readonly toolCall: ToolUseBlock;
  /** Path of the child that asks; absent for the agent itself. */
  readonly source?: string;
  /** ISO 8601 with `Z`. */
  readonly askedAt: string;
}
export interface ConfirmQuestion extends QuestionBase {
  readonly kind: 'confirm';
  /** The tool's own words. */
  readonly message?: string;
  /** Empty: nothing better than a rule for the whole tool. */
  readonly suggestedRules: readonly PermissionRule[];
}
export interface ExternalQuestion extends QuestionBase {
  readonly kind: 'external';
}
/** What a person, or a program elsewhere, is asked. Plain JSON: send it to a page, a queue, a chat bot. */
export type PendingQuestion = ConfirmQuestion | ExternalQuestion;

export interface ConfirmDecision<I = ToolUseBlock['input']> {
  readonly approve: boolean;
  /** Run with these arguments instead; the proposed ones stay in the record. */
  readonly input?: I;
  /** Told to the model when refused. */
  readonly reason?: string;
  /** Keep the question's suggested rules for this long; without any, a rule for the whole tool; with other arguments, one for exactly these. */
  readonly remember?: RuleScope;
  /** Rules of your own instead. In an answer that comes as an event they count only with `trustAnswers`. */
  readonly rules?: readonly PermissionRule[];
}

/** A reply that has not ended for good. */
export interface OpenReply {
  readonly message: Msg;
  readonly facts: Facts;
}

/** The open questions of a reply, in call order. */
export function questionsOf(open: OpenReply | undefined): readonly PendingQuestion[] {
  if (!open) return [];
  const { message, facts } = open;
  const asked = { replyId: message.id, askedAt: facts.askedAt ?? '' };
  return openCalls(message.content).flatMap((toolCall): readonly PendingQuestion[] => {
    if (toolCall.state === 'submitted') return [{ kind: 'external', id: toolCall.id, toolCall, ...asked }];
    if (toolCall.state !== 'asking') return [];
    const said = toolCall.metadata['question'];
    const message_ = typeof said === 'string' ? { message: said } : {};
    return [{ kind: 'confirm', id: toolCall.id, toolCall, ...asked, ...message_, suggestedRules: toolCall.suggestedRules ?? [] }];
  });
}
