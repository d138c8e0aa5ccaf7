import { AgentScopeError } from '../error/index.ts';
import type { Clock, JsonObject, JsonValue } from '../internal/index.ts';
import { conflict } from './conflict.ts';
import type { FullSessionKey, JournalEntry, SessionKey } from './entry.ts';
import { InboxTable } from './inbox-table.ts';
import { inOrder, isListed, unfinishedAfter } from './info.ts';
import { fullKey, keyText } from './key.ts';
import { LeaseTable } from './leases.ts';
import { lastSeqOf } from './merge-deltas.ts';
import { NamedValues } from './named-values.ts';
import { pruneSessions } from './retention.ts';
import type { Retention } from './retention.ts';
import type { AppendOptions, InboxItem, Lease, LeaseOptions, ListOptions, Session, SessionInfo } from './session.ts';

export interface InMemorySessionOptions {
  /** Entries kept per session, at least 1. An append beyond it fails with `session/unavailable`. Default: no limit. */
  readonly maxEntries?: number;
  /** What leases and ages run by, in milliseconds. Default `Date.now`. */
  readonly clock?: Clock;
  /** What `prune()` keeps. Default: everything. */
  readonly retention?: Retention;
}

interface Kept {
  readonly key: FullSessionKey;
  readonly entries: JournalEntry[];
  /** Fence of each entry, so that a repeated append is told from another writer's. */
  readonly fences: (number | undefined)[];
  newestFence: number;
  unfinished: boolean;
}

/** Keeps sessions as long as the process lives: the default store. Entries are shared, not copied; they are never changed. */
export class InMemorySession implements Session {
  readonly store = 'memory';
  readonly #sessions = new Map<string, Kept>();
  readonly #leases: LeaseTable;
  readonly #values = new NamedValues();
  readonly #inboxes = new InboxTable();
  readonly #snapshots = new Map<string, { readonly seq: number; readonly state: JsonObject }>();
  readonly #maxEntries: number;
  readonly #clock: Clock;
  readonly #retention: Retention;

  constructor({ maxEntries = Infinity, clock = Date.now, retention = {} }: InMemorySessionOptions = {}) {
    this.#maxEntries = maxEntries;
    this.#clock = clock;
    this.#retention = retention;
    this.#leases = new LeaseTable(clock);
  }

  async append(key: SessionKey, entries: readonly JournalEntry[], { expectedSeq, fence }: AppendOptions): Promise<void> {
    const kept = this.#sessions.get(keyText(key)) ?? { key: fullKey(key), entries: [], fences: [], newestFence: 0, unfinished: false };
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
    kept.unfinished = unfinishedAfter(entries) ?? kept.unfinished;
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

  /** In the order of the keys. */
  async *list(options: ListOptions = {}): AsyncIterable<SessionInfo> {
    let left = options.limit ?? Infinity;
    for (const { key, entries, unfinished } of inOrder([...this.#sessions.values()], options.after)) {
      const last = entries.at(-1);
      if (left <= 0) return;
      if (last === undefined) continue;
      const info = { key, lastSeq: lastSeqOf(last), updatedAt: last.at, unfinished };
      if (!isListed(info, options)) continue;
      left--;
      yield info;
    }
  }

  async delete(key: SessionKey): Promise<boolean> {
    const name = keyText(key);
    this.#snapshots.delete(name);
    this.#inboxes.delete(key);
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

  async post(key: SessionKey, item: InboxItem): Promise<boolean> {
    return this.#inboxes.post(key, item);
  }
  async inbox(key: SessionKey): Promise<readonly InboxItem[]> {
    return this.#inboxes.items(key);
  }
  async acknowledge(key: SessionKey, ids: readonly string[]): Promise<void> {
    this.#inboxes.take(key, ids);
  }

  /** Deletes what the retention does not keep, and returns how many sessions went. Sessions whose lease is held stay. */
  async prune(retention: Retention = this.#retention): Promise<number> {
    return pruneSessions(this, retention, this.#clock);
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
