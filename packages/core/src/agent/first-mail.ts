import { AgentScopeError } from '../error/index.ts';
import type { Msg } from '../message/index.ts';
import type { Journal } from '../session/index.ts';
import { acceptAnswers } from './accept-answers.ts';
import type { Answer } from './agent.ts';
import type { Input } from './input.ts';
import type { Mail } from './mail.ts';

/** What a run that has its turn begins with: its own input, and what waited in the inbox. */
export type RunInput =
  | Input
  /** Goes on with this reply if it is still open; for recovery. */
  | { readonly kind: 'resume'; readonly replyId: string }
  /** Only what came while the run before was at work. */
  | { readonly kind: 'mail' };

export interface FirstMail {
  /** What the run begins; undefined: there is nothing to do. */
  readonly input: Exclude<RunInput, { kind: 'mail' }> | undefined;
  /** Answers to the open reply, which goes on with them before a new message may close it. */
  readonly before: readonly Answer[];
  /** Items that have had their effect once the run's input is durable. */
  readonly ids: readonly string[];
}

/**
 * Joins a run's input with what the inbox held. Answers go on with the open reply: with the call's own answers, as the call when it has
 * no input or a message that began that reply, and ahead of any other. Messages are answered by the first new reply, before the call's own.
 */
export function withMail(journal: Journal, own: RunInput, mail: Mail): FirstMail {
  if (mail.ids.length + mail.inputs.length === 0 && own.kind !== 'mail') return { input: own, before: [], ids: [] };
  const answers = openAnswers(journal, mail.answers, own);
  const fresh = mail.inputs.filter(({ msg }) => !journal.knows(msg.id));
  const old = mail.inputs.filter(({ msg }) => journal.knows(msg.id)).map(({ itemId }) => itemId);
  const done = [...mail.ids, ...old];
  const taken = [...done, ...fresh.map(({ itemId }) => itemId)];
  const messages = fresh.map(({ msg }) => msg);
  if (own.kind === 'messages') return ahead(journal, { own: own.messages, messages, answers, done, taken });
  if (own.kind === 'answers') return { input: { ...own, answers: [...answers, ...own.answers] }, before: [], ids: done };
  if (answers.length > 0) return { input: { kind: 'answers', answers }, before: [], ids: done };
  const open = journal.openReply();
  if (messages.length > 0 && own.kind !== 'resume' && (own.kind === 'mail' || !open)) return { input: { kind: 'messages', messages }, before: [], ids: taken };
  if (own.kind !== 'mail') return { input: own, before: [], ids: done };
  return { input: !open && journal.steers().length > 0 ? { kind: 'none' } : undefined, before: [], ids: done };
}

interface Ahead {
  readonly own: readonly Msg[];
  readonly messages: readonly Msg[];
  readonly answers: readonly Answer[];
  readonly done: readonly string[];
  readonly taken: readonly string[];
}

function ahead(journal: Journal, { own, messages, answers, done, taken }: Ahead): FirstMail {
  const replies = own.map(({ id }) => journal.replyFor(id)?.replyId);
  // Messages that have their reply already begin none: sent again, they go on with the answers to it.
  if (replies.every((replyId) => replyId !== undefined)) {
    const isAnswered = answers.length > 0 && replies.at(-1) === journal.openReply()?.message.id;
    return isAnswered ? { input: { kind: 'answers', answers }, before: [], ids: done } : { input: { kind: 'messages', messages: own }, before: answers, ids: done };
  }
  const others = messages.filter(({ id }) => !own.some((msg) => msg.id === id));
  return { input: { kind: 'messages', messages: [...others, ...own] }, before: answers, ids: taken };
}

/** The answers that still answer something, each question once; those of the call itself win. */
function openAnswers(journal: Journal, answers: readonly Answer[], own: RunInput): readonly Answer[] {
  const open = journal.openReply();
  const answered = new Set(own.kind === 'answers' ? own.answers.flatMap(idsOf) : []);
  return answers.filter((answer) => {
    const ids = idsOf(answer);
    if (ids.some((id) => answered.has(id)) || !isAccepted(() => acceptAnswers(open, [answer]))) return false;
    for (const id of ids) answered.add(id);
    return true;
  });
}

function idsOf(answer: Answer): readonly string[] {
  return answer.type === 'USER_CONFIRM_RESULT' ? answer.confirmResults.map(({ toolCall }) => toolCall.id) : answer.toolResults.map(({ id }) => id);
}

function isAccepted(accept: () => unknown): boolean {
  try {
    accept();
    return true;
  } catch (error) {
    if (AgentScopeError.is(error)) return false;
    throw error;
  }
}
