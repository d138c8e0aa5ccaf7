import { AgentScopeError } from '../error/index.ts';
import { createEvent } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import type { Journal } from '../session/index.ts';
import type { ActiveReply } from './active-reply.ts';
import type { Outlet } from './event-stream.ts';
import { finish } from './finish.ts';
import { flushPointOf } from './flush-point.ts';
import { toReplyError } from './model-call.ts';
import { nextStep } from './next-step.ts';
import { takeStep } from './steps.ts';

export interface ReplyLoopOptions {
  readonly journal: Journal;
  readonly reply: ActiveReply;
  readonly outlet: Outlet | undefined;
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

  constructor({ journal, reply, outlet }: ReplyLoopOptions) {
    this.#journal = journal;
    this.#reply = reply;
    this.#outlet = outlet;
  }

  /** Until the reply ends or pauses. What it throws comes from the store, or is a fault of ours; the reply has its end then too. */
  async run(): Promise<void> {
    try {
      do await this.#noteStop();
      while (!(await this.#step()));
    } catch (error) {
      await this.#giveUp(error);
      throw error;
    }
  }

  /** True when the reply ended or paused. */
  async #step(): Promise<boolean> {
    const { config } = this.#reply;
    const step = nextStep(this.#reply.message(), this.#reply.facts(), config);
    for await (const events of takeStep(this.#reply, step)) await this.#commit(events);
    return step.kind === 'finish' || step.kind === 'pause';
  }

  /** A stop becomes an event like everything else; the next step then is `finish`. */
  async #noteStop(): Promise<void> {
    const { signal, replyId } = this.#reply;
    if (signal.aborted && !this.#reply.facts().interrupted) await this.#commit([createEvent('USER_INTERRUPT', { replyId })]);
  }

  #commit(events: readonly AgentEvent[]): Promise<void> | undefined {
    if (events.length === 0) return undefined;
    this.#reply.unstage();
    this.#journal.commit(events);
    this.#outlet?.deliver(events);
    const point = flushPointOf(events);
    if (point !== 'delta') return this.#journal.flush(point);
    return this.#reply.config.durability === 'delta' ? this.#journal.flush(point) : this.#outlet?.ready();
  }

  /** Ends the reply for its readers without the store: tools are stopped, and AGENT_END says that it is not durable. */
  async #giveUp(error: unknown): Promise<void> {
    this.#reply.abort(error);
    if (!this.#journal.openReply()) return;
    const lost = AgentScopeError.is(error) && error.code.startsWith('session/');
    for await (const events of finish(this.#reply, { kind: 'finish', reason: 'MODEL_STOP', error: toReplyError(error) })) {
      const last = events.at(-1);
      if (lost && last?.type === 'AGENT_END') Object.assign(last, { metadata: { durable: false } });
      this.#journal.commit(events);
      this.#outlet?.deliver(events);
    }
    if (!lost) await this.#journal.flush('end');
  }
}
