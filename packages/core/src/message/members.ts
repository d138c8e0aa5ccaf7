import { isObject } from '../internal/index.ts';
import type { JsonObject } from '../internal/index.ts';
import { invalid } from './invalid.ts';

/** A member's name as spelled → its name in the model. `null`: a computed value of the writer, ignored. */
export type Spellings = ReadonlyMap<string, string | null>;

/** Each name in camelCase and in snake_case, and what else a writer calls it. */
export function spellings(names: readonly string[], aliases: Readonly<Record<string, string | null>> = {}): Spellings {
  const all = new Map<string, string | null>();
  for (const name of names) all.set(name, name).set(snakeCase(name), name);
  for (const alias of Object.keys(aliases)) all.set(alias, aliases[alias] ?? null);
  return all;
}

/** The members of an object under the model's names. What has no name there is kept in `extra`, beside an `extra` written earlier. */
export interface Members {
  readonly known: { readonly [name: string]: unknown };
  readonly extra: JsonObject | undefined;
}

export function readMembers(raw: Record<string, unknown>, names: Spellings): Members {
  const known: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  let extra: Record<string, unknown> | undefined = isObject(raw['extra']) ? { ...raw['extra'] } : undefined;
  for (const key of Object.keys(raw)) {
    const name = names.get(key);
    if (name === undefined) {
      if (key !== 'extra') setOwn((extra ??= {}), key, raw[key]);
    } else if (name !== null && raw[key] !== undefined) known[name] ??= raw[key];
  }
  return { known, extra: extra as JsonObject | undefined };
}

/** What a JSON text says: undefined where it is cut, or otherwise no JSON. Anything but a text is what it is. */
export function jsonOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

/** Like an assignment, but `__proto__` becomes an ordinary member. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}

/** Nothing stands for `fallback`. @throws `message/invalid` for anything but text. */
export function readText(value: unknown, path: string, fallback: string): string {
  if (value === undefined || value === null) return fallback;
  if (typeof value === 'string') return value;
  throw invalid(path, 'it is a text');
}

export function readTextOrNull(value: unknown, path: string): string | null {
  return value === undefined || value === null ? null : readText(value, path, '');
}

export function readNumber(value: unknown, path: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number') return value;
  throw invalid(path, 'it is a number');
}

/** Nothing stands for `{}`. */
export function readObject(value: unknown, path: string): JsonObject {
  if (value === undefined || value === null) return {};
  if (isObject(value)) return value as JsonObject;
  throw invalid(path, 'it is an object');
}

/** One of the words, in any case. */
export function readWord<W extends string>(value: unknown, words: readonly W[], { path, fallback }: { path: string; fallback: W }): W {
  if (value === undefined || value === null) return fallback;
  const wanted = String(value).toLowerCase();
  const word = words.find((candidate) => candidate.toLowerCase() === wanted);
  if (word === undefined) throw invalid(path, `it is one of ${words.join(', ')}`);
  return word;
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
