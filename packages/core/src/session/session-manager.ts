import { AgentScopeError } from '../error/index.ts';
import type { StateModule } from '../state/index.ts';
import type { FullSessionKey } from './entry.ts';
import type { Session } from './session.ts';

/**
 * v1's way to save and restore several components under one session id. Components are saved one after the other, in the order they
 * were added, each as a named value of the session. An agent with a `session` of its own needs none of this: its conversations are
 * journaled as they happen.
 *
 * ```ts
 * const manager = SessionManager.forSessionId('user123').withSession(new JsonSession('sessions')).addComponent(agent);
 * await manager.loadIfExists();
 * await agent.call('Hello again.');
 * await manager.saveSession();
 * ```
 */
export class SessionManager {
  readonly #key: FullSessionKey;
  readonly #components = new Map<string, StateModule>();
  #store: Session | undefined;

  private constructor(key: FullSessionKey) {
    this.#key = key;
  }

  static forSessionId(sessionId: string, userId?: string): SessionManager {
    return new SessionManager({ userId, sessionId });
  }

  /** The store to save to and load from. */
  withSession(session: Session): this {
    this.#store = session;
    return this;
  }

  /**
   * @param name names the saved value. Default: the component's own (`agent`, `memory`, `toolkit`), else its class name beginning in
   *   lower case.
   * @throws AgentScopeError `config/invalid` when the name is taken
   */
  addComponent(component: StateModule, name: string = defaultName(component)): this {
    if (this.#components.has(name)) throw invalid('name', `There is a component "${name}" already. Give this one a name: addComponent(component, 'name').`);
    this.#components.set(name, component);
    return this;
  }

  /** Saves every component; what was saved before is replaced. The first that fails rejects, and those after it are not saved. */
  async saveSession(): Promise<void> {
    for (const [name, component] of this.#components) await component.saveTo(this.#session, this.#key, name);
  }

  /** False, and nothing saved, where the session is not there. */
  async saveIfExists(): Promise<boolean> {
    if (!(await this.sessionExists())) return false;
    await this.saveSession();
    return true;
  }

  /** @throws AgentScopeError `session/not-found` where the session is not there */
  async saveOrThrow(): Promise<void> {
    if (!(await this.saveIfExists())) throw this.#notFound();
  }

  /** Loads what was saved; a component of which nothing was saved stays as it is. True if at least one was loaded. */
  async loadIfExists(): Promise<boolean> {
    let isLoaded = false;
    for (const [name, component] of this.#components) isLoaded = (await component.loadIfExists(this.#session, this.#key, name)) || isLoaded;
    return isLoaded;
  }

  /** @throws AgentScopeError `session/not-found` where nothing was saved of any component */
  async loadOrThrow(): Promise<void> {
    if (!(await this.loadIfExists())) throw this.#notFound();
  }

  /** True if the store has anything under this id: saved values, or a journal. */
  sessionExists(): Promise<boolean> {
    return this.#session.exists(this.#key);
  }

  /** Deletes everything the store has under this id, a journal too. True if there was something. */
  deleteIfExists(): Promise<boolean> {
    return this.#session.delete(this.#key);
  }

  /** @throws AgentScopeError `session/not-found` where there was nothing to delete */
  async deleteOrThrow(): Promise<void> {
    if (!(await this.deleteIfExists())) throw this.#notFound();
  }

  /** Saves, at the end of an `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.saveSession();
  }

  get #session(): Session {
    if (this.#store) return this.#store;
    throw invalid('session', 'The session manager has no store. Call withSession(store) first.');
  }

  #notFound(): AgentScopeError<'session/not-found'> {
    const { sessionId } = this.#key;
    return new AgentScopeError('session/not-found', `The session ${JSON.stringify(sessionId)} is not in the store. Use the …IfExists form where that may be.`, { details: { sessionId } });
  }
}

function defaultName({ componentName, constructor: { name } }: StateModule): string {
  return componentName ?? name.charAt(0).toLowerCase() + name.slice(1);
}

function invalid(option: string, message: string): AgentScopeError<'config/invalid'> {
  return new AgentScopeError('config/invalid', message, { details: { option } });
}
