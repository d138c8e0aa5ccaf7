import { spawnSync } from 'node:child_process';
import { appendFile, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openJournal } from '../../session/index.ts';
import { readAll } from '../../testing/store-asserts.ts';
import { noteEntry, sampleEntries } from '../../testing/store-samples.ts';
import { JsonSession } from './json-session.ts';

const KEY = { userId: 'u', sessionId: 's' };

/** A disk of 64 kB, where this user may make one. */
let disk = '';
let isMounted = false;
beforeAll(async () => {
  disk = await mkdtemp(join(tmpdir(), 'agentscope-disk-'));
  isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]).status === 0;
});
afterAll(async () => {
  if (isMounted) spawnSync('umount', ['-l', disk]);
  await rm(disk, { recursive: true, force: true });
});
beforeEach(async ({ skip }) => {
  if (!isMounted) skip('no right to mount a small disk here');
  for (const name of await readdir(disk)) await rm(join(disk, name), { recursive: true });
});

test('C081 on a full disk an append fails and leaves what was there; when there is room again the same append succeeds', async () => {
  const store = new JsonSession(join(disk, 'store'));
  await store.append(KEY, sampleEntries(), { expectedSeq: 0, fence: 1 });
  await fill();
  const batch = [noteEntry(13, 'x'.repeat(20_000)), noteEntry(14, 'y')];
  for (let tries = 0; tries < 3; tries++) {
    await expect(store.append(KEY, batch, { expectedSeq: 12, fence: 1 })).rejects.toMatchObject({ code: 'session/unavailable', details: { store: 'file' }, cause: { code: 'ENOSPC' } });
    for (const reader of [store, new JsonSession(join(disk, 'store'))]) expect(await readAll(reader, KEY)).toEqual(sampleEntries());
  }
  await rm(join(disk, 'filler'));
  await store.append(KEY, batch, { expectedSeq: 12, fence: 1 });
  expect(await readAll(new JsonSession(join(disk, 'store')), KEY)).toEqual([...sampleEntries(), ...batch]);
});

test('C081 a disk that fills up append by append, at every size: all that was confirmed is there, all that failed is not', async () => {
  for (let size = 900; size < 1_000; size += 13) {
    const key = { sessionId: `of ${size}` };
    const store = new JsonSession(join(disk, 'store'));
    let confirmed = 0;
    for (let isFull = false; !isFull; ) {
      const append = store.append(key, [noteEntry(confirmed + 1, 'x'.repeat(size))], { expectedSeq: confirmed, fence: 1 });
      isFull = await append.then(() => false, (error: unknown) => {
        expect(error).toMatchObject({ code: 'session/unavailable' });
        return true;
      });
      if (!isFull) confirmed++;
    }
    expect(confirmed).toBeGreaterThan(10);
    expect(await readAll(new JsonSession(join(disk, 'store')), key)).toHaveLength(confirmed);
    await store.delete(key);
  }
});

test('on a full disk snapshots, values and posts keep what was there before', async () => {
  const store = new JsonSession(join(disk, 'store'));
  const item = { id: 'i', at: '', kind: 'steer', body: 'a' } as const;
  await store.saveSnapshot(KEY, 1, { old: true });
  await store.save(KEY, 'n', 'old');
  await store.post(KEY, item);
  await fill();
  const big = 'x'.repeat(20_000);
  for (const deed of [() => store.saveSnapshot(KEY, 2, { big }), () => store.save(KEY, 'n', big), () => store.post(KEY, { ...item, id: 'j', body: big })]) {
    await expect(deed()).rejects.toMatchObject({ code: 'session/unavailable', cause: { code: 'ENOSPC' } });
  }
  expect([await store.loadSnapshot(KEY), await store.get(KEY, 'n'), await store.inbox(KEY)]).toEqual([{ seq: 1, state: { old: true } }, 'old', [item]]);
  await rm(join(disk, 'filler'));
  expect([await store.post(KEY, { ...item, id: 'j' }), (await store.inbox(KEY)).length]).toEqual([true, 2]);
});

test('a journal whose disk is full goes on from the same place when there is room again', async () => {
  const journal = await openJournal(new JsonSession(join(disk, 'store')), KEY);
  journal.set('a', 1);
  await journal.flush();
  await fill();
  journal.set('big', 'x'.repeat(20_000));
  await expect(journal.flush()).rejects.toMatchObject({ code: 'session/unavailable' });
  await rm(join(disk, 'filler'));
  journal.set('b', 2);
  await journal.flush();
  await journal.release();
  const again = await openJournal(new JsonSession(join(disk, 'store')), KEY);
  expect([again.state('a'), again.state('big'), again.state('b')]).toEqual([1, 'x'.repeat(20_000), 2]);
  await again.release();
});

/** Takes all the room that is left. */
async function fill(): Promise<void> {
  const path = join(disk, 'filler');
  await writeFile(path, '');
  for (let size = 16_384; size >= 1; size = size > 1 ? size >> 1 : 0) {
    for (;;) {
      const before = (await stat(path)).size;
      const isFull = await appendFile(path, 'f'.repeat(size)).then(() => false, () => true);
      if (isFull || (await stat(path)).size === before) break;
    }
  }
}
