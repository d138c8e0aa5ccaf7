import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { packageFile } from '../../../test/support/package.ts';
import { JsonSession } from './json-session.ts';

const KEY = { sessionId: 's' };
const itemOf = (id: string) => ({ id, at: '', kind: 'steer', body: id }) as const;

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentscope-inbox-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('C083 three processes that post the same ids while a fourth takes them: each item is taken once', async () => {
  const entry = packageFile('dist/store/file/index.js');
  const poster = `
    import { JsonSession } from ${JSON.stringify(entry)};
    const store = new JsonSession(${JSON.stringify(folder)});
    let posted = 0;
    for (let i = 0; i < 60; i++) if (await store.post({ sessionId: 's' }, { id: 'i' + i, at: '', kind: 'steer', body: 'i' + i })) posted++;
    console.log(posted);`;
  let running = 3;
  const counts = Promise.all(Array.from({ length: 3 }, () => output(poster).finally(() => running--)));
  const store = new JsonSession(folder);
  const taken: string[] = [];
  for (let isLast = false; ; isLast = running === 0) {
    const ids = (await store.inbox(KEY)).map(({ id }) => id);
    taken.push(...ids);
    await store.acknowledge(KEY, ids);
    if (isLast) break;
  }
  expect((await counts).map(Number).reduce((sum, count) => sum + count)).toBe(60);
  expect(taken.toSorted()).toEqual(Array.from({ length: 60 }, (_, i) => `i${i}`).toSorted());
});

test('the last thousand ids are remembered, older ones and their files are not kept for ever', async () => {
  const store = new JsonSession(folder);
  const ids = Array.from({ length: 1_205 }, (_, i) => `i${i}`);
  for (const id of ids) {
    await store.post(KEY, itemOf(id));
    await store.acknowledge(KEY, [id]);
  }
  expect((await readdir(join(folder, 'nobody', 's-s', 'inbox'))).length).toBeLessThan(2 * 1_110);
  for (const id of ids.slice(-1_000)) expect(await store.post(KEY, itemOf(id))).toBe(false);
  expect(await store.inbox(KEY)).toEqual([]);
});

test('what a crash left behind is no item: a draft, a mark without its item, an emptied item without its mark', async () => {
  const store = new JsonSession(folder);
  await store.post(KEY, itemOf('a'));
  const box = join(folder, 'nobody', 's-s', 'inbox');
  for (const [name, text] of [['i-b.item.0c7e', '{"order":1,"it'], ['i-c.taken', ''], ['i-d.item', '']] as const) await writeFile(join(box, name), text);
  expect(await store.inbox(KEY)).toEqual([itemOf('a')]);
  expect([await store.post(KEY, itemOf('b')), await store.post(KEY, itemOf('d'))]).toEqual([true, false]);
});

function output(program: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    child.once('error', reject).once('exit', (code) => (code === 0 ? resolve(text) : reject(new Error(`ended with ${code}`))));
  });
}
