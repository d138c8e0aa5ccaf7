import { AgentScopeError } from '../error/index.ts';
import type { Schema } from '../internal/index.ts';
import type { Memory } from '../memory/index.ts';
import type { Content, Msg, MsgData, PermissionRule, UserBlock } from '../message/index.ts';
import { withMode } from '../permission/index.ts';
import type { PermissionMode } from '../permission/index.ts';
import { readEvents } from '../session/index.ts';
import type { FullSessionKey, JournalEvent } from '../session/index.ts';
import type { AgentState } from '../state/index.ts';
import type { Agent, AgentInput, EventStream, InterruptOptions, InterruptReceipt, RunOptions, SchemaData, SessionStreamOptions, SteerReceipt } from './agent.ts';
import { approve, deny, provide, withRules } from './answers.ts';
import type { AgentCore } from './agent-core.ts';
import { forkSession } from './fork.ts';
import type { ForkPoint } from './fork.ts';
import { importInto, refillMemory } from './keep-state.ts';
import { addPermissionRule, changePermission, permissionOf, revokePermissionRule } from './session-permission.ts';
import type { SessionPermission } from './session-permission.ts';
import type { ConfirmDecision, ConfirmQuestion, ExternalQuestion, PendingQuestion } from './questions.ts';
import { stateOf } from './saved-state.ts';
import { editContext, viewAt } from './time-travel.ts';
import type { AtOptions, ClearContextOptions, ContextChange } from './time-travel.ts';
import { transcriptOf } from './transcript.ts';
import type { TranscriptFormat } from './transcript.ts';
import { v1Stream } from './v1-stream.ts';
import type { V1SessionStreamOptions } from './v1-stream.ts';
import type { V1Event } from './v1-stream-event.ts';

export interface EventsOptions {
  /** A cursor: only what came after it. Default: from the beginning. */
  readonly from?: string | undefined;
  /** Go on with what comes. Default false: ends with what there is. */
  readonly follow?: boolean | undefined;
  /** Aborted: the iteration ends, without an error. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * One conversation of an agent, and itself an `Agent` bound to its key. Cheap to make; it touches no store until it is asked for
 * something.
 */
export class AgentSession implements Agent {
  readonly #core: AgentCore;
  readonly #key: FullSessionKey;

  /** For `agent.session(key)`. */
  constructor(core: AgentCore, key: FullSessionKey) {
    this.#core = core;
    this.#key = key;
  }

  get id(): string {
    return this.#core.config.id;
  }
  get name(): string {
    return this.#core.config.name;
  }
  get userId(): string | undefined {
    return this.#key.userId;
  }
  get sessionId(): string {
    return this.#key.sessionId;
  }

  /** Runs one reply to its end or its next pause; `generateReason` of the message says which. */
  call<const S extends Schema = Schema>(input?: AgentInput, options: RunOptions<S> = {}): Promise<Msg<SchemaData<S>>> {
    return this.#core.start(this.#key, input, options).result as Promise<Msg<SchemaData<S>>>;
  }

  streamEvents<const S extends Schema = Schema>(input?: AgentInput, options: SessionStreamOptions<S> = {}): EventStream<SchemaData<S>> {
    return this.#core.stream(this.#key, input, options) as EventStream<SchemaData<S>>;
  }

  /** The coarse view of AgentScope 1: steps and their pieces, as messages. */
  stream(input?: AgentInput, options: V1SessionStreamOptions = {}): AsyncIterable<V1Event> {
    return v1Stream(this.streamEvents(input, options), options);
  }

  /** Takes messages in without answering; never waits for a running reply and never enters it. */
  observe(messages: MsgData | readonly MsgData[]): Promise<void> {
    return this.#core.observe(this.#key, messages);
  }

  /**
   * Says something into the reply that runs, in whichever process: journaled now, it is read before the next model call, and a reply that
   * was about to end goes on once more. With no reply running, or when it ended before, the next one answers it. Text only.
   *
   * @throws AgentScopeError `message/invalid`
   */
  steer(content: Content<UserBlock> | MsgData): Promise<SteerReceipt> {
    return this.#core.steer(this.#key, content);
  }

