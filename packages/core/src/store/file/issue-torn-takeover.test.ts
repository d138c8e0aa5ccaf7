import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readAll } from '../../testing/store-asserts.ts';
import { noteEntry } from '../../testing/store-samples.ts';
import { JsonSession } from './json-session.ts';

const folder = mkdtempSync(join(tmpdir(), 'torn-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('C081 C083 a takeover whose first append was torn at any byte holds nobody up and takes nothing away', async () => {
  const before = [noteEntry(1, 'a'), noteEntry(2, 'b')];
  const path = (session: string, epoch: number): string => join(folder, 'nobody', `s-${session}`, `000000000${epoch}.jsonl`);
  const whole = { sessionId: 'whole' };
  for (const [fence, entries] of [[1, before], [2, [noteEntry(3, 'c')]]] as const) await new JsonSession(folder).append(whole, entries, { expectedSeq: fence === 1 ? 0 : 2, fence });
  const segment = readFileSync(path('whole', 2));
  for (let cut = 0; cut < segment.length; cut += 5) {
    // The same owner once more, the next one, and one after an owner that tore its takeover as well.
    for (const fence of [2, 3, 4]) {
      const key = { sessionId: `s${cut}-${fence}` };
      await new JsonSession(folder).append(key, before, { expectedSeq: 0, fence: 1 });
      writeFileSync(path(key.sessionId, 2), segment.subarray(0, cut));
      if (fence === 4) writeFileSync(path(key.sessionId, 3), segment.subarray(0, cut).toString().replace('"segment":2', '"segment":3'));
      await new JsonSession(folder).append(key, [noteEntry(3, 'd')], { expectedSeq: 2, fence });
      await new JsonSession(folder).append(key, [noteEntry(4, 'e')], { expectedSeq: 3, fence });
      expect(await readAll(new JsonSession(folder), key)).toEqual([...before, noteEntry(3, 'd'), noteEntry(4, 'e')]);
    }
  }
});
