import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { packageFile } from '../../test/support/package.ts';

// Each process is a program of its own over the built package, as another server would be.

interface Place {
  readonly name: string;
  readonly className: string;
  /** Arguments of the constructor, as JSON. */
  readonly args: (folder: string) => readonly unknown[];
  /** Why it is skipped; `''` where it is not. */
  readonly missing: string;
}

const { REDIS_URL: redis = '', POSTGRES_URL: postgres = '' } = process.env;
const PLACES: readonly Place[] = [
  { name: 'file', className: 'JsonSession', args: (folder) => [folder], missing: '' },
  { name: 'sqlite', className: 'SqliteSession', args: (folder) => [join(folder, 's.db')], missing: process.getBuiltinModule?.('node:sqlite') === undefined ? `node:sqlite needs Node 22.13, this is ${process.versions.node}` : '' },
  { name: 'postgres', className: 'PostgresSession', args: () => [{ connectionString: postgres, tablePrefix: `p${randomUUID().replaceAll('-', '')}_` }], missing: postgres === '' ? 'POSTGRES_URL names no server' : '' },
  { name: 'redis', className: 'RedisSession', args: () => [{ url: redis, keyPrefix: `processes:${randomUUID()}:` }], missing: redis === '' ? 'REDIS_URL names no server' : '' },
];

const PROCESSES = 3;
const APPENDS = 25;

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentscope-processes-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test.for(PLACES)('C083 processes that append to one session of the $name store as fast as they can lose nothing and overwrite nothing', { timeout: 60_000 }, async (place, { skip }) => {
  if (place.missing !== '') skip(place.missing);
  const args = place.args(folder);
  const run = (body: string): Promise<string> => output(program(place, args, body));
  await Promise.all(Array.from({ length: PROCESSES }, (_, who) => run(appending(who))));
  const found = JSON.parse(await run(READING)) as { readonly seq: number; readonly value: string }[];
  expect(found.map(({ seq }) => seq)).toEqual(Array.from({ length: PROCESSES * APPENDS * 2 }, (_, i) => i + 1));
  for (let who = 0; who < PROCESSES; who++) {
    const own = found.filter(({ value }) => value.startsWith(`${who}/`)).map(({ value }) => value);
    expect(own).toEqual(Array.from({ length: APPENDS }, (_, i) => [`${who}/${i}/a`, `${who}/${i}/b`]).flat());
  }
});

test.for(PLACES)('C083 processes that take turns by the lease of the $name store are never two at once, and each turn has a higher fence', { timeout: 60_000 }, async (place, { skip }) => {
  if (place.missing !== '') skip(place.missing);
  const args = place.args(folder);
  const run = (body: string): Promise<string> => output(program(place, args, body));
  await Promise.all(Array.from({ length: PROCESSES }, (_, who) => run(takingTurns(who))));
  const found = JSON.parse(await run(READING)) as { readonly seq: number; readonly value: string }[];
  const turns = found.map(({ value }) => JSON.parse(value) as { readonly who: number; readonly fence: number; readonly part: number });
  expect(turns).toHaveLength(PROCESSES * 5 * 3);
  for (let i = 0; i < turns.length; i += 3) {
    const [first, ...rest] = turns.slice(i, i + 3);
    expect(rest.map(({ who, fence, part }) => [who, fence, part])).toEqual([[first?.who, first?.fence, 1], [first?.who, first?.fence, 2]]);
    const before = turns[i - 1];
    if (before !== undefined && before.who !== first?.who) expect(first?.fence).toBeGreaterThan(before.fence);
  }
});

const READING = `
  const found = [];
  for await (const { seq, value } of store.read(key)) found.push({ seq, value });
  console.log(JSON.stringify(found));
  if (store.store !== 'file' && store.store !== 'sqlite') await store.delete(key);`;

function appending(who: number): string {
  return `
  for (let i = 0; i < ${APPENDS}; i++) {
    for (;;) {
      const last = await lastSeq();
      const batch = ['a', 'b'].map((part, j) => ({ seq: last + 1 + j, at: '', kind: 'state', name: 'n', value: '${who}/' + i + '/' + part }));
      if (await tried(() => store.append(key, batch, { expectedSeq: last }))) break;
    }
  }`;
}

function takingTurns(who: number): string {
  return `
  for (let turn = 0; turn < 5; turn++) {
    let lease;
    while (!(await tried(async () => (lease = await store.lease(key, { owner: 'process ${who}', ttlMs: 60000 }))))) await new Promise((resolve) => setTimeout(resolve, 3));
    for (let part = 0; part < 3; part++) {
      const last = await lastSeq();
      const value = JSON.stringify({ who: ${who}, fence: lease.fence, part });
      await store.append(key, [{ seq: last + 1, at: '', kind: 'state', name: 'n', value }], { expectedSeq: last, fence: lease.fence });
    }
    await lease.release();
  }`;
}

function program({ name, className }: Place, args: readonly unknown[], body: string): string {
  return `
  import { ${className} } from ${JSON.stringify(packageFile(`dist/store/${name}/index.js`))};
  const store = new ${className}(...${JSON.stringify(args)});
  const key = { userId: 'u', sessionId: 's' };
  const lastSeq = async () => {
    let last = 0;
    for await (const { seq } of store.read(key)) last = seq;
    return last;
  };
  const tried = async (task) => {
    try {
      await task();
      return true;
    } catch (error) {
      if (error.code !== 'session/conflict') throw error;
      return false;
    }
  };
  ${body}
  await store.close();`;
}

function output(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', text], { stdio: ['ignore', 'pipe', 'pipe'] });
    let [printed, errors] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (piece: string) => (printed += piece));
    child.stderr.setEncoding('utf8').on('data', (piece: string) => (errors += piece));
    child.once('error', reject).once('close', (code) => (code === 0 ? resolve(printed) : reject(new Error(`ended with ${code}: ${errors}`))));
  });
}
