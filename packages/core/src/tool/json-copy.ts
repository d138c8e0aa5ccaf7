import type { JsonValue } from '../internal/index.ts';
import { messageOf } from './thrown.ts';

/**
 * A copy of a value as JSON would give it back: nothing done to the value afterwards changes it, and it is the same after a restart.
 * What JSON would lose in silence (a Map, an Error, a function, NaN, bytes) is refused; members that are undefined are left out.
 *
 * @throws TypeError naming `what`, the place in it and the reason: a cycle, more than 1 000 levels, or what has no JSON form.
 */
export function jsonCopy(value: unknown, what: string): JsonValue {
  try {
    const copy = new Copier().copy(value);
    return copy === undefined ? refuse('undefined') : copy;
  } catch (error) {
    throw new TypeError(`${what} is not JSON-safe: ${messageOf(error)}`, { cause: error });
  }
}

/** `JSON.stringify` has to manage it too, on every runtime. */
const DEEPEST = 1_000;

class Copier {
  readonly #path: (string | number)[] = [];
  /** The objects being copied, outermost first: one that is in here holds itself. */
  readonly #open = new Set<object>();

  copy(given: unknown): JsonValue | undefined {
    const value = asJson(given, String(this.#path.at(-1) ?? ''));
    switch (typeof value) {
      case 'string':
      case 'boolean':
      case 'undefined':
        return value;
      case 'number':
        return Number.isFinite(value) ? value + 0 : refuse(`${value}${this.#place()}`); // JSON knows no -0
      case 'object':
        return value === null ? null : this.#inside(value);
      default:
        return refuse(`a ${typeof value}${this.#place()}`);
    }
  }

  #inside(value: object): JsonValue {
    if (this.#open.has(value)) refuse(`a cycle${this.#place()}`);
    if (this.#open.size >= DEEPEST) refuse(`more than ${DEEPEST} levels, one in the other,`);
    this.#open.add(value);
    const copy = Array.isArray(value) ? Array.from(value, (item: unknown, at) => this.#member(item, at) ?? null) : this.#members(value);
    this.#open.delete(value);
    return copy;
  }

  #members(value: object): JsonValue {
    const lost = whatIsLost(value);
    if (lost !== undefined) return refuse(`${lost}${this.#place()}`);
    const entries: [string, JsonValue][] = [];
    for (const [key, item] of Object.entries(value)) {
      const copy = this.#member(item, key);
      if (copy !== undefined) entries.push([key, copy]);
    }
    return Object.fromEntries(entries);
  }

  #member(item: unknown, key: string | number): JsonValue | undefined {
    this.#path.push(key);
    const copy = this.copy(item);
    this.#path.pop();
    return copy;
  }

  #place(): string {
    return this.#path.length === 0 ? '' : ` at \`${this.#path.slice(0, 8).join('.').slice(0, 100)}\``;
  }
}

function asJson(value: unknown, key: string): unknown {
  const holder = typeof value === 'bigint' || (typeof value === 'object' && value !== null) ? (value as { toJSON?: unknown }) : undefined;
  const form: unknown = typeof holder?.toJSON === 'function' ? (holder as { toJSON(key: string): unknown }).toJSON(key) : value;
  return form instanceof String || form instanceof Number || form instanceof Boolean ? form.valueOf() : form;
}

/** Bytes, and objects of the language or the platform whose content is not in members of their own: JSON would make `{}` of them. */
function whatIsLost(value: object): string | undefined {
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1);
  if (kind === 'Object') return undefined;
  const isEmpty = Object.keys(value).length === 0;
  return isEmpty || ArrayBuffer.isView(value) || value instanceof Map || value instanceof Set ? `a value of the kind ${kind}` : undefined;
}

function refuse(what: string): never {
  throw new TypeError(`${what} has no JSON form`);
}
