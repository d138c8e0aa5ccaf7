import { AgentScopeError } from '../error/index.ts';
import type { ErrorCode } from '../error/index.ts';
import type { AgentEvent } from '../event/index.ts';
import { isObject } from '../internal/index.ts';
import type { Msg } from '../message/index.ts';
import { cursorOf, openJournal, queueOf, readEvents } from '../session/index.ts';
import type { FullSessionKey, Journal } from '../session/index.ts';
import { createRuntimeContext } from '../state/index.ts';
import { ActiveReply } from './active-reply.ts';
import type { Accepted, RunOptions } from './agent.ts';
import { begin, startEvent } from './begin.ts';
import type { Beginning, OpenReply } from './begin.ts';
import type { AgentConfig } from './config.ts';
import { deferred } from './deferred.ts';
import type { Outlet, StreamedRun } from './event-stream.ts';
import { finish } from './finish.ts';
import type { Input } from './input.ts';
import { isWithin } from './reentry.ts';
import { ReplyLoop } from './reply-loop.ts';

export interface ReplyRunOptions {
  readonly config: AgentConfig;
  readonly key: FullSessionKey;
  /** Reads the input; what it throws rejects the call, before anything is stored. */
  input(): Input;
  readonly options: RunOptions;
  /** Without: nobody iterates: nothing is kept and nothing waits. */
  readonly outlet?: Outlet | undefined;
}
type Run = Extract<Beginning, { kind: 'run' }>;

/** One call on one session: its turn in the queue, the journal, what it begins, the loop, and how its promise ends. */
export class ReplyRun implements StreamedRun {
  readonly accepted: Promise<Accepted>;
  readonly result: Promise<Msg>;
  readonly #config: AgentConfig;
  readonly #key: FullSessionKey;
  readonly #input: () => Input;
  readonly #options: RunOptions;
  readonly #outlet: Outlet | undefined;
  readonly #accepting = deferred<Accepted>();
  readonly #controller = new AbortController();
  #replyId: string | undefined;
  /** Where a late reader of this run begins. */
  #cursor: string | undefined;

