import { AgentScopeError } from '../error/index.ts';
import type { Facts } from '../event/index.ts';
import type { JsonValue } from '../internal/index.ts';
import { Msg, UserMessage } from '../message/index.ts';
import type { Content, MsgData, UserBlock } from '../message/index.ts';
import { keyText, viewSession } from '../session/index.ts';
import type { FullSessionKey, Session } from '../session/index.ts';
import type { AgentInput, Answer, EventStream, InterruptOptions, InterruptReceipt, RunOptions, SessionStreamOptions, SteerReceipt } from './agent.ts';
import { childQuestions } from './children.ts';
import type { AgentConfig } from './config.ts';
import { asOwner, interruptElsewhere, pause, post, steer } from './elsewhere.ts';
import { createEventStream } from './event-stream.ts';
import type { Outlet } from './event-stream.ts';
import { toInput, toMessages } from './input.ts';
import { isMadeUp } from './made-up-store.ts';
import { answerItem, messageItem } from './mail.ts';
import { questionsOf } from './questions.ts';
import type { PendingQuestion } from './questions.ts';
import type { RunInput } from './first-mail.ts';
import { STOP_PATIENCE_MS } from './let-go.ts';
import { ReplyRun } from './reply-run.ts';
import { shutDown } from './shut-down.ts';
import { atMost } from './until-aborted.ts';

/** A conversation as it stands, to read. */
export interface SessionView {
  context(): readonly Msg[];
  openReply(): { readonly message: Msg; readonly facts: Facts } | undefined;
  state(name: string): JsonValue | undefined;
  stateNames(): readonly string[];
}

/** What an agent's cores in several stores share. */
interface Life {
  readonly runs: Map<ReplyRun, AgentCore>;
  closing: Promise<void> | undefined;
}

export interface ShutdownOptions {
  /** How long a model call or a tool that runs may take to end, in milliseconds; 0 or more. Default 10 000. */
  readonly graceMs?: number | undefined;
}
const GRACE_MS = 10_000;

/** What an agent and its sessions share: the configuration, and which runs are under way in this process. */
export class AgentCore {
  readonly config: AgentConfig;
  readonly #running = new Map<string, { readonly key: FullSessionKey; readonly runs: Set<ReplyRun> }>();
  readonly #life: Life;
  readonly #byStore = new WeakMap<Session, AgentCore>();

  constructor(config: AgentConfig, life: Life = { runs: new Map(), closing: undefined }) {
    this.config = config;
    this.#life = life;
  }

