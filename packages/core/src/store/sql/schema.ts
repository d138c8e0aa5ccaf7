import { AgentScopeError } from '../../error/index.ts';
import { numberOf } from './work.ts';
import type { Dialect, SqlDriver, Work } from './work.ts';

/** Statements by version of the tables: what a database of version n lacks are all from the nth on. Only ever added to. */
const MIGRATIONS: readonly ((dialect: Dialect) => readonly string[])[] = [tables];

/**
 * Makes the tables, or brings older ones up to date.
 *
 * @throws AgentScopeError `session/newer-schema` for tables of a newer version; they stay as they are.
 */
export async function migrate(driver: SqlDriver): Promise<void> {
  await driver.transact(function* (): Work<void> {
    const { dialect } = driver;
    if (dialect.migrationLock !== '') yield { sql: dialect.migrationLock };
    const found = yield* versionIn(dialect);
    if (found > MIGRATIONS.length) throw newer(found);
    if (found === MIGRATIONS.length) return; // so a user without the right to make tables can use those that are there
    const schema = dialect.table('schema');
    if (found === 0) yield { sql: `CREATE TABLE IF NOT EXISTS ${schema} (version ${dialect.integer} NOT NULL)` };
    for (const statements of MIGRATIONS.slice(found)) for (const sql of statements(dialect)) yield { sql };
    yield { sql: `DELETE FROM ${schema}` };
    yield { sql: `INSERT INTO ${schema} (version) VALUES (?1)`, values: [MIGRATIONS.length] };
  });
}

/** 0 for an empty database. */
function* versionIn(dialect: Dialect): Work<number> {
  const found = yield { sql: dialect.exists('schema') };
  if (found.length === 0) return 0;
  return numberOf((yield { sql: `SELECT max(version) AS version FROM ${dialect.table('schema')}` })[0]?.['version']);
}

function newer(found: number): AgentScopeError<'session/newer-schema'> {
  return new AgentScopeError('session/newer-schema', `The tables were made by a newer version (form ${found}, this one knows ${MIGRATIONS.length}). Update this package.`, {
    details: { found, known: MIGRATIONS.length },
  });
}

function tables({ table, plain, serial, integer, text }: Dialect): readonly string[] {
  const [sessions, entries, values, inbox] = [table('sessions'), table('entries'), table('named_values'), table('inbox')];
  return [
    `CREATE TABLE ${sessions} (
      n ${serial}, id ${text} NOT NULL UNIQUE, user_id ${text} NOT NULL, session_key ${text} NOT NULL,
      last_seq ${integer} NOT NULL DEFAULT 0, updated_at ${text} NOT NULL DEFAULT '', unfinished ${integer} NOT NULL DEFAULT 0,
      newest_fence ${integer} NOT NULL DEFAULT 0,
      lease_fence ${integer} NOT NULL DEFAULT 0, lease_owner ${text} NOT NULL DEFAULT '', lease_expires ${integer} NOT NULL DEFAULT 0,
      posts ${integer} NOT NULL DEFAULT 0, snapshot_seq ${integer}, snapshot ${text})`,
    `CREATE INDEX "${plain('sessions')}_by_user" ON ${sessions} (user_id, id)`,
    `CREATE INDEX "${plain('sessions')}_unfinished" ON ${sessions} (id) WHERE unfinished = 1`,
    `CREATE TABLE ${entries} (session ${integer} NOT NULL, last ${integer} NOT NULL, fence ${integer}, body ${text} NOT NULL, PRIMARY KEY (session, last))`,
    `CREATE TABLE ${values} (session ${integer} NOT NULL, name ${text} NOT NULL, body ${text} NOT NULL, PRIMARY KEY (session, name))`,
    `CREATE TABLE ${inbox} (session ${integer} NOT NULL, item ${text} NOT NULL, n ${integer} NOT NULL, body ${text}, PRIMARY KEY (session, item))`,
  ];
}
