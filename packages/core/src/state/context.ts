import { AgentScopeError } from '../error/index.ts';
import type { JsonValue } from '../internal/index.ts';

/** A value for one call (a tenant, a database handle): typed by its key, never stored. */
export interface ContextKey<T> {
  readonly name: string;
  of(value: T): ContextEntry;
}
export interface ContextEntry {
  // oxlint-disable-next-line typescript/no-explicit-any -- a key of any value type
  readonly key: ContextKey<any>;
  readonly value: unknown;
}
export interface RuntimeContext {
  /** @throws AgentScopeError `config/missing-context`, naming the key. */
  get<T>(key: ContextKey<T>): T;
  find<T>(key: ContextKey<T>): T | undefined;
}

export function contextKey<T>(name: string): ContextKey<T> {
  const key: ContextKey<T> = { name, of: (value) => ({ key, value }) };
  return key;
}

export function createRuntimeContext(entries: readonly ContextEntry[] = []): RuntimeContext {
  const values = new Map(entries.map(({ key, value }) => [key.name, value]));
  return {
    find: <T>(key: ContextKey<T>) => values.get(key.name) as T | undefined,
    get<T>(key: ContextKey<T>): T {
      if (values.has(key.name)) return values.get(key.name) as T;
      throw new AgentScopeError('config/missing-context', `No value for the context key "${key.name}". Pass it with the call: { context: [key.of(value)] }.`, {
        details: { key: key.name },
      });
    },
  };
}

/** The same context with one value more, or another one for its key. */
export function withEntry(context: RuntimeContext, { key: own, value }: ContextEntry): RuntimeContext {
  return {
    find: <T>(key: ContextKey<T>) => (key.name === own.name ? (value as T) : context.find(key)),
    get: <T>(key: ContextKey<T>) => (key.name === own.name ? (value as T) : context.get(key)),
  };
}

/** A value of the session: JSON, journaled, back after a restart and in a fork. */
export interface StateKey<T> {
  readonly name: string;
  readonly initial: T;
}
export interface StateSlots {
  get<T>(key: StateKey<T>): T;
  /** JSON values only. */
  set<T>(key: StateKey<T>, value: T): void;
}

export function stateKey<T>(name: string, initial: T): StateKey<T> {
  return { name, initial };
}

/** Slots over plain values: reads what is there, hands every change to `onSet`. */
export function createStateSlots(read: (name: string) => JsonValue | undefined, onSet: (name: string, value: JsonValue) => void): StateSlots {
  return {
    get: <T>(key: StateKey<T>) => (read(key.name) ?? key.initial) as T,
    set: (key, value) => onSet(key.name, value as JsonValue),
  };
}
