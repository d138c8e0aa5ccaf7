import { AgentScopeError } from '../error/index.ts';
import type { Facts } from '../event/index.ts';
import type { JsonValue } from '../internal/index.ts';
import { Msg, UserMessage } from '../message/index.ts';
import type { MsgData } from '../message/index.ts';
import { journalOf, keyText, openJournal, queueOf, readSession } from '../session/index.ts';
import type { FullSessionKey } from '../session/index.ts';
import type { AgentInput, EventStream, InterruptOptions, InterruptReceipt, RunOptions, SessionStreamOptions } from './agent.ts';
import type { AgentConfig } from './config.ts';
import { createEventStream } from './event-stream.ts';
import type { Outlet } from './event-stream.ts';
import { toInput, toMessages } from './input.ts';
import { questionsOf } from './questions.ts';
import type { PendingQuestion } from './questions.ts';
import { ReplyRun } from './reply-run.ts';

/** A conversation as it stands, to read. */
export interface SessionView {
  context(): readonly Msg[];
  openReply(): { readonly message: Msg; readonly facts: Facts } | undefined;
  state(name: string): JsonValue | undefined;
  stateNames(): readonly string[];
}

/** What an agent and its sessions share: the configuration, and which runs are under way in this process. */
export class AgentCore {
  readonly config: AgentConfig;
  readonly #running = new Map<string, { readonly key: FullSessionKey; readonly runs: Set<ReplyRun> }>();

  constructor(config: AgentConfig) {
    this.config = config;
  }

  /** The conversation of calls without a key. */
  get defaultKey(): FullSessionKey {
    return { userId: undefined, sessionId: this.config.defaultSessionId };
  }

  start(key: FullSessionKey, input: AgentInput, options: RunOptions): ReplyRun {
    return this.#begin(key, input, { options });
  }

  stream(key: FullSessionKey, input: AgentInput, { detach = false, ...options }: SessionStreamOptions): EventStream {
    return createEventStream({ start: (outlet) => this.#begin(key, input, { options, outlet }), detach });
  }

  async observe(key: FullSessionKey, messages: MsgData | readonly MsgData[]): Promise<void> {
    const list = toMessages(messages);
    const memory = this.config.memories?.of(key);
    const journal = await openJournal(this.config.session, key, { durability: this.config.durability, clock: this.config.clock });
    try {
      const accepted = journal.accept(list);
      await journal.flush('input');
      // While a reply is open they wait for its end, in the memory too.
      if (!journal.openReply()) await memory?.take(accepted.map((msg) => Msg.from(msg)));
    } finally {
      await journal.release();
    }
  }

  async interrupt(key: FullSessionKey, { message }: InterruptOptions): Promise<InterruptReceipt> {
    const run = this.#runningOf(key);
    run?.interrupt();
    if (message !== undefined) await this.observe(key, typeof message === 'string' ? new UserMessage('user', message) : message);
    await run?.result.catch(() => undefined);
    return { replyId: run?.replyId ?? null };
  }

  /** @throws AgentScopeError `agent/ambiguous-target` while several sessions are busy. */
  busyKey(): FullSessionKey | undefined {
    const keys = [...this.#running.values()].map(({ key }) => key);
    if (keys.length <= 1) return keys[0];
    throw new AgentScopeError('agent/ambiguous-target', `${keys.length} sessions are busy. Say which one: interrupt({ sessionId }).`, {
      details: { sessionIds: keys.map(({ sessionId }) => sessionId) },
    });
  }

  async pending(key: FullSessionKey): Promise<readonly PendingQuestion[]> {
    return questionsOf((await this.read(key)).openReply());
  }

  /** This process's own journal while it is ahead of the store or at work; else what is stored, which another process may have written. */
  async read(key: FullSessionKey): Promise<SessionView> {
    const { session } = this.config;
    const journal = journalOf(session, key);
    const ahead = journal && (queueOf(session, key).busy() || journal.durableSeq < journal.lastSeq);
    return ahead ? journal : readSession(session, key);
  }

  #begin(key: FullSessionKey, input: AgentInput, { options, outlet }: { options: RunOptions; outlet?: Outlet }): ReplyRun {
    if (this.config.concurrency === 'interrupt') this.#runningOf(key)?.interrupt();
    const run = new ReplyRun({ config: this.config, key, input: () => toInput(input), options, outlet });
    this.#track(key, run);
    return run;
  }

  #track(key: FullSessionKey, run: ReplyRun): void {
    const name = keyText(key);
    const entry = this.#running.get(name) ?? { key, runs: new Set() };
    this.#running.set(name, entry);
    entry.runs.add(run);
    const forget = (): void => {
      entry.runs.delete(run);
      if (entry.runs.size === 0) this.#running.delete(name);
    };
    run.result.then(forget, forget);
  }

  /** The run whose turn it is, also while it still prepares: runs are kept in the order they came. Those behind it wait, and stay. */
  #runningOf(key: FullSessionKey): ReplyRun | undefined {
    const [first] = this.#running.get(keyText(key))?.runs ?? [];
    return first;
  }
}
