import { invalidOption } from '../shared/unavailable.ts';
import type { Dialect, Query, Row, SqlDriver, SqlValue, Work } from '../sql/work.ts';

/** As much of `node:sqlite` as we need. */
interface Database {
  exec(sql: string): void;
  prepare(sql: string): { all(...values: SqlValue[]): unknown[] };
  close(): void;
}
type DatabaseClass = new (file: string) => Database;

export interface SqliteOptions {
  readonly file: string;
  readonly prefix: string;
  readonly fsync: boolean;
  readonly busyTimeoutMs: number;
}

const NEEDED = '22.13';

/**
 * The class behind `node:sqlite`, looked up and not imported: older versions of Node can load the module that asks.
 *
 * @throws AgentScopeError `config/invalid` where this Node has none.
 */
function databaseClass(): DatabaseClass {
  const found = process.getBuiltinModule?.('node:sqlite') as { readonly DatabaseSync: DatabaseClass } | undefined;
  if (found !== undefined) return found.DatabaseSync;
  throw invalidOption('store', `SqliteSession needs Node ${NEEDED} or newer, and this is Node ${process.versions.node}. Update Node, or use JsonSession, which keeps sessions in files.`);
}

/** One connection. Everything runs at once, so no two transactions of this process ever meet; other processes wait at most the time-out. */
export class SqliteDriver implements SqlDriver {
  readonly store = 'sqlite';
  readonly dialect: Dialect;
  readonly #class: DatabaseClass;
  readonly #options: SqliteOptions;
  readonly #statements = new Map<string, ReturnType<Database['prepare']>>();
  #open: Database | undefined;

  constructor(options: SqliteOptions) {
    this.#class = databaseClass();
    this.#options = options;
    this.dialect = dialectOf(options.prefix);
  }

  async transact<T>(work: () => Work<T>): Promise<T> {
    const database = this.#database();
    database.exec('BEGIN IMMEDIATE');
    try {
      const result = this.#run(work());
      database.exec('COMMIT');
      return result;
    } catch (error) {
      this.#undo(database);
      throw error;
    }
  }
  async look<T>(work: () => Work<T>): Promise<T> {
    return this.#run(work());
  }
  async close(): Promise<void> {
    this.#statements.clear();
    this.#open?.close();
    this.#open = undefined;
  }

  #run<T>(work: Work<T>): T {
    let step = work.next([]);
    while (step.done !== true) step = work.next(this.#ask(step.value));
    return step.value;
  }
  #ask({ sql, values = [] }: Query): readonly Row[] {
    const statement = this.#statements.get(sql) ?? this.#database().prepare(sql);
    this.#statements.set(sql, statement);
    return statement.all(...values) as Row[];
  }
  /** SQLite has undone it itself after some errors, a full disk among them. */
  #undo(database: Database): void {
    try {
      database.exec('ROLLBACK');
    } catch {
      void this.close();
    }
  }

  #database(): Database {
    if (this.#open !== undefined) return this.#open;
    const { file, fsync, busyTimeoutMs } = this.#options;
    const database = new this.#class(file);
    try {
      database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
      database.exec('PRAGMA journal_mode = WAL');
      database.exec(`PRAGMA synchronous = ${fsync ? 'FULL' : 'NORMAL'}`);
    } catch (error) {
      database.close();
      throw error;
    }
    this.#open = database;
    return database;
  }
}

function dialectOf(prefix: string): Dialect {
  return {
    table: (name) => `"${prefix}${name}"`,
    plain: (name) => prefix + name,
    exists: (name) => `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '${prefix}${name}'`,
    migrationLock: '',
    now: `CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)`,
    lock: '',
    serial: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    integer: 'INTEGER',
    text: 'TEXT',
    rowsPerInsert: 1,
  };
}
