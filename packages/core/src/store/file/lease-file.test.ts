import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
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
  await expect(take()).rejects.toMatchObject({ code: 'session/conflict' });
  const { pid } = spawnSync(process.execPath, ['-e', '0']);
  await heldBy(pid, `not-${hostname()}`);
  await expect(take()).rejects.toMatchObject({ code: 'session/conflict' });
});
