import { AgentScopeError } from '../error/index.ts';
import { createEvent } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import type { Msg } from '../message/index.ts';
import type { Journal } from '../session/index.ts';
import { acceptAnswers } from './accept-answers.ts';
import type { Answer } from './agent.ts';
import type { ActiveReply } from './active-reply.ts';
import type { Outlet } from './event-stream.ts';
import { finish, refreshResult } from './finish.ts';
import { handDown } from './hand-down.ts';
import { flushPointOf, startsWork } from './flush-point.ts';
import { judge } from './judge.ts';
import { STOP_PATIENCE_MS, storeHangs } from './let-go.ts';
import { NO_MAIL, takeIn, takeStops } from './mail.ts';
import type { Mail } from './mail.ts';
import type { Mailbox } from './mailbox.ts';
import { toReplyError } from './call-ending.ts';
import { nextStep } from './next-step.ts';
import { remember, rulesIn } from './remember.ts';
import type { StepEvents } from './reply.ts';
import { aroundReply } from './reply-stage.ts';
import { answersByRules } from './settle.ts';
import type { Step } from './next-step.ts';
import { isShutDown } from './shut-down.ts';
import { takeStep } from './steps.ts';
import type { Verdict } from './structured-step.ts';
import { Unjournaled } from './unjournaled.ts';
import { untilAborted, within } from './until-aborted.ts';
import { withoutWaiting } from './waiting.ts';

export interface ReplyLoopOptions {
  readonly journal: Journal;
  readonly reply: ActiveReply;
  readonly outlet: Outlet | undefined;
  readonly mailbox: Mailbox;
}

/**
 * The loop of one reply: ask the fold what is next, take that step, again. And the one place where a reply changes: a step yields
 * events, `commit` folds and journals them, waits until they are durable where that is promised, and delivers them; then the step
 * goes on.
 */
export class ReplyLoop {
  readonly #journal: Journal;
  readonly #reply: ActiveReply;
  readonly #outlet: Outlet | undefined;
  readonly #mailbox: Mailbox;
  #suspension: AgentScopeError | undefined;
  /** Why the store is lost; then the step that runs comes to its end, and the reply ends for its readers only. */
  #lost: { readonly error: unknown } | undefined;
  #unjournaled: Unjournaled | undefined;
  #running: Step['kind'] = 'reason';

  constructor({ journal, reply, outlet, mailbox }: ReplyLoopOptions) {
    this.#journal = journal;
    this.#reply = reply;
    this.#outlet = outlet;
    this.#mailbox = mailbox;
  }

