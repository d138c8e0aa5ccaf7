import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { lastSeqOf } from '../../session/index.ts';
import { noteEntry } from '../../testing/store-samples.ts';
import { JsonSession } from './json-session.ts';

const folder = mkdtempSync(join(tmpdir(), 'open-file-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const FDS = '/proc/self/fd';

test('a reader that goes after any entry leaves no file open, wherever it began', async () => {
  const store = new JsonSession(folder);
  const key = { sessionId: 's' };
  for (let seq = 1; seq <= 400; seq++) await store.append(key, [noteEntry(seq, 'x'.repeat(400))], { expectedSeq: seq - 1, fence: 1 });
  for await (const _ of store.read(key)); // so that it knows where batches begin
  const openFiles = (): number => (existsSync(FDS) ? readdirSync(FDS).length : 0);
  const before = openFiles();
  for (const fromSeq of [1, 200, 390, 400]) {
    for (const leaveAt of [fromSeq, Math.min(400, fromSeq + 3)]) {
      for await (const entry of store.read(key, { fromSeq })) if (lastSeqOf(entry) >= leaveAt) break;
    }
  }
  expect(openFiles()).toBe(before);
});
