import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { leaseName } from './layout.ts';
import { takeLease } from './lease-file.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lease-'));
});
afterEach(() => rm(folder, { recursive: true }));

const take = () => takeLease(folder, { sessionId: 's' }, { ttlMs: 30_000, owner: 'b', clock: Date.now });
const heldBy = (pid: number, host: string) => writeFile(join(folder, leaseName(1)), JSON.stringify({ owner: 'a', expiresAt: Date.now() + 30_000, pid, host }));

test('the lease of a process of this machine that was killed is taken at once, under a higher fence', async () => {
  const { pid } = spawnSync(process.execPath, ['-e', '0']);
  await heldBy(pid, hostname());
  expect((await take()).fence).toBe(2);
});

test('the lease of a running process, and of one elsewhere, is waited for', async () => {
  await heldBy(process.ppid, hostname());
  await expect(take()).rejects.toMatchObject({ code: 'session/conflict', details: { holder: { pid: process.ppid, host: hostname() } } });
  const { pid } = spawnSync(process.execPath, ['-e', '0']);
  await heldBy(pid, `not-${hostname()}`);
  await expect(take()).rejects.toMatchObject({ code: 'session/conflict' });
});

test('C083 a process that was killed while it took the lease holds nobody up', async () => {
  const { pid } = spawnSync(process.execPath, ['-e', '0']);
  await writeFile(join(folder, 'lease.taking'), JSON.stringify({ owner: '', expiresAt: 0, pid, host: hostname() }));
  expect((await take()).fence).toBe(1);
  await writeFile(join(folder, 'lease.taking'), '');
  await utimes(join(folder, 'lease.taking'), 0, 0); // of another machine, or killed before a word was written; long ago
  expect((await take()).fence).toBe(1);
});

test('C083 a lease whose maker was killed before it had written it holds nobody up, and the next fence is higher', async () => {
  for (const torn of ['', '{"owner":"a","expi']) {
    await writeFile(join(folder, leaseName(7)), torn);
    expect((await take()).fence).toBe(8);
    await rm(join(folder, leaseName(8)));
  }
});

test('C083 a lease that its last owner takes again while another asks goes to exactly one of them', async () => {
  for (let round = 0; round < 40; round++) {
    const asked = ['a', 'b', 'a', 'b'].map((owner) => takeLease(folder, { sessionId: 's' }, { ttlMs: 30_000, owner, clock: Date.now }));
    const ends = await Promise.allSettled(asked);
    const holders = new Set(ends.flatMap((end, i) => (end.status === 'fulfilled' ? [i % 2] : [])));
    expect(holders.size).toBe(1);
    for (const end of ends) {
      if (end.status === 'fulfilled') await end.value.release();
      else expect(end.reason).toMatchObject({ code: 'session/conflict' });
    }
  }
});
