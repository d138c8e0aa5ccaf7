import type { JsonObject, JsonValue } from '../internal/index.ts';
import type { FullSessionKey, JournalEntry, SessionKey } from './entry.ts';

export interface AppendOptions {
  /** The `seq` the writer believes is last (a `delta` entry counts with its `to`). Another one is `session/conflict`. */
  readonly expectedSeq: number;
  /** The writer's token. An older one than the newest given out is `session/conflict`, whatever the numbers say. */
  readonly fence?: number;
}

export interface LeaseOptions {
  readonly ttlMs: number;
  /** Who asks. The owner of a lease that was released or ran out gets the same fence again, when nobody else had it since. */
  readonly owner: string;
}
export interface Lease {
  /** Grows with every change of owner; the journal's epoch. */
  readonly fence: number;
  /** @throws `session/lease-lost` when somebody else has it. */
  renew(): Promise<void>;
  release(): Promise<void>;
}

export interface SessionInfo {
  readonly key: FullSessionKey;
  readonly lastSeq: number;
  readonly updatedAt: string;
  /** The last reply has no AGENT_END: it was cut off, or is running. */
  readonly unfinished: boolean;
}

/** What another process says to a session: drained by the owner between steps. */
export interface InboxItem {
  /** Posting the same id twice is posting once, also after it was taken. */
  readonly id: string;
  /** ISO 8601 with `Z`, by the poster's clock. */
  readonly at: string;
  readonly kind: 'answer' | 'steer' | 'interrupt' | 'observe' | 'input';
  /** An answer event, a message in java2 extended form, or the words of an interrupt. */
  readonly body: JsonValue;
}

export interface ListOptions {
  readonly userId?: string | undefined;
  readonly unfinished?: boolean | undefined;
  /** At most this many. Default: all. */
  readonly limit?: number | undefined;
  /** Only sessions behind this one in the store's own order: the key of the last one of the page before. */
  readonly after?: FullSessionKey | undefined;
}

/**
 * The store of conversations (v1's word): one append-only journal a key. Three methods are the contract (`append`, `read`,
 * `delete`); `defineSession` completes the rest.
 */
export interface Session {
  /** A name for messages: `memory`, `file`, …; also in `session/unavailable`. */
  readonly store: string;
  /**
   * All or nothing. Appending again what is already there under the same fence (its answer was lost) succeeds.
   * @throws `session/conflict` when another writer was faster or took over; `session/unavailable` when the store cannot be reached.
   */
  append(key: SessionKey, entries: readonly JournalEntry[], options: AppendOptions): Promise<void>;
  /** In order of `seq`, from the entry that covers `fromSeq` (default 1). Nothing for an unknown key. */
  read(key: SessionKey, options?: { fromSeq?: number }): AsyncIterable<JournalEntry>;
  list(options?: ListOptions): AsyncIterable<SessionInfo>;
  /** True if there was something. */
  delete(key: SessionKey): Promise<boolean>;
  /** The right to write, for `ttlMs` by the store's clock. Waits for nobody: @throws `session/conflict` while another owner's has not run out. */
  lease(key: SessionKey, options: LeaseOptions): Promise<Lease>;
  saveSnapshot(key: SessionKey, seq: number, state: JsonObject): Promise<void>;
  loadSnapshot(key: SessionKey): Promise<{ readonly seq: number; readonly state: JsonObject } | undefined>;
  /** v1's face: named values of a session, in a namespace of their own. */
  save(key: SessionKey, name: string, value: JsonValue): Promise<void>;
  get(key: SessionKey, name: string): Promise<JsonValue | undefined>;
  getList(key: SessionKey, name: string): Promise<readonly JsonValue[]>;
  exists(key: SessionKey): Promise<boolean>;
  listSessionKeys(): Promise<readonly SessionKey[]>;
  /** Puts an item into the session's inbox; false when an item of this id was posted before (the last 1 000 ids are remembered). */
  post(key: SessionKey, item: InboxItem): Promise<boolean>;
  /** What was posted and not acknowledged, in order of posting. */
  inbox(key: SessionKey): Promise<readonly InboxItem[]>;
  /** Takes items out once what they led to is durable. */
  acknowledge(key: SessionKey, ids: readonly string[]): Promise<void>;
  close(): Promise<void>;
}
