import { AgentScopeError } from '../error/index.ts';
import { createEvent } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import { newId } from '../internal/index.ts';
import type { Msg } from '../message/index.ts';
import type { Journal } from '../session/index.ts';
import { acceptAnswers } from './accept-answers.ts';
import type { AgentConfig } from './config.ts';
import type { RunInput } from './first-mail.ts';
import { openCalls } from './next-step.ts';
import { questionsOf } from './questions.ts';
import type { OpenReply, PendingQuestion } from './questions.ts';

/** What a call comes down to, once it is its turn. */
export type Beginning =
  /** Every message is in the journal already: the call belongs to the reply they began. */
  | { readonly kind: 'attach'; readonly replyId: string }
  /** `close`: the open reply, which ends first. */
  | { readonly kind: 'run'; readonly replyId: string; readonly messages: readonly Msg[]; readonly events: readonly AgentEvent[]; readonly close: OpenReply | undefined; readonly steers?: readonly Msg[] };

/**
 * Decides what a call begins, and changes nothing yet: an answer or no input continues the open reply, a new message begins a new
 * one. What is refused is refused here, before anything is stored.
 */
export function begin(journal: Journal, config: AgentConfig, input: Exclude<RunInput, { kind: 'mail' }>): Beginning {
  const open = journal.openReply();
  if (input.kind === 'answers') return { ...goOn(journal, config, acceptAnswers(open, input.answers, { trusted: input.trusted })), steers: input.words ?? [] };
  if (input.kind === 'resume') return open?.message.id === input.replyId ? goOn(journal, config, []) : { kind: 'attach', replyId: input.replyId };
  if (input.kind === 'none') return open ? goOn(journal, config, []) : speak(journal, config);
  const known = attachedTo(journal, input.messages);
  if (known === undefined) return start(journal, config, input.messages);
  return known === open?.message.id ? goOn(journal, config, []) : { kind: 'attach', replyId: known };
}

function goOn(journal: Journal, config: AgentConfig, answers: readonly AgentEvent[]): Extract<Beginning, { kind: 'run' }> {
  const open = journal.openReply();
  if (!open) throw new Error('No reply to go on with.');
  checkName(config, open);
  const replyId = open.message.id;
  return { kind: 'run', replyId, messages: [], events: [startEvent(journal, config, { replyId, inputIds: open.facts.inputIds }), ...answers], close: undefined };
}

/** Without input an agent speaks from what it heard; with nothing heard there is nothing to say. */
function speak(journal: Journal, config: AgentConfig): Beginning {
  if (journal.context().length > 0) return start(journal, config, []);
  const rule = 'a call without input goes on with what the session holds, and it holds nothing';
  throw new AgentScopeError('message/invalid', `Invalid input: ${rule}. Say something first.`, { details: { path: '', rule } });
}

function start(journal: Journal, config: AgentConfig, messages: readonly Msg[]): Beginning {
  const open = journal.openReply();
  if (open) checkMayClose(config, open);
  const replyId = newId();
  const answered = [...journal.unanswered(), ...messages].map(({ id }) => id);
  return { kind: 'run', replyId, messages, events: [startEvent(journal, config, { replyId, inputIds: [...new Set(answered)] })], close: open };
}

/** The reply that messages already began; undefined when one of them is new, or none has begun a reply. */
function attachedTo(journal: Journal, messages: readonly Msg[]): string | undefined {
  const replies = messages.map(({ id }) => journal.replyFor(id)?.replyId);
  return replies.every((reply) => reply !== undefined) ? replies.at(-1) : undefined;
}

/** AGENT_START, also when a reply goes on. */
export function startEvent(journal: Journal, config: AgentConfig, { replyId, inputIds }: { replyId: string; inputIds: readonly string[] }): AgentEvent {
  return createEvent('AGENT_START', { replyId, sessionId: journal.key.sessionId, name: config.name, role: 'assistant', metadata: { inputIds } });
}

/** Questions may be closed by a new message, outside work is waited for; the option says otherwise. */
function checkMayClose(config: AgentConfig, open: OpenReply): void {
  checkName(config, open);
  const { onOpenReply } = config;
  if (onOpenReply === 'reject') {
    throw new AgentScopeError('agent/reply-open', 'A reply is open. Answer its questions or call without input to go on with it; onOpenReply "auto" or "close" ends it instead.', {
      details: { replyId: open.message.id },
    });
  }
  const outside = outsideWork(open);
  if (onOpenReply === 'close' || outside.length === 0) return;
  throw new AgentScopeError('agent/waiting', `The open reply waits for outside work (${outside.map(({ toolCall }) => toolCall.name).join(', ')}). Provide its result, or use onOpenReply "close".`, {
    details: { questions: outside.map(({ id }) => id) },
  });
}

/** Calls that wait for somebody outside; where none does, those of the agents that do. */
function outsideWork(open: OpenReply): readonly Pick<PendingQuestion, 'id' | 'toolCall'>[] {
  const own = questionsOf(open).filter((question) => question.kind === 'external');
  if (own.length > 0 || open.message.generateReason !== 'TOOL_SUSPENDED') return own;
  return openCalls(open.message.content).map((toolCall) => ({ id: toolCall.id, toolCall }));
}

function checkName(config: AgentConfig, { facts }: OpenReply): void {
  if (facts.agentName === '' || facts.agentName === config.name) return;
  throw new AgentScopeError('session/other-agent', `The open reply of this session is the agent "${facts.agentName}"'s; "${config.name}" cannot go on with it or close it.`, {
    details: { agent: facts.agentName },
  });
}
