import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { surviveOutage } from '../../../test/support/outage.ts';
import { lossyProxy, ownPostgres } from '../../../test/support/store-servers.ts';
import type { OwnServer } from '../../../test/support/store-servers.ts';
import { storeContract } from '../../testing/store-contract.ts';
import { eventually, readAll } from '../../testing/store-asserts.ts';
import { noteEntry, sampleEntries } from '../../testing/store-samples.ts';
import { PostgresSession } from './postgres-session.ts';

const connectionString = process.env['POSTGRES_URL'] ?? '';
const why = connectionString === '' ? ' (skipped: POSTGRES_URL names no server)' : '';
const KEY = { userId: 'u', sessionId: 's' };
const schema = `test_${randomUUID().replaceAll('-', '')}`;
let made = 0;
const newPrefix = (): string => `t${made++}_`;
const open = (options: { tablePrefix?: string; timeoutMs?: number; connectionString?: string } = {}): PostgresSession => new PostgresSession({ connectionString, schema, ...options });

afterAll(async () => {
  if (connectionString !== '') await ask(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
});

test('without a place, with two, or with a name that is none, it is not made', () => {
  const pool = { connect: () => Promise.reject(new Error()), query: () => Promise.reject(new Error()), end: async () => undefined };
  for (const options of [{}, { connectionString: 'postgres://x', pool }, { pool, schema: 'a.b' }, { pool, tablePrefix: 'a-b' }]) {
    expect(() => new PostgresSession(options)).toThrow(expect.objectContaining({ code: 'config/invalid' }));
  }
});

test('a server that is not there is session/unavailable, with the cause', async () => {
  const store = new PostgresSession({ connectionString: 'postgres://127.0.0.1:1/x' });
  await expect(store.append(KEY, [noteEntry(1, 'a')], { expectedSeq: 0 })).rejects.toMatchObject({ code: 'session/unavailable', details: { store: 'postgres' }, cause: expect.any(Error) });
  await store.close();
});

describe.skipIf(connectionString === '')(`PostgresSession${why}`, () => {
  storeContract({ describe, test }, () => {
    const tablePrefix = newPrefix();
    return { store: open({ tablePrefix }), reopen: () => open({ tablePrefix }) };
  });

  test('a pool of the user is used and left open', async () => {
    const pool = new pg.Pool({ connectionString });
    const store = new PostgresSession({ pool, schema, tablePrefix: newPrefix() });
    await store.append(KEY, sampleEntries(), { expectedSeq: 0 });
    await store.close();
    expect([(await pool.query('SELECT 1 AS one')).rows, await readAll(store, KEY)]).toEqual([[{ one: 1 }], sampleEntries()]);
    await pool.end();
  });

  test('many processes may make the tables at once', async () => {
    const tablePrefix = newPrefix();
    const stores = Array.from({ length: 8 }, () => open({ tablePrefix }));
    await Promise.all(stores.map((store, i) => store.append({ sessionId: `s${i}` }, [noteEntry(1, 'x')], { expectedSeq: 0 })));
    expect(await stores[0]?.listSessionKeys()).toHaveLength(8);
    await Promise.all(stores.map((store) => store.close()));
  });

  test('tables of a newer version are refused and stay as they are', async () => {
    const tablePrefix = newPrefix();
    const store = open({ tablePrefix });
    await store.append(KEY, [noteEntry(1, 'a')], { expectedSeq: 0 });
    await store.close();
    await ask(`UPDATE ${schema}.${tablePrefix}schema SET version = 9`);
    await expect(store.append(KEY, [noteEntry(2, 'b')], { expectedSeq: 1 })).rejects.toMatchObject({ code: 'session/newer-schema', details: { found: 9, known: 1 } });
    await ask(`UPDATE ${schema}.${tablePrefix}schema SET version = 1`);
    expect(await readAll(store, KEY)).toEqual([noteEntry(1, 'a')]);
    await store.close();
  });

  test('a user who may only read and write rows can use tables that are there', async () => {
    const [tablePrefix, role] = [newPrefix(), `role_${randomUUID().replaceAll('-', '')}`];
    const owner = open({ tablePrefix });
    await owner.append(KEY, [noteEntry(1, 'a')], { expectedSeq: 0 });
    await ask(`CREATE ROLE ${role} LOGIN PASSWORD 'x'; GRANT USAGE ON SCHEMA ${schema} TO ${role}; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role}`);
    const place = new URL(connectionString);
    [place.username, place.password] = [role, 'x'];
    const store = open({ tablePrefix, connectionString: place.href });
    await store.append(KEY, [noteEntry(2, 'b')], { expectedSeq: 1 });
    expect(await readAll(store, KEY)).toHaveLength(2);
    await Promise.all([owner.close(), store.close()]);
    await ask(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });

  test('C083 a process that stands still in the middle of an append keeps others out for the time-out only', async () => {
    const tablePrefix = newPrefix();
    const store = open({ tablePrefix, timeoutMs: 300 });
    await store.append(KEY, [noteEntry(1, 'a')], { expectedSeq: 0 });
    const stopped = new pg.Client({ connectionString });
    await stopped.connect();
    await stopped.query(`BEGIN; SELECT 1 FROM ${schema}.${tablePrefix}sessions FOR UPDATE`);
    await expect(store.append(KEY, [noteEntry(2, 'b')], { expectedSeq: 1 })).rejects.toMatchObject({ code: 'session/unavailable' });
    expect(await readAll(store, KEY)).toEqual([noteEntry(1, 'a')]);
    await stopped.query('COMMIT');
    await stopped.end();
    await eventually(() => store.append(KEY, [noteEntry(2, 'b')], { expectedSeq: 1 }), 'append afterwards');
    expect(await readAll(store, KEY)).toHaveLength(2);
    await store.close();
  });

  test('C083 connections killed in mid-append: what was appended is there once, in order, and nothing is lost', async () => {
    const name = `killed-${randomUUID()}`;
    const place = new URL(connectionString);
    place.searchParams.set('application_name', name);
    const store = open({ tablePrefix: newPrefix(), connectionString: place.href });
    const { fence } = await store.lease(KEY, { owner: 'a', ttlMs: 60_000 });
    const killer = new pg.Client({ connectionString });
    await killer.connect();
    const kill = async (): Promise<number> => (await killer.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [name])).rows.length;
    const kills: Promise<number>[] = [];
    let failed = 0;
    for (let seq = 1; seq <= 200; seq += 2) {
      const batch = [noteEntry(seq, 'x'.repeat(2_000)), noteEntry(seq + 1, 'y')];
      if (seq % 5 === 0) kills.push((kills.at(-1) ?? Promise.resolve(0)).then(kill));
      await eventually(() => store.append(KEY, batch, { expectedSeq: seq - 1, fence }).catch((error: unknown) => {
        failed++;
        expect(error).toMatchObject({ code: 'session/unavailable', cause: expect.any(Error) });
        throw error;
      }), `append ${seq}`);
    }
    expect((await Promise.all(kills)).reduce((sum, killed) => sum + killed)).toBeGreaterThan(0);
    expect(failed).toBeGreaterThan(0);
    await killer.end();
    expect((await readAll(store, KEY)).map(({ seq }) => seq)).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
    await store.close();
  });

  test.for(['BEGIN', 'INSERT INTO', 'COMMIT'])('C088 an append that lost the answer to %s is in the journal once when it is tried again', async (statement) => {
    const place = new URL(connectionString);
    const proxy = await lossyProxy({ hostname: place.hostname, port: Number(place.port || 5432) });
    [place.hostname, place.port] = ['127.0.0.1', String(proxy.port)];
    const store = open({ tablePrefix: newPrefix(), connectionString: place.href });
    const { fence } = await store.lease(KEY, { owner: 'a', ttlMs: 60_000 });
    await store.append(KEY, sampleEntries().slice(0, 5), { expectedSeq: 0, fence });
    proxy.lose(statement, 1);
    await expect(store.append(KEY, sampleEntries().slice(5), { expectedSeq: 8, fence })).rejects.toMatchObject({ code: 'session/unavailable' });
    expect(proxy.lost).toBe(1);
    await store.append(KEY, sampleEntries().slice(5), { expectedSeq: 8, fence });
    expect(await readAll(store, KEY)).toEqual(sampleEntries());
    await store.close();
    await proxy.close();
  });
});

describe.skipIf(connectionString === '')(`PostgresSession and a server that goes away${why}`, () => {
  let server: OwnServer | undefined;
  beforeAll(async () => {
    server = await ownPostgres();
  }, 60_000);
  afterAll(() => server?.dispose());

  test('while it is killed calls are session/unavailable; restarted, everything it had confirmed is there and the store works again', async ({ skip }) => {
    if (server === undefined) return skip('no PostgreSQL to kill');
    await expect(surviveOutage(new PostgresSession({ connectionString: server.url }), server)).resolves.toBeUndefined();
  });
});

async function ask(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(sql);
  await client.end();
}
