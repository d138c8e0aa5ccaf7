import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isObject, parseObject } from '../../internal/index.ts';
import type { Clock, JsonObject, JsonValue } from '../../internal/index.ts';
import { asList, isListed, KeyedLock, keyText, pruneSessions } from '../../session/index.ts';
import type { AppendOptions, InboxItem, JournalEntry, Lease, LeaseOptions, ListOptions, Retention, Session, SessionInfo, SessionKey } from '../../session/index.ts';
import { Folders } from './folders.ts';
import { hasCode, onDisk } from './fs-error.ts';
import { acknowledgeIn, itemsIn, postInto } from './inbox.ts';
import { listFolder, readLayout } from './layout.ts';
import { takeLease } from './lease-file.ts';
import { encodeName } from './names.ts';
import { Recent } from './recent.ts';
import { replaceFile } from './replace-file.ts';
import { segmentsInfo } from './segment-info.ts';
import type { OnDamage } from './segment.ts';
import { readSegments } from './segment-reader.ts';
import type { Marks } from './segment-reader.ts';
import { appendToSegment } from './segment-writer.ts';
import type { SegmentEnd } from './segment-writer.ts';

export interface JsonSessionOptions {
  /** Waits until the disk has it. Default false: a killed process loses nothing, a power cut may. */
  readonly fsync?: boolean;
  /** Told about bytes that hold no entry (a torn line, garbage) whenever they are read past; what is around them loads. */
  readonly onDamage?: OnDamage;
  /** What leases and ages run by, in milliseconds; the same for all processes on the folder. Default this machine's clock. */
  readonly clock?: Clock;
  /** What `prune()` keeps. Default: everything. */
  readonly retention?: Retention;
}

/** Sessions of which this object remembers where their files end. */
const REMEMBERED = 1_000;
const SNAPSHOT_FILE = 'snapshot.json';

/**
 * Keeps sessions in a folder, one JSON object a line. Several processes may use the folder: one writes a session at a time, and a
 * writer that lost its lease can never get its bytes read. Any text is an id; its folder's name is an encoding of it.
 */
export class JsonSession implements Session {
  readonly store = 'file';
  readonly #folders: Folders;
  readonly #fsync: boolean;
  readonly #onDamage: OnDamage | undefined;
  readonly #clock: Clock;
  readonly #retention: Retention;
  readonly #locks = new KeyedLock();
  readonly #ends = new Recent<SegmentEnd>(REMEMBERED);
  readonly #marks = new Recent<Marks>(REMEMBERED);

  constructor(folder: string | URL, { fsync = false, onDamage, clock = Date.now, retention = {} }: JsonSessionOptions = {}) {
    this.#folders = new Folders(resolve(folder instanceof URL ? fileURLToPath(folder) : folder), { fsync });
    this.#fsync = fsync;
    this.#onDamage = onDamage;
    this.#clock = clock;
    this.#retention = retention;
  }

