import { appendFile, mkdtemp, open, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { lastSeqOf, openJournal } from '../../session/index.ts';
import type { SessionKey } from '../../session/index.ts';
import { storeContract } from '../../testing/store-contract.ts';
import { readAll } from '../../testing/store-asserts.ts';
import { noteEntry, sampleEntries } from '../../testing/store-samples.ts';
import { JsonSession } from './json-session.ts';
import type { Damage } from './segment.ts';

const made: string[] = [];
afterAll(() => Promise.all(made.map((folder) => rm(folder, { recursive: true, force: true }))));

const KEY: SessionKey = { userId: 'u', sessionId: 's' };
const SEGMENT = ['u-u', 's-s', '0000000001.jsonl'];

describe('JsonSession', () => {
  storeContract({ describe, test }, async () => {
    const folder = await newFolder();
    return { store: new JsonSession(folder), reopen: () => new JsonSession(pathToFileURL(`${folder}/`)) };
  });
});

describe('JsonSession with fsync', () => {
  storeContract({ describe, test }, async () => ({ store: new JsonSession(await newFolder(), { fsync: true }) }));
});

test('C081 a last append cut at any byte loses exactly itself; the next one is never glued to it', async () => {
  const folder = await newFolder();
  const store = new JsonSession(folder);
  await store.append(KEY, sampleEntries().slice(0, 3), { expectedSeq: 0, fence: 1 });
  const before = (await stat(join(folder, ...SEGMENT))).size;
  await store.append(KEY, [noteEntry(4, 'first of two 🟢'), noteEntry(5, 'Grüße')], { expectedSeq: 3, fence: 1 });
  const whole = await readFile(join(folder, ...SEGMENT));
  expect(whole.length).toBeGreaterThan(before);
  for (let cut = before; cut < whole.length; cut++) {
    for (const fence of [1, 2]) {
      await writeFile(join(folder, ...SEGMENT), whole.subarray(0, cut));
      const reopened = new JsonSession(folder);
      expect(await readAll(reopened, KEY)).toEqual(sampleEntries().slice(0, 3));
      await reopened.append(KEY, [noteEntry(4, `after ${cut}`)], { expectedSeq: 3, fence });
      expect(await readAll(new JsonSession(folder), KEY)).toEqual([...sampleEntries().slice(0, 3), noteEntry(4, `after ${cut}`)]);
    }
    await rm(join(folder, 'u-u', 's-s', '0000000002.jsonl'));
  }
});

test('C086 what was loaded is saved byte for byte as it was', async () => {
  const folder = await newFolder();
  const store = new JsonSession(folder);
  const other = { userId: 'u', sessionId: 'other' };
  await store.append(other, sampleEntries(), { expectedSeq: 0, fence: 1 });
  await store.append(KEY, await readAll(store, other), { expectedSeq: 0, fence: 1 });
  const again = { userId: 'u', sessionId: 'again' };
  await store.append(again, await readAll(new JsonSession(folder), KEY), { expectedSeq: 0, fence: 1 });
  expect(await readFile(join(folder, 'u-u', 's-again', '0000000001.jsonl'))).toEqual(await readFile(join(folder, ...SEGMENT)));
});

test('C081 torn bytes are reported', async () => {
  const folder = await newFolder();
  await new JsonSession(folder).append(KEY, [noteEntry(1, 'a')], { expectedSeq: 0 });
  await appendFile(join(folder, ...SEGMENT), 'garbage\n{"seq":2,"at":"","kind":"state","name":"n","value":1,"more":true}\n');
  const damage: Damage[] = [];
  const store = new JsonSession(folder, { onDamage: (found) => damage.push(found) });
  expect(await readAll(store, KEY)).toEqual([noteEntry(1, 'a')]);
  expect(damage.map(({ bytes }) => bytes)).toEqual([8, 66]);
});

test('garbage between intact appends takes nothing else away', async () => {
  const folder = await newFolder();
  const store = new JsonSession(folder);
  await store.append(KEY, [noteEntry(1, 'a')], { expectedSeq: 0, fence: 1 });
  await appendFile(join(folder, ...SEGMENT), '\u0000\u0000{"seq":\n{}\n[1]\n\n');
  await appendFile(join(folder, ...SEGMENT), `${JSON.stringify(noteEntry(2, 'b'))}\n`);
  const reopened = new JsonSession(folder);
  await reopened.append(KEY, [noteEntry(3, 'c')], { expectedSeq: 2, fence: 1 });
  expect(await readAll(reopened, KEY)).toEqual([noteEntry(1, 'a'), noteEntry(2, 'b'), noteEntry(3, 'c')]);
});

test('a zero-byte newest segment and one that lost its bytes leave the rest readable', async () => {
  const folder = await newFolder();
  for (const fence of [1, 2, 3]) await new JsonSession(folder).append(KEY, [noteEntry(fence, 'x')], { expectedSeq: fence - 1, fence });
  await writeFile(join(folder, 'u-u', 's-s', '0000000004.jsonl'), '');
  expect((await readAll(new JsonSession(folder), KEY)).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  await new JsonSession(folder).append(KEY, [noteEntry(4, 'x')], { expectedSeq: 3, fence: 5 });
  await writeFile(join(folder, 'u-u', 's-s', '0000000002.jsonl'), '');
  expect((await readAll(new JsonSession(folder), KEY)).map(({ seq }) => seq)).toEqual([1, 3, 4]);
});

test('C083 what an old owner writes after the takeover was sealed never counts, and it is told', async () => {
  const folder = await newFolder();
  const [old, next] = [new JsonSession(folder), new JsonSession(folder)];
  await old.append(KEY, [noteEntry(1, 'a')], { expectedSeq: 0, fence: 1 });
  await next.append(KEY, [noteEntry(2, 'b')], { expectedSeq: 1, fence: 2 });
  // As a paused process would: its bytes land although the check before them was passed long ago.
  await appendFile(join(folder, ...SEGMENT), `${JSON.stringify(noteEntry(2, 'too late'))}\n`);
  expect(await readAll(new JsonSession(folder), KEY)).toEqual([noteEntry(1, 'a'), noteEntry(2, 'b')]);
  await next.append(KEY, [noteEntry(3, 'c')], { expectedSeq: 2, fence: 3 });
  expect((await readAll(old, KEY)).map((entry) => 'value' in entry && entry.value)).toEqual(['a', 'b', 'c']);
  await expect(old.append(KEY, [noteEntry(2, 'later')], { expectedSeq: 1, fence: 1 })).rejects.toMatchObject({ code: 'session/conflict' });
});

test('C083 an owner that crashed between creating and sealing its segment is stepped over, also when it wakes up', async () => {
  const folder = await newFolder();
  await new JsonSession(folder).append(KEY, [noteEntry(1, 'a')], { expectedSeq: 0, fence: 1 });
  await writeFile(join(folder, 'u-u', 's-s', '0000000002.jsonl'), '');
  await new JsonSession(folder).append(KEY, [noteEntry(2, 'b')], { expectedSeq: 1, fence: 3 });
  const late = `{"segment":2,"from":2,"seals":[[1,1]],"form":1,"more":true}\n${JSON.stringify(noteEntry(2, 'woken'))}\n`;
  await writeFile(join(folder, 'u-u', 's-s', '0000000002.jsonl'), late);
  expect(await readAll(new JsonSession(folder), KEY)).toEqual([noteEntry(1, 'a'), noteEntry(2, 'b')]);
});

test('C083 two processes: the second waits or takes over, the first is told; nothing is lost silently', async () => {
  const folder = await newFolder();
  let now = 1_000;
  const [one, two] = [new JsonSession(folder, { clock: () => now }), new JsonSession(folder, { clock: () => now })];
  const first = await openJournal(one, KEY);
  first.set('a', 1);
  await first.flush();
  await expect(openJournal(two, KEY)).rejects.toMatchObject({ code: 'session/conflict' });
  now += 31_000;
  first.set('a', 2);
  const second = await openJournal(two, KEY);
  expect([second.state('a'), second.epoch > first.epoch]).toEqual([1, true]);
  await expect(first.flush()).rejects.toMatchObject({ code: 'session/conflict' });
  await first.release().catch(() => undefined);
  second.set('a', 3);
  await second.release();
  const again = await openJournal(one, KEY);
  expect([again.state('a'), again.epoch > second.epoch]).toEqual([3, true]);
  await again.release();
});

test('a session that another process deleted and began anew is not overwritten', async () => {
  const folder = await newFolder();
  const [one, two] = [new JsonSession(folder), new JsonSession(folder)];
  await one.append(KEY, [noteEntry(1, 'old'), noteEntry(2, 'old')], { expectedSeq: 0, fence: 1 });
  await readAll(one, KEY);
  await two.delete(KEY);
  await two.append(KEY, [noteEntry(1, 'new')], { expectedSeq: 0, fence: 1 });
  await two.append(KEY, [noteEntry(2, 'new'), noteEntry(3, 'new')], { expectedSeq: 1, fence: 1 });
  await expect(one.append(KEY, [noteEntry(3, 'old')], { expectedSeq: 2, fence: 1 })).rejects.toMatchObject({ code: 'session/conflict' });
  const expected = [noteEntry(1, 'new'), noteEntry(2, 'new'), noteEntry(3, 'new')];
  for (const store of [one, two]) expect([await readAll(store, KEY), await readAll(store, KEY, 3)]).toEqual([expected, expected.slice(2)]);
});

test('an append that fails halfway leaves what was there, and the same append succeeds when the disk is well again', async () => {
  const folder = await newFolder();
  const store = new JsonSession(folder);
  await store.append(KEY, [noteEntry(1, 'a')], { expectedSeq: 0, fence: 1 });
  const write = vi.spyOn(await handlePrototype(join(folder, ...SEGMENT)), 'write');
  write.mockImplementationOnce(async function (this: FileHandle, bytes: Buffer, _from: number, _length: number, at: number) {
    await this.writev([bytes.subarray(0, 20)], at); // the disk took a part of it
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  } as never);
  const batch = [noteEntry(2, 'b'), noteEntry(3, 'c')];
  await expect(store.append(KEY, batch, { expectedSeq: 1, fence: 1 })).rejects.toMatchObject({ code: 'session/unavailable' });
  expect(await readAll(store, KEY)).toEqual([noteEntry(1, 'a')]);
  await store.append(KEY, batch, { expectedSeq: 1, fence: 1 });
  expect(await readAll(new JsonSession(folder), KEY)).toEqual([noteEntry(1, 'a'), ...batch]);
  write.mockRestore();
});

test('C084 strange ids make folders inside the store only', async () => {
  const parent = await newFolder();
  const store = new JsonSession(join(parent, 'store'));
  const ids = ['../../outside', '/abs/x', 'a/../../b', '..', '.', '', 'a\u0000b', 'C:\\x', 'x'.repeat(10_240), 'CON', 'dot.', 'blank '];
  for (const userId of ids) for (const sessionId of ids) await store.append({ userId, sessionId }, [noteEntry(1, 'x')], { expectedSeq: 0 });
  expect(await readdir(parent)).toEqual(['store']);
  const users = await readdir(join(parent, 'store'));
  expect(users).toHaveLength(ids.length);
  for (const user of users) {
    const names = (await readdir(join(parent, 'store', user))).filter((name) => name !== 'id.json');
    expect(names).toHaveLength(ids.length);
    for (const name of [user, ...names]) expect(name).toMatch(/^[us][-~][a-z0-9_%-]{0,200}$/);
  }
  const keys = (await store.listSessionKeys()).map(({ userId, sessionId }) => JSON.stringify([userId, sessionId]));
  expect(keys.sort()).toEqual(ids.flatMap((userId) => ids.map((sessionId) => JSON.stringify([userId, sessionId]))).sort());
});

test('C084 a symbolic link inside the store is not followed', async () => {
  const [folder, outside] = [await newFolder(), await newFolder()];
  const store = new JsonSession(folder);
  await store.append(KEY, [noteEntry(1, 'a')], { expectedSeq: 0 });
  await writeFile(join(outside, 'precious.txt'), 'mine');
  await symlink(outside, join(folder, 'u-u', 's-link'));
  const key = { userId: 'u', sessionId: 'link' };
  const deeds = [
    () => store.append(key, [noteEntry(1, 'x')], { expectedSeq: 0 }),
    () => store.delete(key),
    () => store.save(key, 'n', 1),
    () => store.lease(key, { owner: 'o', ttlMs: 1 }),
    () => readAll(store, key),
  ];
  for (const deed of deeds) await expect(deed()).rejects.toMatchObject({ code: 'session/unavailable' });
  expect(await readdir(outside)).toEqual(['precious.txt']);
});

test('C129 halves of a surrogate pair that two deltas share are whole in the file; a lone half becomes U+FFFD', async () => {
  const folder = await newFolder();
  const journal = await openJournal(new JsonSession(folder), KEY);
  const delta = (text: string) => ({ type: 'TEXT_BLOCK_DELTA', id: '', createdAt: '', replyId: 'r', blockId: 'b', delta: text }) as const;
  journal.commit([{ type: 'AGENT_START', id: '', createdAt: '', replyId: 'r', sessionId: 's', name: 'A', role: 'assistant' }, delta('\ud83d'), delta('\udfe2')]);
  journal.set('lone', 'half \ud83d here');
  await journal.release();
  const segment = await readFile(join(folder, ...SEGMENT), 'utf8');
  expect(segment).toContain('🟢');
  expect(segment).not.toMatch(/\\ud[89a-f]/);
  const again = await openJournal(new JsonSession(folder), KEY, { owner: 'x' }).catch((error: unknown) => error);
  expect(again).toMatchObject({ epoch: 2 });
  const reread = again as Awaited<ReturnType<typeof openJournal>>;
  expect([reread.context()[0]?.getTextContent(), reread.state('lone')]).toEqual(['🟢', 'half \ufffd here']);
  await reread.release();
});

test('a full disk or missing rights are session/unavailable', async () => {
  const folder = await newFolder();
  await writeFile(join(folder, 'file'), '');
  const store = new JsonSession(join(folder, 'file', 'below'));
  await expect(store.append(KEY, [noteEntry(1, 'a')], { expectedSeq: 0 })).rejects.toMatchObject({ code: 'session/unavailable', details: { store: 'file' } });
});

test('a follower of a long file reads its end without reading it all again', async () => {
  const store = new JsonSession(await newFolder());
  for (let seq = 1; seq <= 300; seq++) await store.append(KEY, [noteEntry(seq, 'x')], { expectedSeq: seq - 1 });
  await readAll(store, KEY);
  await store.append(KEY, [noteEntry(301, 'new')], { expectedSeq: 300 });
  expect(await readAll(store, KEY, 300)).toEqual([noteEntry(300, 'x'), noteEntry(301, 'new')]);
  expect((await readAll(store, KEY, 2)).map(lastSeqOf)).toHaveLength(300);
});

/** All file handles share it; `node:fs` does not export the class. */
async function handlePrototype(path: string): Promise<FileHandle> {
  const handle = await open(path, 'r');
  await handle.close();
  return Object.getPrototypeOf(handle) as FileHandle;
}
async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'agentscope-file-'));
  made.push(folder);
  return folder;
}
