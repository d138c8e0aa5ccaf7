import { AgentScopeError } from '../../error/index.ts';
import { isObject, parseObject } from '../../internal/index.ts';
import type { JsonObject, JsonValue } from '../../internal/index.ts';
import { asList, conflict, decodeEntry, encodeEntry, fullKey, isListed, keyText, lastSeqOf, lost, pruneSessions, REMEMBERED_IDS, unfinishedAfter } from '../../session/index.ts';
import type { AppendOptions, InboxItem, JournalEntry, Lease, LeaseOptions, ListOptions, Retention, Session, SessionInfo, SessionKey } from '../../session/index.ts';
import { parseKey, storeId, textId, userPrefix } from '../shared/store-id.ts';
import { invalidOption, unavailable } from '../shared/unavailable.ts';
import { RedisConnection } from './redis-connection.ts';
import type { RedisClient, RedisValue } from './redis-connection.ts';
import { APPEND, POST, REMOVE, SAVE_VALUE, SET_LEASE_END, TAKE_LEASE } from './scripts.ts';
import type { KeyName, Script } from './scripts.ts';

export interface RedisSessionOptions {
  /** Where the server is, `redis://user:password@host:6379/0` or `rediss://…`. Either this or `client`. */
  readonly url?: string;
  /** A `Redis` or `Cluster` of the package `ioredis` that you have already. It stays yours: `close()` leaves it open. */
  readonly client?: RedisClient;
  /** What all keys begin with. Default `agentscope:`. */
  readonly keyPrefix?: string;
  /** Time for a connection or an answer, in milliseconds, at least 1. Default 10 000. Past it: `session/unavailable`. */
  readonly timeoutMs?: number;
  /** What `prune()` keeps. Default: everything. */
  readonly retention?: Retention;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const ENTRIES_A_PAGE = 100;
const SESSIONS_A_PAGE = 200;

/**
 * Keeps sessions in Redis 5 or newer, or Valkey, by the package `ioredis` (install it beside this one): one stream a journal, one
 * script an append. All keys of a session share a slot of a cluster. How much survives is the server's matter: with
 * `appendfsync always` everything, with the usual `everysec` up to a second may be lost when the power goes, and a failover may lose
 * what had not reached the replica; what is left is whole, and a writer that knows more gets `session/conflict`.
 *
 * @throws AgentScopeError `config/invalid` for bad options or without `ioredis`; the methods `session/unavailable` while the server
 * cannot be reached.
 */
export class RedisSession implements Session {
  readonly store = 'redis';
  readonly #connection: RedisConnection;
  readonly #prefix: string;
  readonly #retention: Retention;

  constructor({ url, client, keyPrefix = 'agentscope:', timeoutMs = DEFAULT_TIMEOUT_MS, retention = {} }: RedisSessionOptions) {
    if ((url === undefined) === (client === undefined)) throw invalidOption('url', 'RedisSession needs either `url` or `client`.');
    this.#connection = new RedisConnection({ url, client, timeoutMs: Math.max(1, timeoutMs) });
    this.#prefix = keyPrefix;
    this.#retention = retention;
  }