  /** Until the reply ends or pauses. What it throws comes from the store, or is a fault of ours; the reply has its end then too. */
  async run(): Promise<void> {
    try {
      await this.#sayStops(); // asked for at the very start
      if (this.#reply.stages?.has('onAgent')) for await (const said of aroundReply(this.#journal, this.#reply, () => this.#steps())) await this.#say(said);
      else while (!(await this.#step()));
      if (this.#reply.unstage([])) await this.#wait(this.#journal.flush());
    } catch (error) {
      if (isShutDown(error)) await this.#leaveOpen();
      else await this.#giveUp(error);
      throw error;
    }
    if (this.#lost) throw this.#lost.error;
  }

  /** No model call and no tool starts any more: the reply ends or pauses as it would, or stays open where one would start; then `run` throws the reason. */
  suspend(reason: AgentScopeError): void {
    this.#suspension = reason;
  }

  /** One step, what it says committed before it goes on. True when the reply ended or paused. */
  async #step(): Promise<boolean> {
    const step = await this.#nextToTake();
    for await (const said of takeStep(this.#reply, step)) await this.#say(said);
    await this.#sayStops();
    return isLast(step);
  }

  /** The same for what is wrapped as a whole: step after step, until the reply ends or pauses. */
  async *#steps(): StepEvents {
    for (;;) {
      const step = await this.#nextToTake();
      yield* takeStep(this.#reply, step);
      if (isLast(step)) return;
      if (this.#reply.isStopping) yield [...this.#reply.takeStops()];
    }
  }

  async #nextToTake(): Promise<Step> {
    const step = this.#lost ? this.#lastStep(this.#lost.error) : this.#withinBudget(await this.#next());
    this.#running = step.kind;
    return step;
  }

  /** What a step says, as it is said: a hint may have been revoked since, and a shutdown lets nothing new begin. */
  async #say(said: readonly AgentEvent[]): Promise<void> {
    const kept = said[0]?.type === 'HINT_BLOCK' ? unlessRevoked(said, this.#reply.steers()) : said;
    const events = this.#reply.stages ? refreshResult(this.#reply, kept) : kept;
    if (this.#suspension !== undefined && startsWork(events)) throw this.#suspension;
    await this.#commit(events);
    this.#reply.budget?.book(events);
    await this.#sayStops();
  }

  #sayStops(): Promise<void> | undefined {
    const stops = this.#reply.takeStops();
    return stops.length > 0 && this.#journal.openReply()?.facts.running ? this.#commit(stops) : undefined;
  }

  /** The last thing before a model call: it is taken out of the budget, or the reply stops. */
  #withinBudget(step: Step): Step {
    if (step.kind !== 'reason' && step.kind !== 'repair' && step.kind !== 'summarise') return step;
    const reached = this.#reply.budget?.reserve();
    return reached === undefined ? step : { kind: 'stop', reason: reached };
  }

  /** A question that a rule answers by now has its answer, and the record says which rule. True when there was one. */
  async #settleByRules(step: Step): Promise<boolean> {
    if (step.kind !== 'pause' || step.reason !== 'PERMISSION_ASKING' || this.#reply.signal.aborted || !this.#reply.takeRulesToTry()) return false;
    const answers = await this.#patiently(answersByRules(this.#reply), () => new Error('late')).catch((error: unknown) => {
      if (this.#reply.signal.aborted) return [];
      throw error;
    });
    await this.#commit(answers);
    return answers.length > 0;
  }

  /**
   * What others said is taken in first. Where other processes may have said something, that is looked up before a model call and before
   * the end, so that nothing said before is overheard.
   */
  async #next(): Promise<Step> {
    if (this.#mailbox.hasNews) await this.#takeMail();
    await this.#noteStop();
    const { config, signal } = this.#reply;
    const judging = this.#judged();
    const verdict = judging && (await judging);
    if (judging && signal.aborted) return this.#next();
    const facts = verdict ? { ...this.#reply.facts(), verdict } : this.#reply.facts();
    const step = withoutWaiting(this.#reply, nextStep(this.#reply.message(), facts, config));
    if (await this.#settleByRules(step)) return this.#next();
    if (!this.#mailbox.isShared || signal.aborted || step.kind === 'act' || step.kind === 'discard') return step;
    return (await this.#takeMail()) ? this.#next() : step;
  }

  /** Whether the answer fits the schema there may be. A check of the user's that hears no abort is not waited for. */
  #judged(): Promise<Verdict | undefined> | undefined {
    const { structured, signal } = this.#reply;
    if (structured === undefined || signal.aborted) return undefined;
    return untilAborted(judge(this.#reply, structured), signal).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
  }

  /** A stop becomes an event like everything else; the next step then is `finish`. A shutdown is none: it leaves the reply open. */
  async #noteStop(): Promise<void> {
    const { signal, replyId } = this.#reply;
    if (!signal.aborted) return;
    if (isShutDown(signal.reason)) throw signal.reason;
    if (!this.#reply.facts().interrupted) await this.#commit([createEvent('USER_INTERRUPT', { replyId })]);
  }

  /** True when something came that the reply has to look at. Inputs stay: they are for the next reply. */
  async #takeMail(): Promise<boolean> {
    const mail = await this.#patiently(this.#mailbox.read(), () => new Error('late')).catch(() => NO_MAIL); // a store that is down fails the next append
    if (mail.ids.length === 0) return false;
    takeIn(this.#journal, mail);
    await this.#takeAnswers(mail);
    const { replyId } = this.#reply;
    if (takeStops(this.#journal, mail, replyId) && !this.#reply.facts().interrupted) await this.#commit([createEvent('USER_INTERRUPT', { replyId })]);
    await this.#wait(this.#journal.flush());
    if (this.#journal.durableSeq === this.#journal.lastSeq) await this.#mailbox.done(mail.ids);
    return true;
  }

  /** One answer after the other, as calls would bring them; one that answers no open question has no effect. */
  async #takeAnswers({ answers }: Mail): Promise<void> {
    for (const answer of answers) {
      let events: readonly AgentEvent[] = [];
      try {
        events = acceptAnswers(this.#journal.openReply(), [answer]);
        await this.#keepRules(events);
      } catch (error) {
        if (!AgentScopeError.is(error)) throw error;
        await this.#handDown(answer);
      }
      await this.#commit(events);
    }
  }

  /** An answer for an agent that a call asked: the call may be made again. */
  async #handDown(answer: Answer): Promise<void> {
    const { config, key, waiting } = this.#reply;
    const { calls } = await handDown(config, key, { open: this.#journal.openReply(), answers: [answer] });
    for (const call of calls) waiting.delete(call);
  }

  async #keepRules(events: readonly AgentEvent[]): Promise<void> {
    const rules = rulesIn(events);
    if (rules.length === 0) return;
    await remember(this.#reply.config, this.#journal, rules);
    this.#reply.rulesCame();
  }

  #commit(events: readonly AgentEvent[]): Promise<void> | undefined {
    if (events.length === 0) return undefined;
    if (this.#unjournaled) return this.#show(events, this.#unjournaled);
    this.#reply.unstage(events);
    this.#journal.commit(events);
    this.#reply.stages?.watch(events);
    this.#reply.unstage([]); // what a look at them set becomes durable with them
    this.#outlet?.deliver(events);
    if (this.#lost) return undefined;
    const point = flushPointOf(events);
    if (point !== 'delta' || this.#reply.config.durability === 'delta') return this.#wait(this.#journal.flush(point));
    const ready = this.#reply.signal.aborted ? undefined : this.#outlet?.ready();
    return ready && this.#wait(ready);
  }

  /** Waits for the store or the reader. An abort ends the wait; what is written after one is waited for, but not for ever. */
  async #wait(work: Promise<void>): Promise<void> {
    const { signal } = this.#reply;
    const wasAborted = signal.aborted;
    try {
      await this.#patiently(work, () => this.#storeHangs());
    } catch (error) {
      if (!wasAborted && signal.aborted && error === signal.reason) return;
      if (!isLostStore(error)) throw error;
      this.#lose(error);
    }
  }

  /**
   * The store is lost: no further model call and no tool starts, what runs is aborted. What tools still tell is kept for when the store
   * is back; a model call is not, so that whoever goes on asks again instead of taking half an answer for a whole one.
   */
  #lose(error: unknown): void {
    if (this.#lost) return;
    this.#lost = { error };
    if (this.#running !== 'act') this.#leaveJournal();
    this.#reply.abort(error);
  }

  #leaveJournal(): void {
    const { replyId, config } = this.#reply;
    this.#unjournaled = new Unjournaled(this.#journal, { replyId, clock: config.clock });
    this.#reply.detach(this.#unjournaled);
  }

  #show(events: readonly AgentEvent[], unjournaled: Unjournaled): undefined {
    unjournaled.commit(events);
    this.#outlet?.deliver(events);
  }

  #lastStep(error: unknown): Step {
    if (!this.#unjournaled) this.#leaveJournal();
    return { kind: 'finish', reason: 'MODEL_STOP', error: toReplyError(error) };
  }

  #patiently<T>(work: Promise<T>, late: () => Error): Promise<T> {
    const { signal } = this.#reply;
    return signal.aborted ? within(work, { ms: STOP_PATIENCE_MS, late }) : untilAborted(work, signal);
  }

  #storeHangs(): AgentScopeError {
    this.#journal.abandon();
    return storeHangs(this.#reply.config.session.store);
  }

  /** Everything so far becomes durable; AGENT_END is missing, so whoever goes on with the session goes on with this reply. */
  async #leaveOpen(): Promise<void> {
    await within(this.#journal.flush(), { ms: STOP_PATIENCE_MS, late: () => this.#storeHangs() });
  }

  /** A fault of ours in the middle of a step: the reply gets its end all the same. */
  async #giveUp(error: unknown): Promise<void> {
    this.#reply.abort(error);
    if (this.#lost || !this.#journal.openReply()) return;
    for await (const events of finish(this.#reply, { kind: 'finish', reason: 'MODEL_STOP', error: toReplyError(error) })) await this.#commit(events);
  }
}

function isLast({ kind }: Step): boolean {
  return kind === 'finish' || kind === 'pause';
}

function isLostStore(error: unknown): boolean {
  return AgentScopeError.is(error) && error.code.startsWith('session/');
}

/** A steering message may be taken back between being read and being committed. */
function unlessRevoked(events: readonly AgentEvent[], waiting: readonly Msg[]): readonly AgentEvent[] {
  return events.filter((event) => event.type !== 'HINT_BLOCK' || event.hintSource !== 'user' || waiting.some(({ id }) => id === event.blockId));
}
