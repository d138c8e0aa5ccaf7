import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Retention } from '../../session/index.ts';
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
export class SqliteSession extends SqlStore {
  constructor(file: string | URL, { tablePrefix = 'agentscope_', fsync = false, busyTimeoutMs = DEFAULT_BUSY_MS, retention = {} }: SqliteSessionOptions = {}) {
    const path = file instanceof URL ? fileURLToPath(file) : file;
    const driver = new SqliteDriver({ file: path === ':memory:' ? path : resolve(path), prefix: checkedName('tablePrefix', tablePrefix), fsync, busyTimeoutMs: Math.max(0, Math.floor(busyTimeoutMs)) });
    super({ driver, retention, prepare: () => migrate(driver) });
  }
}
