import type { Schema } from '../internal/index.ts';
import type { Msg, MsgData } from '../message/index.ts';
import type { FullSessionKey, SessionKey } from '../session/index.ts';
import type { Agent, AgentInput, CallOptions, EventStream, InterruptOptions, InterruptReceipt, SchemaData, StreamOptions } from './agent.ts';
import { AgentCore } from './agent-core.ts';
import type { ShutdownOptions } from './agent-core.ts';
import { AgentSession } from './agent-session.ts';
import { nothingSaved, stateOwner } from '../state/index.ts';
import type { StateModule, StateOwner, StateStore } from '../state/index.ts';
import { agentConfig, CLASS_HOOKS } from './config.ts';
import type { HookFunction, HookPoint } from '../middleware/index.ts';
import { coreAsChild } from './core-as-child.ts';
import { noteCore } from './cores.ts';
import { loadAgent, saveAgent } from './keep-state.ts';
import type { ReActAgentOptions } from './options.ts';
import { recoverAll } from './recover-all.ts';
import type { RecoverOptions, Recovery } from './recover-all.ts';
import type { V1StreamOptions } from './v1-stream.ts';
import type { V1Event } from './v1-stream-event.ts';

/**
 * Reasons and acts until the model stops asking for tools (ReAct, Yao et al. 2023). Immutable configuration: conversations live in
 * the session store, so one agent serves any number of them at once. Calls to one session follow each other, other sessions run in
 * parallel.
 */
export class ReActAgent implements Agent, StateModule {
  readonly componentName: string = 'agent';
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly #options: ReActAgentOptions;
  readonly #core: AgentCore;