  constructor({ config, key, input, options, outlet }: ReplyRunOptions) {
    this.#config = config;
    this.#key = key;
    this.#input = input;
    this.#options = options;
    this.#outlet = outlet;
    this.accepted = this.#accepting.promise;
    this.result = this.#run();
    this.accepted.catch(() => undefined);
    this.result.catch((error: unknown) => this.#accepting.reject(error));
  }

  /** The reply it runs; undefined while it waits for its turn. */
  get replyId(): string | undefined {
    return this.#replyId;
  }

  /** Ends the reply as `INTERRUPTED`: the model request and every running tool are aborted at once. */
  interrupt(): void {
    this.#controller.abort(new DOMException('The reply was interrupted.', 'AbortError'));
  }

  async leave(): Promise<void> {
    this.interrupt();
    await this.result.catch(() => undefined);
  }

  async *replay(): AsyncGenerator<AgentEvent, void, undefined> {
    const accepted = await this.accepted.catch(() => undefined);
    if (!accepted) return;
    const from = this.#cursor === undefined ? {} : { from: this.#cursor };
    for await (const { event } of readEvents(this.#config.session, this.#key, { ...from, follow: true })) {
      if (event.source === undefined && event.replyId !== accepted.replyId) continue;
      yield event;
      if (event.type === 'AGENT_END' && event.source === undefined) return;
    }
  }

  async #run(): Promise<Msg> {
    const input = this.#input();
    const { signal } = this.#options;
    const queue = queueOf(this.#config.session, this.#key);
    if (isWithin(queue)) throw reentrant(this.#key);
    const onAbort = (): void => this.#controller.abort(signal?.reason);
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const mode = this.#config.concurrency === 'reject' ? 'reject' : 'queue';
      return await queue.run(() => this.#withJournal(input), { mode, signal: this.#controller.signal });
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  async #withJournal(input: Input): Promise<Msg> {
    const { session, durability, clock } = this.#config;
    const journal = await openJournal(session, this.#key, { durability, clock });
    let msg: Msg;
    try {
      msg = await this.#drive(journal, input);
    } catch (error) {
      await journal.release().catch(() => undefined); // the first failure is the one to tell
      throw error;
    }
    await journal.release();
    return msg;
  }

  async #drive(journal: Journal, input: Input): Promise<Msg> {
    this.#controller.signal.throwIfAborted();
    const memory = this.#config.memories?.of(this.#key);
    const beginning = begin(journal, this.#config, input);
    if (beginning.kind === 'attach') return this.#attach(journal, beginning.replyId);
    const model = await this.#config.model();
    await this.#config.toolkit.load();
    const reply = this.#replyOf(journal, model, beginning.replyId);
    await this.#accept(journal, beginning, reply);
    await new ReplyLoop({ journal, reply, outlet: this.#outlet }).run();
    await memory?.finish(journal, reply.replyId);
    return this.#outcome(reply);
  }

  #replyOf(journal: Journal, model: ActiveReply['model'], replyId: string): ActiveReply {
    const { context, generateOptions } = this.#options;
    const controller = this.#controller;
    return new ActiveReply({ config: this.#config, model, journal, replyId, controller, context: createRuntimeContext(context), generateOptions });
  }

  /** Everything a call begins with goes into one append; only when that is durable does the call count as accepted. */
  async #accept(journal: Journal, run: Run, reply: ActiveReply): Promise<void> {
    const { messages, events, close, replyId } = run;
    if (close) await this.#close(journal, reply, close);
    await this.#config.memories?.of(this.#key).take(answeredBy(journal, run));
    this.#cursor = cursorOf(journal.epoch, journal.lastSeq);
    journal.accept(messages);
    journal.commit(events);
    try {
      await journal.flush('input');
    } catch (error) {
      journal.abandon();
      throw error;
    }
    this.#replyId = replyId;
    this.#outlet?.deliver(events);
    this.#accepting.resolve({ replyId, seq: journal.lastSeq });
  }

  /** The reply a new message finds open ends first. Its events are its own: journal and viewers get them, this call's stream does not. */
  async #close(journal: Journal, { model }: ActiveReply, { message, facts }: OpenReply): Promise<void> {
    const old = this.#replyOf(journal, model, message.id);
    journal.commit([startEvent(journal, this.#config, { replyId: message.id, inputIds: facts.inputIds })]);
    for await (const events of finish(old, { kind: 'finish', reason: 'INTERRUPTED' })) journal.commit(events);
  }

  async #attach(journal: Journal, replyId: string): Promise<Msg> {
    const msg = journal.reply(replyId);
    if (!msg) throw new Error(`The reply ${replyId} is not in its journal.`);
    this.#replyId = replyId;
    this.#accepting.resolve({ replyId, seq: journal.lastSeq });
    for await (const { event } of readEvents(this.#config.session, this.#key)) {
      if (event.replyId === replyId && event.source === undefined) this.#outlet?.deliver([event]);
    }
    return msg;
  }

  /** Only failures and the caller's own signal reject; every other ending is in `generateReason` (DX §3). */
  #outcome(reply: ActiveReply): Msg {
    const msg = reply.message();
    const { signal } = this.#options;
    if (signal?.aborted && msg.generateReason === 'INTERRUPTED') throw signal.reason;
    const error = msg.metadata['agentscope_error'];
    if (!isObject(error)) return msg;
    if (reply.failure) throw reply.failure.error;
    throw new AgentScopeError(String(error['type']) as ErrorCode, String(error['message']), { details: { provider: reply.model.provider, retryable: false } as never });
  }
}

/** The messages a reply answers, those it is only about to accept included; before them the reply it closed. */
function answeredBy(journal: Journal, { messages, events, close }: Run): readonly Msg[] {
  const inputIds = new Set(events.flatMap((event) => (event.type === 'AGENT_START' ? (event.metadata?.['inputIds'] as readonly string[]) : [])));
  const known = journal.context().filter(({ id }) => inputIds.has(id));
  const closed = close && journal.reply(close.message.id);
  return [...(closed && closed.content.length > 0 ? [closed] : []), ...known, ...messages.filter(({ id }) => !journal.knows(id))];
}

function reentrant({ sessionId }: FullSessionKey): AgentScopeError {
  return new AgentScopeError('session/reentrant', 'A tool called the session it is running in, which would wait for itself. Use another session id, or `observe`.', {
    details: { sessionId },
  });
}
