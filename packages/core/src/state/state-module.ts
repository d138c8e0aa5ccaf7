import { AgentScopeError } from '../error/index.ts';
import type { JsonValue } from '../internal/index.ts';

/** Whose state: the shape of `SessionKey` in `session/`. */
export interface StateOwner {
  readonly userId?: string | undefined;
  readonly sessionId?: string | undefined;
}

/** What a {@link StateModule} needs of a store: named values. `session/` implements it. */
export interface StateStore {
  save(key: StateOwner, name: string, value: JsonValue): Promise<void>;
  get(key: StateOwner, name: string): Promise<JsonValue | undefined>;
}

/**
 * Something whose state can be kept in a store (v1's word). Construction stays apart from it: what was configured (a prompt, a model,
 * the code of tools) is never saved and never loaded. A key may be just the session id. `component` names the value in the session;
 * each module has a default, and needs another one only where two of a kind share a key.
 */
export interface StateModule {
  /** Default of `component`. */
  readonly componentName?: string;
  saveTo(store: StateStore, key: StateOwner | string, component?: string): Promise<void>;
  /** @throws AgentScopeError `session/not-found` when nothing was saved; the module is as before then. */
  loadFrom(store: StateStore, key: StateOwner | string, component?: string): Promise<void>;
  /** False when nothing was saved; the module is as before then. */
  loadIfExists(store: StateStore, key: StateOwner | string, component?: string): Promise<boolean>;
}

/** One named value of a session: where a module's state is. */
export interface StatePlace {
  readonly store: StateStore;
  readonly key: StateOwner;
  readonly component: string;
}

/** A key may be just the session id. */
export function stateOwner(key: StateOwner | string): StateOwner {
  return typeof key === 'string' ? { sessionId: key } : key;
}

/** What `loadFrom` throws when `loadIfExists` says false. */
export function nothingSaved({ key, component }: Pick<StatePlace, 'key' | 'component'>): AgentScopeError<'session/not-found'> {
  const sessionId = key.sessionId ?? '';
  return new AgentScopeError('session/not-found', `Nothing was saved as "${component}" in the session ${JSON.stringify(sessionId)}. Use loadIfExists where that may be.`, { details: { sessionId } });
}