  /** @throws AgentScopeError `config/invalid`, naming the option */
  constructor(options: ReActAgentOptions) {
    const config = agentConfig(options);
    this.id = config.id;
    this.name = config.name;
    this.description = config.description;
    this.#options = { ...options, session: config.session, toolkit: config.ownToolkit, memory: config.memories?.option };
    this.#core = new AgentCore(config);
    noteCore(this, coreAsChild(this.#core));
  }

  /**
   * Runs one reply to its end or its next pause. `generateReason` of the message says how it ended; only failures
   * (`AgentScopeError`) and the caller's own `signal` reject.
   */
  async call<const S extends Schema = Schema>(input?: AgentInput, options: CallOptions<S> = {}): Promise<Msg<SchemaData<S>>> {
    return this.session(options).call(input, options);
  }

  /** The same as a stream of events. Lazy: nothing runs until it is iterated or asked for `result` or `accepted`. */
  streamEvents<const S extends Schema = Schema>(input?: AgentInput, options: StreamOptions<S> = {}): EventStream<SchemaData<S>> {
    return this.session(options).streamEvents(input, options);
  }

  /** The coarse view of AgentScope 1: steps and their pieces, as messages. For code written for it; new code reads `streamEvents`. */
  stream(input?: AgentInput, options: V1StreamOptions = {}): AsyncIterable<V1Event> {
    return this.session(options).stream(input, options);
  }

  /** Takes messages in without answering; never waits for a running reply and never enters it. */
  observe(messages: MsgData | readonly MsgData[], options: SessionKey = {}): Promise<void> {
    return this.session(options).observe(messages);
  }

  /**
   * Stops the reply that runs in a session; without a target, in the one session that is busy.
   *
   * @throws AgentScopeError `agent/ambiguous-target` without a target while several sessions are busy
   */
  async interrupt(target: SessionKey & InterruptOptions = {}): Promise<InterruptReceipt> {
    const { message, ...key } = target;
    const named = key.sessionId !== undefined || key.userId !== undefined;
    const { core, key: busy } = (named ? undefined : this.#core.busy()) ?? { core: this.#core, key: this.#fullKey(key) };
    return core.interrupt(busy, { message });
  }

  /**
   * Goes on with every reply in the store that was cut off (`session.list({ unfinished: true })`) and that an agent of this name began.
   * Sessions that another process holds are left alone and reported. A killed process holds its sessions until its lease has run out
   * (30 s; with the file store not longer than it lives).
   *
   * @throws AgentScopeError `config/invalid`; what the store throws while it is listed
   */
  recoverAll(options: RecoverOptions = {}): Promise<Recovery> {
    return recoverAll(this.#core, options);
  }

  /**
   * For the end of the process: no new calls (`agent/shut-down`), and a running reply stops where its next model call or tool would
   * start. What still runs after `graceMs` is aborted: a tool has no result then and its effect says what happens, a model call is made
   * again. Such a reply stands unfinished in the journal, its call rejects with `agent/shut-down`, and `call()` or `recoverAll` goes on
   * with it, in any process. Resolves when everything is journaled and all leases are given back; calling it twice is once.
   *
   * @throws AgentScopeError `config/invalid` for a negative `graceMs`
   */
  shutdown(options: ShutdownOptions = {}): Promise<void> {
    return this.#core.shutdown(options);
  }

  /** The handle of one conversation; without a key, of the default one. Cheap, touches no store. */
  session(key: SessionKey = {}): AgentSession {
    return new AgentSession(this.#core, this.#fullKey(key));
  }

  /** v1's way to add a hook to an agent that is there: from its next run on. One of the same name takes its place. */
  registerInstanceHook<P extends HookPoint>(point: P, name: string, fn: HookFunction<P>): void {
    this.#core.config.hooks.register(point, name, fn);
  }
  removeInstanceHook(point: HookPoint, name: string): boolean {
    return this.#core.config.hooks.remove(point, name);
  }
  clearInstanceHooks(point?: HookPoint): void {
    this.#core.config.hooks.clear(point);
  }

  /** The same for every agent of the process, behind the agent's own hooks. */
  static registerClassHook<P extends HookPoint>(point: P, name: string, fn: HookFunction<P>): void {
    CLASS_HOOKS.register(point, name, fn);
  }
  static removeClassHook(point: HookPoint, name: string): boolean {
    return CLASS_HOOKS.remove(point, name);
  }
  static clearClassHooks(point?: HookPoint): void {
    CLASS_HOOKS.clear(point);
  }

  /** Its middleware and hooks, outermost first, a line each with order and stages: to see who is outside of whom. */
  describeMiddleware(): readonly string[] {
    return this.#core.config.wraps()?.chain ?? [];
  }

  /** A changed copy over the same store and tools: `agent.with({ model })`. */
  with(changes: Partial<ReActAgentOptions>): ReActAgent {
    return new ReActAgent({ ...this.#options, ...changes });
  }

  /**
   * v1's way to keep its default session elsewhere: saves messages, rules, groups, tasks and the values of state keys as one named
   * value, and beside it the memory of the option `memory`, where that can be saved. Into the agent's own store and session it only
   * writes what is not written yet. A running reply is saved as far as it is.
   */
  saveTo(store: StateStore, key: StateOwner | string, component: string = this.componentName): Promise<void> {
    return saveAgent(this.#core, { store, key: stateOwner(key), component });
  }

  /**
   * Makes the default session exactly what was saved: what it held before is out of the context, and an open question is open again.
   * Prompt, model and tools stay those of this agent. Waits for a running reply. From the agent's own store and session nothing is
   * loaded, it is there.
   *
   * @throws AgentScopeError `session/not-found` when nothing was saved; `message/invalid` when what was saved is no state
   */
  async loadFrom(store: StateStore, key: StateOwner | string, component: string = this.componentName): Promise<void> {
    if (!(await this.loadIfExists(store, key, component))) throw nothingSaved({ key: stateOwner(key), component });
  }

  /** The same; false, and nothing changed, when nothing was saved. */
  loadIfExists(store: StateStore, key: StateOwner | string, component: string = this.componentName): Promise<boolean> {
    return loadAgent(this.#core, { store, key: stateOwner(key), component });
  }

  #fullKey({ userId, sessionId }: SessionKey): FullSessionKey {
    return { userId, sessionId: sessionId ?? this.#core.config.defaultSessionId };
  }
}
