import { AgentScopeError } from '../error/index.ts';
import type { ErrorCode } from '../error/index.ts';
import { canonicalJson, isObject } from '../internal/index.ts';
import type { JournalEntry, Session, SessionKey } from '../session/index.ts';

/** One rule of the contract. `other` is a second object over the same data. */
export type Check = (store: Session, other: Session) => Promise<void>;

/** Equal as plain data: own members count, classes and members that are undefined do not. */
export function assertEqual(actual: unknown, expected: unknown, what: string): void {
  const [found, wanted] = [canonicalJson(plain(actual)), canonicalJson(plain(expected))];
  if (found !== wanted) throw new Error(`${what}:\n  found    ${found}\n  expected ${wanted}`);
}

/** Without `toJSON`: a Msg is compared by what it holds, not by how it is written. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)])) : value;
}

/** Rejects with an error of the library that has this code. */
export async function assertRejects(promise: Promise<unknown>, code: ErrorCode, what: string): Promise<void> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!AgentScopeError.is(error, code)) throw new Error(`${what}: expected ${code}, got ${error instanceof Error ? error.message : 'no error'}`, { cause: error });
}

export async function readAll(store: Session, key: SessionKey, fromSeq?: number): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for await (const entry of store.read(key, fromSeq === undefined ? {} : { fromSeq })) entries.push(entry);
  return entries;
}

/** The same numbers for the same seed, from 0 to below 1 (mulberry32 by Tommy Ettinger, public domain, in our words). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Tries again until it succeeds; after half a minute with the last error as the cause. */
export async function eventually<T>(task: () => Promise<T>, what: string): Promise<T> {
  const end = Date.now() + 30_000;
  for (;;) {
    try {
      return await task();
    } catch (error) {
      if (Date.now() > end) throw new Error(`${what}: not within 30 seconds`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
