import type { Retention } from '../../session/index.ts';
import { invalidOption } from '../shared/unavailable.ts';
import { checkedName } from '../sql/names.ts';
import { migrate } from '../sql/schema.ts';
import { SqlStore } from '../sql/sql-store.ts';
import { PostgresDriver } from './postgres-driver.ts';
import type { PostgresPool } from './postgres-driver.ts';

export interface PostgresSessionOptions {
  /** Where the database is, `postgres://user:password@host:5432/name`. Either this or `pool`. */
  readonly connectionString?: string;
  /** A `Pool` of the package `pg` that you have already. It stays yours: `close()` leaves it open, and its `error` events are yours. */
  readonly pool?: PostgresPool;
  /** What the names of the tables begin with: ASCII letters, digits, `_`, at most 40. Default `agentscope_`. */
  readonly tablePrefix?: string;
  /** Schema the tables lie in, made where it is missing; named as a prefix is. Default: the first of the connection's search path. */
  readonly schema?: string;
  /** Time for a connection, a lock or an answer, in milliseconds, at least 1; with `pool` for a lock only, the rest is the pool's. Default 10 000. Past it: `session/unavailable`. */
  readonly timeoutMs?: number;
  /** What `prune()` keeps. Default: everything. */
  readonly retention?: Retention;
}

const DEFAULT_TIMEOUT_MS = 10_000;

/**
 * Keeps sessions in PostgreSQL 12 or newer, by the package `pg` (install it beside this one). Any number of processes and machines may
 * use them. The tables are made or brought up to date at the first use.
 *
 * @throws AgentScopeError `config/invalid` for bad options or without `pg`; the methods `session/unavailable` while the database cannot
 * be reached, `session/newer-schema` when a newer version made its tables.
 */
export class PostgresSession extends SqlStore {
  constructor({ connectionString, pool, tablePrefix = 'agentscope_', schema, timeoutMs = DEFAULT_TIMEOUT_MS, retention = {} }: PostgresSessionOptions) {
    if ((connectionString === undefined) === (pool === undefined)) throw invalidOption('connectionString', 'PostgresSession needs either `connectionString` or `pool`.');
    const prefix = checkedName('tablePrefix', tablePrefix);
    const inSchema = schema === undefined ? undefined : checkedName('schema', schema);
    const driver = new PostgresDriver({ connectionString, pool, prefix, schema: inSchema, timeoutMs: Math.max(1, Math.floor(timeoutMs)) });
    const prepare = async (): Promise<void> => {
      if (inSchema !== undefined) await ensureSchema(driver, inSchema);
      await migrate(driver);
    };
    super({ driver, retention, prepare });
  }
}

/** Looks first: making one, even one that is there, needs a right that using it does not. */
async function ensureSchema(driver: PostgresDriver, schema: string): Promise<void> {
  await driver.transact(function* () {
    yield { sql: driver.dialect.migrationLock };
    const found = yield { sql: 'SELECT 1 AS found FROM pg_namespace WHERE nspname = ?1', values: [schema] };
    if (found.length === 0) yield { sql: `CREATE SCHEMA "${schema}"` };
  });
}
