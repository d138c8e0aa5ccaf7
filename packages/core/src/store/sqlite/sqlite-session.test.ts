import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { storeContract } from '../../testing/store-contract.ts';
import { readAll } from '../../testing/store-asserts.ts';
import { noteEntry } from '../../testing/store-samples.ts';
import { SqliteSession } from './sqlite-session.ts';

const hasSqlite = process.getBuiltinModule?.('node:sqlite') !== undefined;
const why = hasSqlite ? '' : ` (skipped: node:sqlite needs Node 22.13, this is ${process.versions.node})`;
const KEY = { userId: 'u', sessionId: 's' };

const made: string[] = [];
afterAll(() => Promise.all(made.map((folder) => rm(folder, { recursive: true, force: true }))));

describe.skipIf(!hasSqlite)(`SqliteSession${why}`, () => {
  storeContract({ describe, test }, async () => {
    const file = await newFile();
    return { store: new SqliteSession(file), reopen: () => new SqliteSession(pathToFileURL(file)) };
  });
});

test.runIf(!hasSqlite)(`on an older Node it says which one is needed`, () => {
  expect(() => new SqliteSession('sessions.db')).toThrow(expect.objectContaining({ code: 'config/invalid', message: expect.stringContaining('Node 22.13') }));
});

describe.skipIf(!hasSqlite)(`SqliteSession by itself${why}`, () => {
  test('in memory and with fsync it keeps sessions as well', async () => {
    for (const store of [new SqliteSession(':memory:'), new SqliteSession(await newFile(), { fsync: true })]) {
      await store.append(KEY, [noteEntry(1, 'a')], { expectedSeq: 0 });
      expect(await readAll(store, KEY)).toEqual([noteEntry(1, 'a')]);
      await store.close();
    }
  });

  test('two prefixes in one file are two stores; a bad prefix is refused', async () => {
    const file = await newFile();
    const [one, two] = [new SqliteSession(file), new SqliteSession(file, { tablePrefix: 'other_' })];
    await one.append(KEY, [noteEntry(1, 'a')], { expectedSeq: 0 });
    expect([await two.exists(KEY), await one.exists(KEY)]).toEqual([false, true]);
    for (const tablePrefix of ['', '1a', 'a-b', 'a"; DROP TABLE x; --', 'x'.repeat(41)]) {
      expect(() => new SqliteSession(file, { tablePrefix })).toThrow(expect.objectContaining({ code: 'config/invalid' }));
    }
    await Promise.all([one.close(), two.close()]);
  });

  test('tables of a newer version are refused and stay as they are', async () => {
    const file = await newFile();
    const store = new SqliteSession(file);
    await store.append(KEY, [noteEntry(1, 'a')], { expectedSeq: 0 });
    await store.close();
    setVersion(file, 9);
    await expect(store.append(KEY, [noteEntry(2, 'b')], { expectedSeq: 1 })).rejects.toMatchObject({ code: 'session/newer-schema', details: { found: 9, known: 1 } });
    setVersion(file, 1);
    expect(await readAll(new SqliteSession(file), KEY)).toEqual([noteEntry(1, 'a')]);
  });

  test('a file that is no database is session/unavailable and stays as it is; a closed store opens again', async () => {
    const file = await newFile();
    await writeFile(file, 'This is no database at all.\n'.repeat(100));
    await expect(new SqliteSession(file).exists(KEY)).rejects.toMatchObject({ code: 'session/unavailable', details: { store: 'sqlite' } });
    const store = new SqliteSession(await newFile());
    await store.append(KEY, [noteEntry(1, 'a')], { expectedSeq: 0 });
    await store.close();
    expect(await readAll(store, KEY)).toEqual([noteEntry(1, 'a')]);
    await store.close();
  });

  test('C083 while another process writes for longer than the time-out, an append is session/unavailable; later it succeeds', async () => {
    const file = await newFile();
    const store = new SqliteSession(file, { busyTimeoutMs: 20 });
    await store.append(KEY, [noteEntry(1, 'a')], { expectedSeq: 0 });
    const other = openDatabase(file);
    other.exec('BEGIN IMMEDIATE');
    await expect(store.append(KEY, [noteEntry(2, 'b')], { expectedSeq: 1 })).rejects.toMatchObject({ code: 'session/unavailable', cause: { message: expect.stringContaining('locked') } });
    expect(await readAll(store, KEY)).toEqual([noteEntry(1, 'a')]); // readers do not wait for writers
    other.exec('COMMIT');
    other.close();
    await store.append(KEY, [noteEntry(2, 'b')], { expectedSeq: 1 });
    expect(await readAll(store, KEY)).toHaveLength(2);
    await store.close();
  });
});

interface Database {
  exec(sql: string): void;
  close(): void;
}
function openDatabase(file: string): Database {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite') as unknown as { DatabaseSync: new (file: string) => Database };
  return new DatabaseSync(file);
}
function setVersion(file: string, version: number): void {
  const database = openDatabase(file);
  database.exec(`UPDATE agentscope_schema SET version = ${version}`);
  database.close();
}
async function newFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'agentscope-sqlite-'));
  made.push(folder);
  return join(folder, 'sessions.db');
}
