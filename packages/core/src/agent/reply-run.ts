import { AgentScopeError } from '../error/index.ts';
import type { AgentEvent } from '../event/index.ts';
import type { Msg } from '../message/index.ts';
import { cursorOf, openJournal, queueOf, readEvents } from '../session/index.ts';
import type { FullSessionKey, Journal } from '../session/index.ts';
import { createRuntimeContext } from '../state/index.ts';
import { ActiveReply } from './active-reply.ts';
import { answerSchema } from './answer-schema.ts';
import type { AnswerSchema } from './answer-schema.ts';
import type { Accepted, RunOptions } from './agent.ts';
import { Budget, BUDGET } from './budget.ts';
import { begin, startEvent } from './begin.ts';
import type { Beginning } from './begin.ts';
import type { OpenReply } from './questions.ts';
import { journalOptions } from './config.ts';
import type { AgentConfig } from './config.ts';
import { deferred } from './deferred.ts';
import type { Outlet, StreamedRun } from './event-stream.ts';
import { finish } from './finish.ts';
import { withMail } from './first-mail.ts';
import type { RunInput } from './first-mail.ts';
import { letGo, STOP_PATIENCE_MS } from './let-go.ts';
import { NO_MAIL, takeIn } from './mail.ts';
import type { Mail, StopRequest } from './mail.ts';
import { handDown } from './hand-down.ts';
import { Mailbox } from './mailbox.ts';
import { isWithin } from './reentry.ts';
import { remember, rulesIn } from './remember.ts';
import { endedWell, outcomeOf, succeeded } from './outcome.ts';
import { ReplyLoop } from './reply-loop.ts';
import { stopped } from './stopped.ts';
import { checkToolNames, structuredOutputOf, withOutput, withSchema } from './structured-run.ts';
import { isShutDown, shutDown } from './shut-down.ts';
import { untilAborted, within } from './until-aborted.ts';

export interface ReplyRunOptions {
  readonly config: AgentConfig;
  readonly key: FullSessionKey;
  /** Reads the input; what it throws rejects the call, before anything is stored. */
  input(): RunInput;
  readonly options: RunOptions;
  /** Without: nobody iterates: nothing is kept and nothing waits. */
  readonly outlet?: Outlet | undefined;
}
type Run = Extract<Beginning, { kind: 'run' }>;
interface Playing {
  readonly outlet: Outlet | undefined;
  /** Items of the inbox that are done when the beginning is durable. */
  readonly ids: readonly string[];
  readonly schema?: AnswerSchema | undefined;
  onAccepted?(): void;
}

/** One call on one session: its turn in the queue, the journal, what it begins, the loop, and how its promise ends. */
export class ReplyRun implements StreamedRun {
  readonly accepted: Promise<Accepted>;
  readonly result: Promise<Msg>;
  readonly #config: AgentConfig;
  readonly #key: FullSessionKey;
  readonly #input: () => RunInput;
  readonly #options: RunOptions;
  readonly #outlet: Outlet | undefined;
  readonly #accepting = deferred<Accepted>();
  readonly #controller = new AbortController();
  readonly #mailbox: Mailbox;
  #replyId: string | undefined;
  /** Where a late reader of this run begins. */
  #cursor: string | undefined;
  #loop: ReplyLoop | undefined;
  #suspended = false;
  #owes = false;
  /** What the call brought, made ready. */
  #schema: AnswerSchema | undefined;