  async append(key: SessionKey, entries: readonly JournalEntry[], { expectedSeq, fence }: AppendOptions): Promise<void> {
    const unfinished = unfinishedAfter(entries);
    const facts = [expectedSeq, fence ?? '', unfinished === undefined ? '' : Number(unfinished), entries.at(-1)?.at ?? '', keyText(key)];
    const texts = entries.flatMap((entry) => [lastSeqOf(entry), encodeEntry(entry)]);
    const begins = expectedSeq === 0 && entries.length > 0;
    if (begins) await this.#index(key);
    const [answer, detail] = (await this.#run(key, APPEND, ...facts, ...texts)) as [string, string];
    if (answer === 'conflict') throw conflict(expectedSeq, Number(detail));
    // The index lies in a slot of its own, so a delete may have come between; with this the new session is in it again.
    if (detail === '1') await this.#index(key);
  }

  async *read(key: SessionKey, { fromSeq = 1 }: { fromSeq?: number } = {}): AsyncIterable<JournalEntry> {
    const [last] = (await this.#call('HMGET', this.#key(key, 'm'), 'last')) as [string | null];
    for (let from = fromSeq; from <= Number(last ?? 0); ) {
      const found = (await this.#call('XRANGE', this.#key(key, 'j'), `${from}-0`, `${last}-0`, 'COUNT', ENTRIES_A_PAGE)) as readonly (readonly [string, readonly string[]])[];
      for (const [, fields] of found) yield decodeEntry(parseObject(fields[1] ?? '') ?? {});
      from = found.length === 0 ? Infinity : Number.parseInt(found.at(-1)?.[0] ?? '', 10) + 1;
    }
  }

  /** In the order of the keys. Looks at every session of the user, or of all. */
  async *list(options: ListOptions = {}): AsyncIterable<SessionInfo> {
    let left = options.limit ?? Infinity;
    if (left <= 0) return;
    for await (const { facts } of this.#indexed(options)) {
      const [text, last, at, unfinished] = facts;
      if (text === null || last === null) continue;
      const info = { key: parseKey(text), lastSeq: Number(last), updatedAt: at ?? '', unfinished: unfinished === '1' };
      if (!isListed(info, options)) continue;
      yield info;
      if (--left <= 0) return;
    }
  }

  async delete(key: SessionKey): Promise<boolean> {
    fullKey(key);
    await this.#call('ZREM', this.#indexKey(), storeId(key));
    return (await this.#run(key, REMOVE)) === 1;
  }

  async lease(key: SessionKey, { owner, ttlMs }: LeaseOptions): Promise<Lease> {
    const me = textId(owner);
    const fence = String(await this.#run(key, TAKE_LEASE, me, ttlMs));
    if (fence === '') throw taken();
    return {
      fence: Number(fence),
      renew: async () => {
        if ((await this.#run(key, SET_LEASE_END, me, fence, Math.max(1, ttlMs))) !== 1) throw lost(key);
      },
      release: async () => {
        await this.#run(key, SET_LEASE_END, me, fence, 0);
      },
    };
  }

  async saveSnapshot(key: SessionKey, seq: number, state: JsonObject): Promise<void> {
    await this.#call('SET', this.#key(key, 's'), JSON.stringify({ seq, state }));
  }
  async loadSnapshot(key: SessionKey): Promise<{ readonly seq: number; readonly state: JsonObject } | undefined> {
    const found = parseObject(String((await this.#call('GET', this.#key(key, 's'))) ?? ''));
    return typeof found?.['seq'] === 'number' && isObject(found['state']) ? { seq: found['seq'], state: found['state'] } : undefined;
  }

  async save(key: SessionKey, name: string, value: JsonValue): Promise<void> {
    await this.#index(key);
    if ((await this.#run(key, SAVE_VALUE, textId(name), JSON.stringify(value), keyText(key))) === 1) await this.#index(key);
  }
  async get(key: SessionKey, name: string): Promise<JsonValue | undefined> {
    const text = await this.#call('HGET', this.#key(key, 'v'), textId(name));
    return typeof text === 'string' ? (JSON.parse(text) as JsonValue) : undefined;
  }
  async getList(key: SessionKey, name: string): Promise<readonly JsonValue[]> {
    return asList(await this.get(key, name));
  }
  async exists(key: SessionKey): Promise<boolean> {
    const [last] = (await this.#call('HMGET', this.#key(key, 'm'), 'last')) as [string | null];
    return last !== null || (await this.#call('EXISTS', this.#key(key, 'v'))) === 1;
  }
  async listSessionKeys(): Promise<readonly SessionKey[]> {
    const keys: SessionKey[] = [];
    for await (const { facts: [text] } of this.#indexed({})) if (text !== null) keys.push(parseKey(text));
    return keys;
  }

  async post(key: SessionKey, item: InboxItem): Promise<boolean> {
    return (await this.#run(key, POST, textId(item.id), JSON.stringify(item), REMEMBERED_IDS)) === 1;
  }
  async inbox(key: SessionKey): Promise<readonly InboxItem[]> {
    const texts = (await this.#call('HVALS', this.#key(key, 'i'))) as readonly string[];
    const items = texts.map((text) => ({ order: Number.parseInt(text, 10), item: JSON.parse(text.slice(text.indexOf(' '))) as InboxItem }));
    return items.toSorted((a, b) => a.order - b.order).map(({ item }) => item);
  }
  async acknowledge(key: SessionKey, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#call('HDEL', this.#key(key, 'i'), ...ids.map(textId));
  }

  /** Deletes what the retention does not keep, and returns how many sessions went. Sessions whose lease is held stay. */
  prune(retention: Retention = this.#retention): Promise<number> {
    return pruneSessions(this, retention);
  }
  /** Ends the connection this object made. The next use makes a new one. */
  close(): Promise<void> {
    return this.#connection.close();
  }

  /** The sessions of the index with `key last at unfinished`, some at a time; the key is null for one that is only begun or just gone. */
  async *#indexed({ userId, after }: ListOptions): AsyncGenerator<{ readonly facts: readonly [string | null, string | null, string | null, string | null] }> {
    const prefix = userId === undefined ? '' : userPrefix(userId);
    const behind = after === undefined ? '' : storeId(after);
    let from = Buffer.compare(Buffer.from(behind), Buffer.from(prefix)) > 0 ? `(${behind}` : prefix === '' ? '-' : `[${prefix}`;
    // A byte that is in no UTF-8 text sorts behind whatever follows the prefix.
    const to = prefix === '' ? '+' : Buffer.concat([Buffer.from(`[${prefix}`), Buffer.of(0xff)]);
    for (;;) {
      const ids = (await this.#call('ZRANGEBYLEX', this.#indexKey(), from, to, 'LIMIT', 0, SESSIONS_A_PAGE)) as readonly string[];
      const facts = await Promise.all(ids.map((id) => this.#call('HMGET', this.#keyOfId(id, 'm'), 'key', 'last', 'at', 'unfinished')));
      for (const each of facts) yield { facts: each as [string | null, string | null, string | null, string | null] };
      if (ids.length < SESSIONS_A_PAGE) return;
      from = `(${ids.at(-1)}`;
    }
  }
  async #index(key: SessionKey): Promise<void> {
    await this.#call('ZADD', this.#indexKey(), 0, storeId(key));
  }

  #indexKey(): string {
    return `${this.#prefix}sessions`;
  }
  #key(key: SessionKey, name: KeyName): string {
    return this.#keyOfId(storeId(key), name);
  }
  /** What stands in the first braces decides the slot in a cluster. */
  #keyOfId(id: string, name: KeyName): string {
    return `${this.#prefix}{${id}}${name}`;
  }

  async #call(command: string, ...args: RedisValue[]): Promise<unknown> {
    try {
      return await this.#connection.call(command, ...args);
    } catch (error) {
      throw unavailable(this.store, error);
    }
  }
  async #run(key: SessionKey, script: Script, ...args: RedisValue[]): Promise<unknown> {
    const keys = script.keys.map((name) => this.#key(key, name));
    try {
      return await this.#connection.run({ script, keys }, ...args);
    } catch (error) {
      throw unavailable(this.store, error);
    }
  }
}

function taken(): AgentScopeError<'session/conflict'> {
  return new AgentScopeError('session/conflict', 'Another process is writing this session. Wait until it has released the lease, or until the lease has run out.', {
    details: conflict(-1, -1).details,
  });
}
