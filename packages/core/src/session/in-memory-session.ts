import { AgentScopeError } from '../error/index.ts';
import type { Clock, JsonObject, JsonValue } from '../internal/index.ts';
import { conflict } from './conflict.ts';
import type { FullSessionKey, JournalEntry, SessionKey } from './entry.ts';
import { sessionInfo } from './info.ts';
import { fullKey, keyText } from './key.ts';
import { LeaseTable } from './leases.ts';
import { lastSeqOf } from './merge-deltas.ts';
import { NamedValues } from './named-values.ts';
import type { AppendOptions, Lease, LeaseOptions, Session, SessionInfo } from './session.ts';

export interface InMemorySessionOptions {
  /** Entries kept per session, at least 1. An append beyond it fails with `session/unavailable`. Default: no limit. */
  readonly maxEntries?: number;
  /** What leases run by, in milliseconds. Default `Date.now`. */
  readonly clock?: Clock;
}

interface Kept {
  readonly key: FullSessionKey;
  readonly entries: JournalEntry[];
  /** Fence of each entry, so that a repeated append is told from another writer's. */
  readonly fences: (number | undefined)[];
  newestFence: number;
}

/** Keeps sessions as long as the process lives: the default store. Entries are shared, not copied; they are never changed. */
export class InMemorySession implements Session {
  readonly store = 'memory';
  readonly #sessions = new Map<string, Kept>();
  readonly #leases: LeaseTable;
  readonly #values = new NamedValues();
  readonly #snapshots = new Map<string, { readonly seq: number; readonly state: JsonObject }>();
  readonly #maxEntries: number;

  constructor({ maxEntries = Infinity, clock }: InMemorySessionOptions = {}) {
    this.#maxEntries = maxEntries;
    this.#leases = new LeaseTable(clock);
  }

  async append(key: SessionKey, entries: readonly JournalEntry[], { expectedSeq, fence }: AppendOptions): Promise<void> {
    const kept = this.#sessions.get(keyText(key)) ?? { key: fullKey(key), entries: [], fences: [], newestFence: 0 };
    const last = kept.entries.at(-1);
    const actualSeq = last === undefined ? 0 : lastSeqOf(last);
    if (fence !== undefined && fence < this.#leases.newestFence(key)) throw conflict(expectedSeq, actualSeq);
    if (actualSeq !== expectedSeq) {
      if (isRepeat(kept, entries, fence)) return;
      throw conflict(expectedSeq, actualSeq);
    }
    if (kept.entries.length + entries.length > this.#maxEntries) throw full(this.#maxEntries);
    if (entries.length > 0) this.#sessions.set(keyText(key), kept);
    for (const entry of entries) {
      kept.entries.push(entry);
      kept.fences.push(fence);
    }
    kept.newestFence = Math.max(kept.newestFence, fence ?? 0);
  }

  async *read(key: SessionKey, { fromSeq = 1 }: { fromSeq?: number } = {}): AsyncIterable<JournalEntry> {
    const entries = this.#sessions.get(keyText(key))?.entries ?? [];
    // What is appended while somebody reads belongs to the next read, as with every other store.
    const end = entries.length;
    for (let i = indexCovering(entries, fromSeq); i < end; i++) {
      const entry = entries[i];
      if (entry !== undefined) yield entry;
    }
  }

  async *list({ userId, unfinished }: { userId?: string; unfinished?: boolean } = {}): AsyncIterable<SessionInfo> {
    for (const { key, entries } of [...this.#sessions.values()]) {
      if (userId !== undefined && key.userId !== userId) continue;
      const info = await sessionInfo(key, entries);
      if (info !== undefined && (unfinished === undefined || info.unfinished === unfinished)) yield info;
    }
  }

  async delete(key: SessionKey): Promise<boolean> {
    const name = keyText(key);
    this.#snapshots.delete(name);
    const hadValues = this.#values.delete(key);
    return this.#sessions.delete(name) || hadValues;
  }

  async lease(key: SessionKey, options: LeaseOptions): Promise<Lease> {
    return this.#leases.take(key, options, this.#sessions.get(keyText(key))?.newestFence ?? 0);
  }

  async saveSnapshot(key: SessionKey, seq: number, state: JsonObject): Promise<void> {
    this.#snapshots.set(keyText(key), { seq, state });
  }
  async loadSnapshot(key: SessionKey): Promise<{ readonly seq: number; readonly state: JsonObject } | undefined> {
    return this.#snapshots.get(keyText(key));
  }

  async save(key: SessionKey, name: string, value: JsonValue): Promise<void> {
    this.#values.save(key, name, value);
  }
  async get(key: SessionKey, name: string): Promise<JsonValue | undefined> {
    return this.#values.get(key, name);
  }
  async getList(key: SessionKey, name: string): Promise<readonly JsonValue[]> {
    return this.#values.getList(key, name);
  }
  async exists(key: SessionKey): Promise<boolean> {
    return this.#sessions.has(keyText(key)) || this.#values.has(key);
  }
  async listSessionKeys(): Promise<readonly SessionKey[]> {
    const keys = new Map([...this.#sessions].map(([name, { key }]) => [name, key]));
    for (const key of this.#values.keys()) keys.set(keyText(key), key);
    return [...keys.values()];
  }
  async close(): Promise<void> {}
}

/** Index of the entry that covers the number; the length where none does. */
function indexCovering(entries: readonly JournalEntry[], seq: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = entries[middle];
    if (entry !== undefined && lastSeqOf(entry) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isRepeat({ entries, fences }: Kept, again: readonly JournalEntry[], fence: number | undefined): boolean {
  const start = indexCovering(entries, again[0]?.seq ?? 0);
  if (again.length === 0 || start + again.length > entries.length) return false;
  return again.every((entry, i) => fences[start + i] === fence && (entries[start + i] === entry || JSON.stringify(entries[start + i]) === JSON.stringify(entry)));
}

function full(maxEntries: number): AgentScopeError<'session/unavailable'> {
  return new AgentScopeError('session/unavailable', `The memory store keeps at most ${maxEntries} entries a session. Raise \`maxEntries\`, or delete the session.`, {
    details: { store: 'memory' },
  });
}