  /**
   * Stops the reply that runs now; it ends as `INTERRUPTED`, and what it said stays. Waits for that end, unless the reply runs in another
   * process: that one is asked, and looks every 250 ms. A reply that a crash cut off ends so as soon as somebody goes on with it.
   */
  interrupt(options: InterruptOptions = {}): Promise<InterruptReceipt> {
    return this.#core.interrupt(this.#key, options);
  }

  /** All questions open now. */
  pending(): Promise<readonly PendingQuestion[]>;
  pending(kind: 'confirm'): Promise<readonly ConfirmQuestion[]>;
  pending(kind: 'external'): Promise<readonly ExternalQuestion[]>;
  async pending(kind?: PendingQuestion['kind']): Promise<readonly PendingQuestion[]> {
    const questions = await this.#core.pending(this.#key);
    return kind === undefined ? questions : questions.filter((question) => question.kind === kind);
  }

  /**
   * Answers one question and goes on. Still `PERMISSION_ASKING` in the result: other questions are open. Where another process is at
   * work on the session, the answer is posted to it, and this waits until the reply has ended or paused.
   *
   * @throws AgentScopeError `agent/no-such-question`
   */
  async confirm(questionId: string, { approve: yes, reason, ...decision }: ConfirmDecision): Promise<Msg> {
    const question = await this.#question('confirm', questionId);
    return this.#core.answer(this.#key, yes ? approve(question, decision) : withRules(deny(question, reason), decision.rules));
  }

  /**
   * Brings the result of a call that ran elsewhere, and goes on.
   *
   * @throws AgentScopeError `agent/no-such-question`
   */
  async provide(questionId: string, result: unknown): Promise<Msg> {
    return this.#core.answer(this.#key, provide(await this.#question('external', questionId), result));
  }

