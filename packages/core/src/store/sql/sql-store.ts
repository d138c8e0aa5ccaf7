import { parseObject } from '../../internal/index.ts';
import type { JsonObject, JsonValue } from '../../internal/index.ts';
import { asList, decodeEntry, pruneSessions } from '../../session/index.ts';
import type { AppendOptions, InboxItem, JournalEntry, Lease, LeaseOptions, ListOptions, Retention, Session, SessionInfo, SessionKey } from '../../session/index.ts';
import { unavailable } from '../shared/unavailable.ts';
import { append, endOf, page } from './journal-work.ts';
import { takeLease } from './lease-work.ts';
import { acknowledge, inbox, keys, listPage, loadSnapshot, loadValue, post, remove, saveSnapshot, saveValue } from './rest-work.ts';
import type { Dialect, SqlDriver, Work } from './work.ts';

/** Entries and sessions fetched at a time. */
const ENTRIES_A_PAGE = 100;
const SESSIONS_A_PAGE = 500;

export interface SqlStoreParts {
  readonly driver: SqlDriver;
  /** Opens the database and brings its tables up to date; it is asked again after it failed. */
  readonly prepare: () => Promise<void>;
  /** What `prune()` keeps. */
  readonly retention: Retention;
}

/** The contract over any SQL database: what SqliteSession and PostgresSession are beside their options. */
export abstract class SqlStore implements Session {
  readonly store: string;
  readonly #driver: SqlDriver;
  readonly #prepare: () => Promise<void>;
  readonly #retention: Retention;
  #ready: Promise<void> | undefined;

  constructor({ driver, prepare, retention }: SqlStoreParts) {
    this.store = driver.store;
    this.#driver = driver;
    this.#prepare = prepare;
    this.#retention = retention;
  }

  append(key: SessionKey, entries: readonly JournalEntry[], options: AppendOptions): Promise<void> {
    return this.#transact((dialect) => append(dialect, key, { entries, options }));
  }
  async *read(key: SessionKey, { fromSeq = 1 }: { fromSeq?: number } = {}): AsyncIterable<JournalEntry> {
    const end = await this.#look((dialect) => endOf(dialect, key));
    if (end === undefined) return;
    const { n, lastSeq: to } = end;
    for (let from = fromSeq; from <= to; ) {
      const start = from;
      const found = await this.#look((dialect) => page(dialect, { n, from: start, to, limit: ENTRIES_A_PAGE }));
      for (const { body } of found) yield decodeEntry(parseObject(body) ?? {});
      from = (found.at(-1)?.last ?? Infinity) + 1;
    }
  }
  /** In the order of the keys. */
  async *list(options: ListOptions = {}): AsyncIterable<SessionInfo> {
    let left = options.limit ?? Infinity;
    let { after } = options;
    while (left > 0) {
      const limit = Math.ceil(Math.min(left, SESSIONS_A_PAGE));
      const asked = { ...options, after };
      const found = await this.#look((dialect) => listPage(dialect, asked, { limit }));
      yield* found;
      if (found.length < limit) return;
      left -= found.length;
      after = found.at(-1)?.key;
    }
  }
  delete(key: SessionKey): Promise<boolean> {
    return this.#transact((dialect) => remove(dialect, key));
  }

  async lease(key: SessionKey, options: LeaseOptions): Promise<Lease> {
    return this.#guard(async () => {
      const lease = await takeLease(this.#driver, key, options);
      return { fence: lease.fence, renew: () => this.#guard(() => lease.renew()), release: () => this.#guard(() => lease.release()) };
    });
  }

  saveSnapshot(key: SessionKey, seq: number, state: JsonObject): Promise<void> {
    return this.#transact((dialect) => saveSnapshot(dialect, key, { seq, text: JSON.stringify(state) }));
  }
  async loadSnapshot(key: SessionKey): Promise<{ readonly seq: number; readonly state: JsonObject } | undefined> {
    const found = await this.#look((dialect) => loadSnapshot(dialect, key));
    const state = found && parseObject(found.text);
    return found && state && { seq: found.seq, state };
  }

  save(key: SessionKey, name: string, value: JsonValue): Promise<void> {
    return this.#transact((dialect) => saveValue(dialect, key, { name, text: JSON.stringify(value) }));
  }
  async get(key: SessionKey, name: string): Promise<JsonValue | undefined> {
    const text = await this.#look((dialect) => loadValue(dialect, key, name));
    return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
  }
  async getList(key: SessionKey, name: string): Promise<readonly JsonValue[]> {
    return asList(await this.get(key, name));
  }
  async exists(key: SessionKey): Promise<boolean> {
    return (await this.#look((dialect) => keys(dialect, key))).length > 0;
  }
  listSessionKeys(): Promise<readonly SessionKey[]> {
    return this.#look((dialect) => keys(dialect));
  }

  post(key: SessionKey, item: InboxItem): Promise<boolean> {
    return this.#transact((dialect) => post(dialect, key, item));
  }
  inbox(key: SessionKey): Promise<readonly InboxItem[]> {
    return this.#look((dialect) => inbox(dialect, key));
  }
  acknowledge(key: SessionKey, ids: readonly string[]): Promise<void> {
    return this.#transact((dialect) => acknowledge(dialect, key, ids));
  }
  /** Deletes what the retention does not keep, and returns how many sessions went. Sessions whose lease is held stay. */
  prune(retention: Retention = this.#retention): Promise<number> {
    return pruneSessions(this, retention);
  }
  /** Closes the file, or the connections this object made. The next use opens them again. */
  close(): Promise<void> {
    this.#ready = undefined; // used again, the tables are looked at again
    return this.#driver.close();
  }

  #transact<T>(work: (dialect: Dialect) => Work<T>): Promise<T> {
    return this.#guard(() => this.#driver.transact(() => work(this.#driver.dialect)));
  }
  #look<T>(work: (dialect: Dialect) => Work<T>): Promise<T> {
    return this.#guard(() => this.#driver.look(() => work(this.#driver.dialect)));
  }
  async #guard<T>(task: () => Promise<T>): Promise<T> {
    try {
      this.#ready ??= this.#prepare();
      await this.#ready.catch((error: unknown) => {
        this.#ready = undefined;
        throw error;
      });
      return await task();
    } catch (error) {
      throw unavailable(this.store, error);
    }
  }
}
