import type { JsonValue } from '../internal/index.ts';
import type { FullSessionKey, SessionKey } from './entry.ts';
import { fullKey, keyText } from './key.ts';

/** AgentScope 1's named values, in memory. What is saved is copied, so later changes of the caller's object do not reach it. */
export class NamedValues {
  readonly #bySession = new Map<string, { readonly key: FullSessionKey; readonly values: Map<string, string> }>();

  save(key: SessionKey, name: string, value: JsonValue): void {
    const kept = this.#bySession.get(keyText(key)) ?? { key: fullKey(key), values: new Map<string, string>() };
    kept.values.set(name, JSON.stringify(value));
    this.#bySession.set(keyText(key), kept);
  }
  get(key: SessionKey, name: string): JsonValue | undefined {
    const text = this.#bySession.get(keyText(key))?.values.get(name);
    return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
  }
  getList(key: SessionKey, name: string): readonly JsonValue[] {
    return asList(this.get(key, name));
  }
  has(key: SessionKey): boolean {
    return this.#bySession.has(keyText(key));
  }
  delete(key: SessionKey): boolean {
    return this.#bySession.delete(keyText(key));
  }
  keys(): readonly FullSessionKey[] {
    return [...this.#bySession.values()].map(({ key }) => key);
  }
}

/** A list as it is, nothing as `[]`, one value as a list of one. */
export function asList(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
}