  /** The same agent in the store of one that asks it, if it has none that somebody chose. Shut down and interrupted as one. */
  livingIn(store: Session): AgentCore {
    if (store === this.config.session || !isMadeUp(this.config.session)) return this;
    const known = this.#byStore.get(store);
    if (known) return known;
    const core = new AgentCore({ ...this.config, session: store }, this.#life);
    this.#byStore.set(store, core);
    return core;
  }

  /** The conversation of calls without a key. */
  get defaultKey(): FullSessionKey {
    return { userId: undefined, sessionId: this.config.defaultSessionId };
  }

  start(key: FullSessionKey, input: AgentInput, options: RunOptions): ReplyRun {
    return this.#begin(key, () => readInput(input, options), { options });
  }

  stream(key: FullSessionKey, input: AgentInput, { detach = false, ...options }: SessionStreamOptions): EventStream {
    return createEventStream({ start: (outlet) => this.#begin(key, () => readInput(input, options), { options, outlet }), detach });
  }

  /** An answer as a call. Where another process owns the session it is posted there, and this waits for what becomes of it. */
  async answer(key: FullSessionKey, answer: Answer): Promise<Msg> {
    let posted = false;
    let isChilds = false;
    for (;;) {
      const run = this.start(key, answer, { trustAnswers: true });
      const refused = await run.accepted.then(() => undefined, (error: unknown) => ({ error }));
      if (!refused) return run.result;
      const { error } = refused;
      if (AgentScopeError.is(error, 'session/conflict')) {
        isChilds ||= !posted && (await this.pending(key)).some(({ source, replyId }) => source !== undefined && replyId === answer.replyId);
        if (!posted) await post(this.config, key, answerItem(answer, this.config.clock));
        posted = true;
        await pause();
        continue;
      }
      const taken = posted && AgentScopeError.is(error, 'agent/no-such-question') ? (await this.read(key)).context().findLast(({ id, role }) => (isChilds ? role === 'ASSISTANT' : id === answer.replyId)) : undefined;
      if (taken) return taken;
      throw error;
    }
  }

  async observe(key: FullSessionKey, messages: MsgData | readonly MsgData[]): Promise<void> {
    const list = toMessages(messages);
    const { config } = this;
    const memory = config.memories?.of(key);
    await asOwner(config, key, {
      here: async (journal) => {
        const accepted = journal.accept(list);
        await journal.flush('input');
        // While a reply is open they wait for its end, in the memory too.
        if (!journal.openReply()) await memory?.take(accepted.map((msg) => Msg.from(msg)));
      },
      elsewhere: () => post(config, key, ...list.map((msg) => messageItem('observe', msg, config.clock))),
    });
  }

  steer(key: FullSessionKey, content: Content<UserBlock> | MsgData): Promise<SteerReceipt> {
    return steer(this.config, key, content);
  }

  async interrupt(key: FullSessionKey, { message }: InterruptOptions): Promise<InterruptReceipt> {
    const [words] = message === undefined ? [] : toMessages(typeof message === 'string' ? new UserMessage('user', message) : message);
    const run = this.#runningOf(key);
    if (!run) return this.#interruptElsewhere(key, words);
    run.interrupt();
    if (words) await this.observe(key, words);
    await run.result.catch(() => undefined);
    return { replyId: run.replyId ?? null };
  }

  /** A reply that was begun and has not ended, and does not run here: its owner is asked, or whoever goes on with it after a crash. */
  async #interruptElsewhere(key: FullSessionKey, message: Msg | undefined): Promise<InterruptReceipt> {
    const open = (await this.read(key)).openReply();
    if (open?.facts.running) {
      const replyId = open.message.id;
      await interruptElsewhere(this.config, key, { running: replyId, message });
      return { replyId };
    }
    if (message) await this.observe(key, message);
    return { replyId: null };
  }

  /** Goes on with a reply that was cut off; if it has ended by then, it is given back as it is. */
  resume(key: FullSessionKey, replyId: string): Promise<Msg> {
    return this.#begin(key, () => ({ kind: 'resume', replyId })).result;
  }

  isBusy(key: FullSessionKey): boolean {
    return this.#running.has(keyText(key));
  }

  shutdown({ graceMs = GRACE_MS }: ShutdownOptions): Promise<void> {
    if (!(graceMs >= 0)) return Promise.reject(new AgentScopeError('config/invalid', `graceMs must be a number of at least 0, not ${String(graceMs)}.`, { details: { option: 'graceMs' } }));
    this.#life.closing ??= this.#shutDown(graceMs);
    return this.#life.closing;
  }

  async #shutDown(graceMs: number): Promise<void> {
    await Promise.resolve(); // from here on no call begins
    const runs = [...this.#life.runs.keys()];
    const over = Promise.all(runs.map((run) => run.result.catch(() => undefined)));
    for (const run of runs) run.suspend();
    await atMost(over, graceMs);
    for (const run of runs) run.cut();
    await atMost(over, 2 * STOP_PATIENCE_MS);
  }

  /**
   * The one session that is busy, and where.
   *
   * @throws AgentScopeError `agent/ambiguous-target` while several are
   */
  busy(): { readonly core: AgentCore; readonly key: FullSessionKey } | undefined {
    const cores = new Set(this.#life.runs.values());
    const busy = [...cores].flatMap((core) => Array.from(core.#running.values(), ({ key }) => ({ core, key })));
    if (busy.length <= 1) return busy[0];
    throw new AgentScopeError('agent/ambiguous-target', `${busy.length} sessions are busy. Say which one: interrupt({ sessionId }).`, {
      details: { sessionIds: busy.map(({ key }) => key.sessionId) },
    });
  }

  async pending(key: FullSessionKey): Promise<readonly PendingQuestion[]> {
    const open = (await this.read(key)).openReply();
    return open ? [...questionsOf(open), ...(await childQuestions(this.config, key, open))] : [];
  }

  /** What this process knows while that is the newest; else what is stored, which another process may have written. */
  async read(key: FullSessionKey): Promise<SessionView> {
    return viewSession(this.config.session, key);
  }

  #begin(key: FullSessionKey, input: () => RunInput, { options = {}, outlet }: { options?: RunOptions; outlet?: Outlet } = {}): ReplyRun {
    const { config } = this;
    if (config.concurrency === 'interrupt') this.#runningOf(key)?.interrupt();
    const allowed = (): RunInput => {
      if (this.#life.closing) throw shutDown(config.name);
      return input();
    };
    const run = new ReplyRun({ config, key, input: allowed, options, outlet });
    this.#track(key, run);
    return run;
  }

  #track(key: FullSessionKey, run: ReplyRun): void {
    const name = keyText(key);
    const entry = this.#running.get(name) ?? { key, runs: new Set() };
    this.#running.set(name, entry);
    entry.runs.add(run);
    this.#life.runs.set(run, this);
    const forget = (): void => {
      entry.runs.delete(run);
      this.#life.runs.delete(run);
      if (entry.runs.size > 0) return; // the next one reads the inbox
      this.#running.delete(name);
      if (run.owes && !this.#life.closing) this.#begin(key, () => ({ kind: 'mail' }));
    };
    run.result.then(forget, forget);
  }

  /** The run whose turn it is, also while it still prepares: runs are kept in the order they came. Those behind it wait, and stay. */
  #runningOf(key: FullSessionKey): ReplyRun | undefined {
    const [first] = this.#running.get(keyText(key))?.runs ?? [];
    return first;
  }
}

function readInput(input: AgentInput, { trustAnswers = false }: RunOptions): RunInput {
  const read = toInput(input);
  return read.kind === 'answers' && trustAnswers ? { ...read, trusted: read.answers } : read;
}
