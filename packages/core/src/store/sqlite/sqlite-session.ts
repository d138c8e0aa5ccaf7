import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject, JsonValue } from '../../internal/index.ts';
import { pruneSessions } from '../../session/index.ts';
import type { AppendOptions, InboxItem, JournalEntry, Lease, LeaseOptions, ListOptions, Retention, Session, SessionInfo, SessionKey } from '../../session/index.ts';
import { checkedName } from '../sql/names.ts';
import { migrate } from '../sql/schema.ts';
import { SqlStore } from '../sql/sql-store.ts';
import { SqliteDriver } from './sqlite-driver.ts';

export interface SqliteSessionOptions {
  /** What the names of the tables begin with: ASCII letters, digits, `_`, at most 40. Default `agentscope_`. */
  readonly tablePrefix?: string;
  /** Waits until the disk has it. Default false: a killed process loses nothing, a power cut may lose the last appends. */
  readonly fsync?: boolean;
  /** How long to wait for another process that is writing, in milliseconds; this process stands still meanwhile. Default 5 000. */
  readonly busyTimeoutMs?: number;
  /** What `prune()` keeps. Default: everything. */
  readonly retention?: Retention;
}

const DEFAULT_BUSY_MS = 5_000;

/**
 * Keeps sessions in one SQLite file, by `node:sqlite`: Node 22.13 or newer. Several processes of one machine may use the file. The
 * file is opened, and its tables made, at the first use.
 *
 * @throws AgentScopeError `config/invalid` on an older Node and for a bad prefix; the methods `session/unavailable` when the file
 * cannot be used, `session/newer-schema` when a newer version made its tables.
 */
export class SqliteSession implements Session {
  readonly store = 'sqlite';
  readonly #sql: SqlStore;
  readonly #retention: Retention;

  constructor(file: string | URL, { tablePrefix = 'agentscope_', fsync = false, busyTimeoutMs = DEFAULT_BUSY_MS, retention = {} }: SqliteSessionOptions = {}) {
    const path = file instanceof URL ? fileURLToPath(file) : file;
    const driver = new SqliteDriver({ file: path === ':memory:' ? path : resolve(path), prefix: checkedName('tablePrefix', tablePrefix), fsync, busyTimeoutMs: Math.max(0, Math.floor(busyTimeoutMs)) });
    this.#sql = new SqlStore(driver, () => migrate(driver));
    this.#retention = retention;
  }

  append(key: SessionKey, entries: readonly JournalEntry[], options: AppendOptions): Promise<void> {
    return this.#sql.append(key, entries, options);
  }
  read(key: SessionKey, options?: { fromSeq?: number }): AsyncIterable<JournalEntry> {
    return this.#sql.read(key, options);
  }
  /** In the order of the keys. */
  list(options?: ListOptions): AsyncIterable<SessionInfo> {
    return this.#sql.list(options);
  }
  delete(key: SessionKey): Promise<boolean> {
    return this.#sql.delete(key);
  }
  lease(key: SessionKey, options: LeaseOptions): Promise<Lease> {
    return this.#sql.lease(key, options);
  }
  saveSnapshot(key: SessionKey, seq: number, state: JsonObject): Promise<void> {
    return this.#sql.saveSnapshot(key, seq, state);
  }
  loadSnapshot(key: SessionKey): Promise<{ readonly seq: number; readonly state: JsonObject } | undefined> {
    return this.#sql.loadSnapshot(key);
  }
  save(key: SessionKey, name: string, value: JsonValue): Promise<void> {
    return this.#sql.save(key, name, value);
  }
  get(key: SessionKey, name: string): Promise<JsonValue | undefined> {
    return this.#sql.get(key, name);
  }
  getList(key: SessionKey, name: string): Promise<readonly JsonValue[]> {
    return this.#sql.getList(key, name);
  }
  exists(key: SessionKey): Promise<boolean> {
    return this.#sql.exists(key);
  }
  listSessionKeys(): Promise<readonly SessionKey[]> {
    return this.#sql.listSessionKeys();
  }
  post(key: SessionKey, item: InboxItem): Promise<boolean> {
    return this.#sql.post(key, item);
  }
  inbox(key: SessionKey): Promise<readonly InboxItem[]> {
    return this.#sql.inbox(key);
  }
  acknowledge(key: SessionKey, ids: readonly string[]): Promise<void> {
    return this.#sql.acknowledge(key, ids);
  }
  /** Deletes what the retention does not keep, and returns how many sessions went. Sessions whose lease is held stay. */
  prune(retention: Retention = this.#retention): Promise<number> {
    return pruneSessions(this, retention);
  }
  /** Closes the file. The next use opens it again. */
  close(): Promise<void> {
    return this.#sql.close();
  }
}
