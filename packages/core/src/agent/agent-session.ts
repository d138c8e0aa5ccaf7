import { AgentScopeError } from '../error/index.ts';
import type { Memory } from '../memory/index.ts';
import type { Msg, MsgData } from '../message/index.ts';
import { readEvents } from '../session/index.ts';
import type { FullSessionKey, JournalEvent } from '../session/index.ts';
import type { AgentState } from '../state/index.ts';
import type { Agent, AgentInput, EventStream, InterruptOptions, InterruptReceipt, RunOptions, SessionStreamOptions } from './agent.ts';
import { approve, deny, provide } from './answers.ts';
import type { AgentCore } from './agent-core.ts';
import { importInto } from './keep-state.ts';
import type { ConfirmDecision, ConfirmQuestion, ExternalQuestion, PendingQuestion } from './questions.ts';
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
  call(input?: AgentInput, options: RunOptions = {}): Promise<Msg> {
    return this.#core.start(this.#key, input, options).result;
  }

  streamEvents(input?: AgentInput, options: SessionStreamOptions = {}): EventStream {
    return this.#core.stream(this.#key, input, options);
  }

  /** The coarse view of AgentScope 1: steps and their pieces, as messages. */
  stream(input?: AgentInput, options: V1SessionStreamOptions = {}): AsyncIterable<V1Event> {
    return v1Stream(this.streamEvents(input, options), options);
  }

  /** Takes messages in without answering; never waits for a running reply and never enters it. */
  observe(messages: MsgData | readonly MsgData[]): Promise<void> {
    return this.#core.observe(this.#key, messages);
  }

  /** Stops the reply that runs now; it ends as `INTERRUPTED`, and what it said stays. */
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
   * Answers one question and goes on. Still `PERMISSION_ASKING` in the result: other questions are open.
   *
   * @throws AgentScopeError `agent/no-such-question`
   */
  async confirm(questionId: string, { approve: yes, reason, ...decision }: ConfirmDecision): Promise<Msg> {
    const question = await this.#question('confirm', questionId);
    return this.call(yes ? approve(question, decision) : deny(question, reason));
  }

  /**
   * Brings the result of a call that ran elsewhere, and goes on.
   *
   * @throws AgentScopeError `agent/no-such-question`
   */
  async provide(questionId: string, result: unknown): Promise<Msg> {
    return this.call(provide(await this.#question('external', questionId), result));
  }

  /** The reply that `call()` without input would go on with: cut off by a crash, or `waiting` for an answer. Nothing: all have ended. */
  async openReply(): Promise<{ readonly replyId: string; readonly waiting: boolean } | undefined> {
    const open = (await this.#core.read(this.#key)).openReply();
    return open && { replyId: open.message.id, waiting: !open.facts.running };
  }

  /** The conversation in context order; a reply is one message. */
  async messages(): Promise<readonly Msg[]> {
    return (await this.#core.read(this.#key)).context();
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
    return { addMessage: (msg) => this.observe(msg), getMessages: () => this.messages() };
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