  constructor({ config, key, input, options, outlet }: ReplyRunOptions) {
    this.#config = config;
    this.#key = key;
    this.#input = input;
    this.#options = options;
    this.#outlet = outlet;
    this.#mailbox = new Mailbox({ store: config.session, key, onStop: (stop) => this.#onStop(stop) });
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

  /** True when it has ended and left something to do: words that came too late for it, items for the next reply. */
  get owes(): boolean {
    return this.#owes;
  }

  /** For a shutdown: it ends where the next model call or tool would start; one that has not begun anything ends at once. */
  suspend(): void {
    this.#suspended = true;
    if (this.#loop) this.#loop.suspend(shutDown(this.#config.name, this.#replyId ?? null));
    else this.cut();
  }
  /** For a shutdown that waits no longer: model and tools are aborted, and the reply stays open as it is. */
  cut(): void {
    this.#controller.abort(shutDown(this.#config.name, this.#replyId ?? null));
  }

  async leave(): Promise<void> {
    this.interrupt();
    await this.result.catch(() => undefined);
  }

  async *replay(): AsyncGenerator<AgentEvent, void, undefined> {
    const accepted = await this.accepted.catch(() => undefined);
    if (!accepted) return;
    const from = this.#cursor === undefined ? {} : { from: this.#cursor };
    const over = new AbortController();
    this.result.catch((error: unknown) => isShutDown(error) && over.abort()); // there is no AGENT_END then
    for await (const { event } of readEvents(this.#config.session, this.#key, { ...from, follow: true, signal: over.signal })) {
      if (event.source === undefined && event.replyId !== accepted.replyId) continue;
      yield event;
      if (event.type === 'AGENT_END' && event.source === undefined) return;
    }
  }

  async #run(): Promise<Msg> {
    const input = this.#input();
    const { signal, schema } = this.#options;
    this.#schema = schema === undefined ? undefined : answerSchema(schema);
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

  async #withJournal(input: RunInput): Promise<Msg> {
    this.#mailbox.open();
    try {
      const opening = openJournal(this.#config.session, this.#key, journalOptions(this.#config));
      const journal = await this.#unlessStopped(opening, () => void opening.then((late) => late.release()).catch(() => undefined));
      const ended = await this.#drive(journal, input).then(
        (msg) => ({ msg }),
        (error: unknown) => ({ error }),
      );
      const kept = await letGo(journal, { signal: this.#controller.signal, store: this.#config.session.store }).then(() => undefined, (error: unknown) => ({ error }));
      if (this.#replyId !== undefined && !journal.isAbandoned) this.#owes ||= await this.#hasMail();
      if ('error' in ended) throw ended.error; // the first failure is the one to tell
      if (kept) throw kept.error;
      return ended.msg;
    } finally {
      this.#mailbox.close();
    }
  }

  /** What came too late for this run to see. */
  async #hasMail(): Promise<boolean> {
    if (!this.#mailbox.hasNews && !this.#mailbox.isShared) return false;
    const { ids, inputs } = await within(this.#mailbox.read(), { ms: STOP_PATIENCE_MS, late: () => new Error('late') }).catch(() => NO_MAIL);
    return ids.length + inputs.length > 0;
  }

  async #drive(journal: Journal, input: RunInput): Promise<Msg> {
    this.#controller.signal.throwIfAborted();
    const mail = await this.#unlessStopped(this.#mailbox.read());
    takeIn(journal, mail);
    const { given, rest } = await this.#unlessStopped(this.#handDown(journal, input, mail));
    const first = withMail(journal, given, rest);
    if (first.before.length > 0) await this.#play(journal, stopped(journal, begin(journal, this.#config, { kind: 'answers', answers: first.before }), rest), { outlet: undefined, ids: mail.ids });
    if (!first.input) throw new Error('Nothing waited in the inbox.');
    const beginning = withSchema(stopped(journal, begin(journal, this.#config, first.input), rest), this.#schema);
    if (beginning.kind === 'attach') return this.#attach(journal, beginning.replyId);
    const reply = await this.#play(journal, beginning, { outlet: this.#outlet, ids: first.ids, schema: this.#schema, onAccepted: () => this.#accepting.resolve({ replyId: beginning.replyId, seq: journal.lastSeq }) });
    this.#owes = !journal.openReply() && journal.steers().length > 0 && endedWell(reply);
    return withOutput(outcomeOf(reply, this.#options.signal), this.#schema, reply.structured?.output);
  }

  /** Answers to what agents ask that the open reply asked are theirs; the reply goes on with them. */
  async #handDown(journal: Journal, input: RunInput, mail: Mail): Promise<{ readonly given: RunInput; readonly rest: Mail }> {
    const open = journal.openReply();
    const answers = input.kind === 'answers' ? input.answers : [];
    if (!open || answers.length + mail.answers.length === 0) return { given: input, rest: mail };
    const said = await handDown(this.#config, this.#key, { open, answers });
    const posted = await handDown(this.#config, this.#key, { open, answers: mail.answers });
    const rest = { ...mail, answers: posted.own };
    if (input.kind === 'answers' && said.own.length > 0) return { given: { ...input, answers: said.own }, rest };
    const goesOn = input.kind === 'answers' || (input.kind === 'mail' && posted.calls.length > 0);
    return { given: goesOn ? { kind: 'resume', replyId: open.message.id } : input, rest };
  }

  /** One reply, to its end or its next pause. */
  async #play(journal: Journal, beginning: Beginning, { outlet, ids, schema, onAccepted }: Playing): Promise<ActiveReply> {
    if (beginning.kind === 'attach') throw new Error('Nothing to play.');
    const model = await this.#unlessStopped(Promise.resolve(this.#config.model()));
    await this.#unlessStopped(this.#config.toolkit.load());
    this.#config.warn();
    const reply = this.#replyOf(journal, model, { replyId: beginning.replyId, schema });
    if (reply.structured) checkToolNames(this.#config);
    const loop = new ReplyLoop({ journal, reply, outlet, mailbox: this.#mailbox });
    this.#loop = loop;
    await this.#accept(journal, beginning, { reply, hasMail: ids.length > 0 });
    await this.#mailbox.done(ids);
    reply.stages?.watch(beginning.events);
    outlet?.deliver(beginning.events);
    onAccepted?.();
    if (this.#suspended) loop.suspend(shutDown(this.#config.name, beginning.replyId));
    await loop.run();
    await this.#config.memories?.of(this.#key).finish(journal, reply.replyId);
    return reply;
  }

  /** What has not begun anything is left at once. */
  async #unlessStopped<T>(work: Promise<T>, leave?: () => void): Promise<T> {
    const { signal } = this.#controller;
    try {
      return await untilAborted(work, signal);
    } catch (error) {
      if (signal.aborted) leave?.();
      throw error;
    }
  }

  /** Another process asked for a stop. What is not meant for the reply that runs is read, and dropped, with the rest. */
  #onStop({ replyId }: StopRequest): void {
    if (this.#loop && this.#replyId !== undefined && (replyId === undefined || replyId === this.#replyId)) this.interrupt();
  }

  #replyOf(journal: Journal, model: ActiveReply['model'], { replyId, schema: given }: { readonly replyId: string; readonly schema?: AnswerSchema | undefined }): ActiveReply {
    const { context, generateOptions } = this.#options;
    const controller = this.#controller;
    const config = this.#config;
    const budget = budgetOf(journal, { config, replyId, context });
    const entries = budget ? [...(context ?? []), BUDGET.of(budget)] : context;
    const open = journal.openReply();
    const structured = structuredOutputOf({ config, model, given, facts: open?.message.id === replyId ? open.facts : undefined });
    return new ActiveReply({ config, model, journal, replyId, controller, context: createRuntimeContext(entries), generateOptions, budget, structured });
  }

  /** Everything a call begins with goes into one append; only when that is durable does the call count as accepted. */
  async #accept(journal: Journal, run: Run, { reply, hasMail }: { readonly reply: ActiveReply; readonly hasMail: boolean }): Promise<void> {
    const { messages, events, close, replyId, steers = [] } = run;
    const rules = rulesIn(events);
    if (close) await this.#close(journal, reply, close);
    await this.#config.memories?.of(this.#key).take(answeredBy(journal, run));
    this.#cursor = cursorOf(journal.epoch, journal.lastSeq);
    if (rules.length > 0) await remember(this.#config, journal, rules);
    journal.accept(messages);
    journal.accept(steers, { steer: true });
    journal.commit(events);
    const flushed = hasMail || rules.length > 0 ? journal.flush() : journal.flush('input');
    try {
      await this.#unlessStopped(flushed).catch((error: unknown) => {
        // What the store is writing cannot be called back: if it gets there, the reply has begun, and ends in the loop.
        if (this.#controller.signal.aborted) return within(flushed, { ms: STOP_PATIENCE_MS, late: () => error as Error });
        throw error;
      });
    } catch (error) {
      journal.abandon();
      throw error;
    }
    this.#replyId = replyId;
  }

  /** The reply a new message finds open ends first. Its events are its own: journal and viewers get them, this call's stream does not. */
  async #close(journal: Journal, { model }: ActiveReply, { message, facts }: OpenReply): Promise<void> {
    const old = this.#replyOf(journal, model, { replyId: message.id });
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
    return withOutput(succeeded(msg), this.#schema);
  }
}

/** What the reply may still use: its own limits, and those of the reply that asks it. */
function budgetOf(journal: Journal, { config, replyId, context = [] }: { readonly config: AgentConfig; readonly replyId: string; readonly context: RunOptions['context'] }): Budget | undefined {
  const parent = createRuntimeContext(context).find(BUDGET);
  if (!config.limits && !parent) return undefined;
  const open = journal.openReply();
  const facts = open?.message.id === replyId ? open.facts : undefined;
  const usage = facts && open?.message.usage;
  const used = { calls: facts?.calls ?? 0, tokens: usage ? usage.inputTokens + usage.outputTokens : 0, ms: facts?.activeMs ?? 0 };
  return new Budget({ limits: config.limits ?? {}, used, clock: config.clock, parent });
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
