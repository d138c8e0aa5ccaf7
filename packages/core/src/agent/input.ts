import { AgentScopeError } from '../error/index.ts';
import { isObject } from '../internal/index.ts';
import { Msg, UserMessage } from '../message/index.ts';
import type { Content, MsgData, UserBlock } from '../message/index.ts';
import type { AgentInput, Answer } from './agent.ts';
import { answersOf, isSpokenAnswer, wordsOf } from './spoken-answers.ts';

/** What a call was given, told apart. */
export type Input = { readonly kind: 'none' } | { readonly kind: 'messages'; readonly messages: readonly Msg[] } | AnswersInput;

/** Answers, and what was said along with them. */
interface AnswersInput {
  readonly kind: 'answers';
  readonly answers: readonly Answer[];
  readonly words?: readonly Msg[] | undefined;
  /** Those whose rules count as they are. Set by who calls, never by what is sent. */
  readonly trusted?: readonly Answer[] | undefined;
}

const ANSWERS = new Set(['USER_CONFIRM_RESULT', 'EXTERNAL_EXECUTION_RESULT']);

/** @throws AgentScopeError `message/invalid` for an empty text or list, and for what is no input at all. Nothing was stored then. */
export function toInput(input: AgentInput): Input {
  if (input === undefined) return { kind: 'none' };
  const list: readonly unknown[] = Array.isArray(input) ? input : [input];
  if (list.length === 0) throw invalid('', 'an empty list says nothing; call without input to go on');
  if (list.every(isAnswer)) return { kind: 'answers', answers: list };
  if (list.every(isMessage)) return messagesInput(list.map(toMessage));
  if (list.some((item) => isAnswer(item) || isMessage(item))) throw invalid('', 'messages, answers and content cannot be mixed in one input');
  return { kind: 'messages', messages: [userMessage(input as Content<UserBlock>)] };
}

/** Messages for `observe`. @throws AgentScopeError `message/invalid` for what is no message. */
export function toMessages(given: MsgData | readonly MsgData[]): readonly Msg[] {
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (list.length > 0 && list.every(isMessage)) return list.map(toMessage);
  throw invalid('', 'observe takes messages: an instance of Msg, or an object with `role` and `content`');
}

/** Java sends its answers as messages. */
function messagesInput(messages: readonly Msg[]): Input {
  if (messages.some(isSpokenAnswer)) {
    if (messages.every(isSpokenAnswer)) return { kind: 'answers', answers: messages.flatMap(answersOf), words: messages.flatMap(wordsOf) };
    throw invalid('', 'messages that answer and messages that do not cannot be mixed in one input');
  }
  return { kind: 'messages', messages };
}

/** Plain objects become instances. */
function toMessage(data: unknown): Msg {
  return data instanceof Msg ? data : new Msg(data as ConstructorParameters<typeof Msg>[0]);
}

function userMessage(content: Content<UserBlock>): Msg {
  const empty = (item: unknown): boolean => typeof item === 'string' && item.trim() === '';
  if (Array.isArray(content) ? content.every(empty) : empty(content)) throw invalid('content', 'an empty text says nothing; call without input to go on');
  return new UserMessage('user', content);
}

function isAnswer(item: unknown): item is Answer {
  return isObject(item) && typeof item['type'] === 'string' && ANSWERS.has(item['type']);
}

function isMessage(item: unknown): boolean {
  return item instanceof Msg || (isObject(item) && 'role' in item && 'content' in item);
}

function invalid(path: string, rule: string): AgentScopeError {
  return new AgentScopeError('message/invalid', `Invalid input: ${rule}.`, { details: { path, rule } });
}
