import { AgentScopeError } from '../../error/index.ts';
import { unavailable, invalidOption } from '../shared/unavailable.ts';
import type { Dialect, Query, Row, SqlDriver, Work } from '../sql/work.ts';

/** As much of a `Pool` of the package `pg` as we need. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  query(sql: string, values: unknown[]): Promise<PostgresResult>;
  end(): Promise<void>;
}
export interface PostgresClient {
  query(sql: string, values?: unknown[]): Promise<PostgresResult>;
  /** With an error: the connection is not used again. */
  release(error?: Error | boolean): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
}
export interface PostgresResult {
  readonly rows: readonly unknown[];
}

export interface PostgresDriverOptions {
  readonly connectionString: string | undefined;
  readonly pool: PostgresPool | undefined;
  readonly prefix: string;
  readonly schema: string | undefined;
  readonly timeoutMs: number;
}

/** A connection a transaction, from a pool. A lost connection is given up, and the next transaction gets a new one. */
export class PostgresDriver implements SqlDriver {
  readonly store = 'postgres';
  readonly dialect: Dialect;
  readonly #options: PostgresDriverOptions;
  readonly #begin: string;
  #own: Promise<PostgresPool> | undefined;

  constructor(options: PostgresDriverOptions) {
    this.#options = options;
    this.dialect = dialectOf(options);
    // A process that is stopped in the middle of a transaction would keep the row locked for all others.
    this.#begin = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${options.timeoutMs}; SET LOCAL lock_timeout = ${options.timeoutMs}`;
  }

  async transact<T>(work: () => Work<T>): Promise<T> {
    const client = await (await this.#pool()).connect();
    let broken: Error | undefined;
    const onError = (error: Error): void => {
      broken = error;
    };
    client.on('error', onError);
    try {
      return await this.#inTransaction(client, work);
    } catch (error) {
      // Where the server did not answer, the connection may still be busy with the statement: it is not used again.
      if (isAnswered(error)) await client.query('ROLLBACK').catch((reason: unknown) => (broken ??= asError(reason)));
      else broken ??= asError(error);
      throw error;
    } finally {
      client.off('error', onError);
      client.release(broken);
    }
  }
  async look<T>(work: () => Work<T>): Promise<T> {
    const pool = await this.#pool();
    return run(work(), (query) => pool.query(textOf(query), valuesOf(query)));
  }
  async close(): Promise<void> {
    const own = this.#own;
    this.#own = undefined;
    await (await own?.catch(() => undefined))?.end();
  }

  async #inTransaction<T>(client: PostgresClient, work: () => Work<T>): Promise<T> {
    await client.query(this.#begin);
    const result = await run(work(), (query) => client.query(textOf(query), valuesOf(query)));
    await client.query('COMMIT');
    return result;
  }

  async #pool(): Promise<PostgresPool> {
    if (this.#options.pool !== undefined) return this.#options.pool;
    this.#own ??= openPool(this.#options);
    try {
      return await this.#own;
    } catch (error) {
      this.#own = undefined;
      throw error;
    }
  }
}

async function openPool({ connectionString, timeoutMs }: PostgresDriverOptions): Promise<PostgresPool> {
  const { default: pg } = await import('pg').catch((error: unknown) => {
    throw invalidOption('store', 'PostgresSession needs the package `pg`. Install it: npm install pg', error);
  });
  const pool = new pg.Pool({ connectionString, connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs, allowExitOnIdle: true });
  pool.on('error', () => undefined); // a connection nobody uses was lost; the pool makes a new one when needed
  return pool;
}

async function run<T>(work: Work<T>, ask: (query: Query) => Promise<PostgresResult>): Promise<T> {
  let step = work.next([]);
  while (step.done !== true) {
    const { rows } = await ask(step.value);
    step = work.next(rows as readonly Row[]);
  }
  return step.value;
}

function textOf({ sql }: Query): string {
  return sql.replace(/\?(\d+)/g, '$$$1');
}
function valuesOf({ values = [] }: Query): unknown[] {
  return [...values];
}
/** Our own errors, and those the server sent. */
function isAnswered(error: unknown): boolean {
  return AgentScopeError.is(error) || (error instanceof Error && 'severity' in error);
}
function asError(error: unknown): Error {
  return error instanceof Error ? error : unavailable('postgres', error);
}

function dialectOf({ prefix, schema }: PostgresDriverOptions): Dialect {
  const inSchema = schema === undefined ? '' : `"${schema}".`;
  return {
    table: (name) => `${inSchema}"${prefix}${name}"`,
    plain: (name) => prefix + name,
    exists: (name) => `SELECT 1 AS found WHERE to_regclass('${inSchema}"${prefix}${name}"') IS NOT NULL`,
    migrationLock: `SELECT pg_advisory_xact_lock(hashtext('${inSchema}${prefix}agentscope'))`,
    now: '(extract(epoch from clock_timestamp()) * 1000)::bigint',
    lock: ' FOR UPDATE',
    serial: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
    integer: 'BIGINT',
    text: 'TEXT COLLATE "C"',
    rowsPerInsert: 500,
  };
}