  /**
   * The mode of this conversation from now on, for agents of this name; the calls of a step that was decided already are not judged again.
   *
   * @throws AgentScopeError `config/invalid` for an unknown mode; `session/conflict` while another process runs a reply here
   */
  setPermissionMode(mode: PermissionMode): Promise<void> {
    return changePermission(this.#core.config, this.#key, (value) => withMode(value, mode));
  }

  /** The mode and the rules that hold here: the agent's own, the user's and those of this conversation. Each rule has an id and a `source`. */
  async permission(): Promise<SessionPermission> {
    return permissionOf(this.#core.config, this.#key, await this.#core.read(this.#key));
  }

  /**
   * Adds a rule, with `scope: 'user'` for all conversations of this user, and gives it back with its id.
   *
   * @throws AgentScopeError `config/invalid`; `session/conflict` while another process runs a reply here
   */
  addPermissionRule(rule: PermissionRule): Promise<PermissionRule & { readonly id: string }> {
    return addPermissionRule(this.#core.config, this.#key, rule);
  }

  /**
   * Takes a rule of this conversation or of its user away, by its id. False when there is none; a rule of the agent's options stays.
   *
   * @throws AgentScopeError `session/conflict` while another process runs a reply here
   */
  revokePermissionRule(id: string): Promise<boolean> {
    return revokePermissionRule(this.#core.config, this.#key, id);
  }

  /** The reply that `call()` without input would go on with: cut off by a crash, or `waiting` for an answer. Nothing: all have ended. */
  async openReply(): Promise<{ readonly replyId: string; readonly waiting: boolean } | undefined> {
    const open = (await this.#core.read(this.#key)).openReply();
    return open && { replyId: open.message.id, waiting: !open.facts.running };
  }

  /** The conversation in context order, now or as of a moment; a reply is one message. */
  async messages(options: AtOptions = {}): Promise<readonly Msg[]> {
    return (await viewAt(this.#core.config, this.#key, options)).context();
  }

  /** What the conversation is beside its messages, in AgentScope's own form: rules, groups and tasks are those of this agent. */
  async state(options: AtOptions = {}): Promise<AgentState> {
    const view = await viewAt(this.#core.config, this.#key, options);
    return { ...stateOf(view, { key: this.#key, agentName: this.name }), curIter: view.newestFacts()?.iterations ?? 0 };
  }

  /**
   * A session of its own that goes on from a moment of this one: right after an entry, before or after a message, by default now. This
   * one stays as it is. A reply that was open there is open in the branch: answer its questions, `call()` to go on, or say something
   * new. `{ before: question.id }` is "edit my question and try again".
   *
   * @throws AgentScopeError `session/conflict` when the given id is taken; `config/invalid` for a message that is not in the context
   */
  async fork(at?: ForkPoint, { sessionId }: { sessionId?: string | undefined } = {}): Promise<AgentSession> {
    const key = await forkSession(this.#core.config, this.#key, { at, sessionId });
    await refillMemory(this.#core, key);
    return new AgentSession(this.#core, key);
  }

  /**
   * Begins anew: no message and no summary any more, values and rules stay. An open reply stays with what it answers. The record keeps
   * everything: `events()`, and `messages({ atSeq })`. With a `summary` the model is shown that in place of what was said.
   *
   * @returns false, and nothing is changed, where `last` is given (the id of the last message the summary knows) and more was said since
   * @throws AgentScopeError `config/invalid` for a summary that is no text
   */
  async clearContext({ summary, last }: ClearContextOptions = {}): Promise<boolean> {
    checkSummary(summary);
    this.#core.config.memories?.of(this.#key); // refuses a session the memory is not for
    const isChanged = await editContext(this.#core.config, this.#key, (context) => (last === undefined || context.at(-1)?.id === last ? { edit: { op: 'clear' }, summary: summary?.trim() } : undefined));
    if (isChanged) await refillMemory(this.#core, this.#key);
    return isChanged;
  }

  /**
   * The conversation as a text: `json` one object with the messages in the extended Java form, `jsonl` one message a line, `markdown`
   * to be read.
   */
  async exportTranscript(format: TranscriptFormat, options: AtOptions = {}): Promise<string> {
    return transcriptOf(await this.state(options), format);
  }

  /** The journal's events. Viewers slow nobody: who reads slowly reads from the store. */
  events({ from, follow, signal }: EventsOptions = {}): AsyncIterable<JournalEvent> {
    return readEvents(this.#core.config.session, this.#key, { ...(from === undefined ? {} : { from }), follow: follow ?? false, ...(signal ? { signal } : {}) });
  }

  /**
   * Puts what AgentScope Java, Python or this package kept of a conversation (`parseAgentState`) into this session, which must be
   * empty. Messages keep their ids, and a call that asks a person or waits for outside work goes on doing so: see `pending()`. Only an
   * agent of the name that asked can go on with it. Session id and user stay this session's own.
   *
   * @throws AgentScopeError `session/conflict` where the session holds something already
   */
  importState(state: AgentState): Promise<void> {
    return importInto(this.#core, this.#key, state);
  }

  /** The context of this conversation, by v1's names; where the option `memory` was given, that one. */
  get memory(): Memory {
    const given = this.#core.config.memories?.of(this.#key).memory;
    if (given) return given;
    return {
      addMessage: (msg) => this.observe(msg),
      getMessages: () => this.messages(),
      deleteMessage: async (index) => void (await editContext(this.#core.config, this.#key, (context) => deletionOf(context[index]))),
      clear: async () => void (await this.clearContext()),
    };
  }

  #question(kind: 'confirm', id: string): Promise<ConfirmQuestion>;
  #question(kind: 'external', id: string): Promise<ExternalQuestion>;
  async #question(kind: PendingQuestion['kind'], id: string): Promise<PendingQuestion> {
    const found = (await this.#core.pending(this.#key)).find((question) => question.kind === kind && question.id === id);
    if (found) return found;
    const known = (await this.messages()).some((msg) => msg.content.some((block) => block.type === 'tool_use' && block.id === id));
    const why = known ? 'already-answered' : 'unknown';
    throw new AgentScopeError('agent/no-such-question', `No open question ${JSON.stringify(id)} in this session (${why}); see session.pending().`, { details: { questionId: id, why } });
  }
}

function checkSummary(summary: unknown): void {
  if (summary === undefined || typeof summary === 'string') return;
  throw new AgentScopeError('config/invalid', `summary must be a text, not ${typeof summary}.`, { details: { option: 'summary' } });
}

function deletionOf(msg: MsgData | undefined): ContextChange | undefined {
  return msg && { edit: { op: 'delete', id: msg.id } };
}