  async append(key: SessionKey, entries: readonly JournalEntry[], options: AppendOptions): Promise<void> {
    const name = keyText(key);
    return this.#locks.run(name, () =>
      onDisk(async () => {
        const known = this.#ends.get(name);
        const folder = known === undefined ? await this.#folders.ensure(key) : this.#folders.path(key);
        // Forgotten until it is known again: after a failure the file is measured anew, and its folder made if it is gone.
        this.#ends.delete(name);
        this.#ends.set(name, await appendToSegment({ folder, entries, ...options, known, fsync: this.#fsync }));
      }),
    );
  }

  async *read(key: SessionKey, { fromSeq = 1 }: { fromSeq?: number } = {}): AsyncIterable<JournalEntry> {
    const name = keyText(key);
    const folder = await onDisk(() => this.#folders.existing(key));
    if (folder === undefined) return;
    const entries = readSegments(folder, { fromSeq, marks: this.#marks.get(name), onDamage: this.#onDamage, keep: (marks) => this.#marks.set(name, marks) });
    try {
      for (let next = await onDisk(() => entries.next()); next.done !== true; next = await onDisk(() => entries.next())) yield next.value;
    } finally {
      await entries.return(undefined);
    }
  }

  /** In the order of the folders' names. Goes over the lines of each session it looks at. */
  async *list(options: ListOptions = {}): AsyncIterable<SessionInfo> {
    let left = options.limit ?? Infinity;
    for await (const { key, path } of this.#folders.all(options)) {
      if (left <= 0) return;
      const info = await onDisk(() => segmentsInfo(path, key));
      if (info === undefined || !isListed(info, options)) continue;
      left--;
      yield info;
    }
  }

  async delete(key: SessionKey): Promise<boolean> {
    const name = keyText(key);
    return this.#locks.run(name, () =>
      onDisk(async () => {
        const existed = await this.exists(key);
        const folder = await this.#folders.existing(key);
        this.#ends.delete(name);
        this.#marks.delete(name);
        if (folder !== undefined) await rm(folder, { recursive: true, force: true });
        return existed;
      }),
    );
  }

  async lease(key: SessionKey, options: LeaseOptions): Promise<Lease> {
    return onDisk(async () => takeLease(await this.#folders.ensure(key), key, { ...options, clock: this.#clock }));
  }

  async saveSnapshot(key: SessionKey, seq: number, state: JsonObject): Promise<void> {
    return this.#replace(key, SNAPSHOT_FILE, JSON.stringify({ seq, state }));
  }
  /** Undefined also for a damaged file: a snapshot can always be made again. */
  async loadSnapshot(key: SessionKey): Promise<{ readonly seq: number; readonly state: JsonObject } | undefined> {
    const found = parseObject((await this.#file(key, SNAPSHOT_FILE)) ?? '');
    return typeof found?.['seq'] === 'number' && isObject(found['state']) ? { seq: found['seq'], state: found['state'] } : undefined;
  }

  async save(key: SessionKey, name: string, value: JsonValue): Promise<void> {
    return this.#replace(key, valueFile(name), JSON.stringify(value));
  }
  async get(key: SessionKey, name: string): Promise<JsonValue | undefined> {
    const text = await this.#file(key, valueFile(name));
    return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
  }
  async getList(key: SessionKey, name: string): Promise<readonly JsonValue[]> {
    return asList(await this.get(key, name));
  }

  async exists(key: SessionKey): Promise<boolean> {
    return onDisk(async () => {
      const folder = await this.#folders.existing(key);
      return folder !== undefined && holdsSomething(folder);
    });
  }
  async listSessionKeys(): Promise<readonly SessionKey[]> {
    const keys: SessionKey[] = [];
    for await (const { key, path } of this.#folders.all()) if (await holdsSomething(path)) keys.push(key);
    return keys;
  }

  async post(key: SessionKey, item: InboxItem): Promise<boolean> {
    return onDisk(async () => postInto(await this.#folders.ensure(key), item, { fsync: this.#fsync }));
  }
  async inbox(key: SessionKey): Promise<readonly InboxItem[]> {
    return onDisk(async () => {
      const folder = await this.#folders.existing(key);
      return folder === undefined ? [] : itemsIn(folder);
    });
  }
  async acknowledge(key: SessionKey, ids: readonly string[]): Promise<void> {
    return onDisk(async () => {
      const folder = await this.#folders.existing(key);
      if (folder !== undefined) await acknowledgeIn(folder, ids);
    });
  }

  /** Deletes what the retention does not keep, and returns how many sessions went. Sessions whose lease is held stay. */
  async prune(retention: Retention = this.#retention): Promise<number> {
    return pruneSessions(this, retention, this.#clock);
  }
  async close(): Promise<void> {}

  #replace(key: SessionKey, name: string, text: string): Promise<void> {
    return onDisk(async () => replaceFile(join(await this.#folders.ensure(key), name), text, { fsync: this.#fsync }));
  }
  #file(key: SessionKey, name: string): Promise<string | undefined> {
    return onDisk(async () => {
      const folder = await this.#folders.existing(key);
      if (folder === undefined) return undefined;
      try {
        return await readFile(join(folder, name), 'utf8');
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return undefined;
        throw error;
      }
    });
  }
}

function valueFile(name: string): string {
  return `${encodeName('v', name)}.json`;
}

/** A lease alone is nothing. */
async function holdsSomething(folder: string): Promise<boolean> {
  const listing = await listFolder(folder);
  if (listing === undefined) return false;
  return listing.values > 0 || (await readLayout(folder, listing.segments)).length > 0;
}
