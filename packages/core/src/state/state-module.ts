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

/** Something whose state can be kept in a store (v1's word). A key may be just the session id. */
export interface StateModule {
  saveTo(store: StateStore, key: StateOwner | string): Promise<void>;
  /** @throws AgentScopeError `session/not-found` when nothing was saved. */
  loadFrom(store: StateStore, key: StateOwner | string): Promise<void>;
  /** False when nothing was saved. */
  loadIfExists(store: StateStore, key: StateOwner | string): Promise<boolean>;
}
