import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { seekBatch } from './seek.ts';
import { readBatches } from './segment.ts';

const folder = mkdtempSync(join(tmpdir(), 'seek-'));
const path = join(folder, 'segment.jsonl');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function batches(start: number, limit = Infinity): Promise<readonly { start: number; seq: number }[]> {
  const found: { start: number; seq: number }[] = [];
  for await (const { entries, start: at } of readBatches(path, { start, limit })) if (entries[0] !== undefined) found.push({ start: at, seq: Number(entries[0]['seq']) });
  return found;
}

test('a batch is found that begins not behind the number, near it, whatever the lines, with damage between them', async () => {
  const line = fc.record({ bytes: fc.constantFrom(10, 100, 4_000, 40_000), more: fc.nat(4), damage: fc.nat(9) });
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 40 }), fc.nat(), fc.nat(), async (lines, wanted, cut) => {
      let text = '{"segment":1,"from":1,"seals":[],"form":1}\n';
      let seq = 1;
      for (const { bytes, more, damage } of lines) {
        for (let left = more; left >= 0; left--) text += `{"seq":${seq++},"at":"","kind":"state","name":"n","value":"${'🟢'.repeat(bytes / 10)}"${left > 0 ? ',"more":true' : ''}}\n`;
        if (damage === 0) text += '{"seq":\u0000 garbage\n';
      }
      const bytes = Buffer.from(text);
      writeFileSync(path, bytes);
      const limit = cut % 3 === 0 ? Math.max(1, bytes.length - (cut % 5_000)) : Infinity;
      const all = await batches(0, limit);
      for (const number of [1, 1 + (wanted % seq), seq - 1, Infinity]) {
        const start = await seekBatch(path, { seq: number, limit });
        const rest = await batches(start, limit);
        if (start > 0) expect(rest[0]?.seq).toBeLessThanOrEqual(number);
        // Nothing that covers the number or comes after it is lost.
        expect(rest).toEqual(all.slice(all.length - rest.length));
        const first = all.findLastIndex((batch) => batch.seq <= number);
        expect(all.length - rest.length).toBeLessThanOrEqual(Math.max(0, first));
      }
    }),
    { numRuns: 80 },
  );
});

test('a short file and a missing one are read from their start', async () => {
  writeFileSync(path, '{"seq":1,"kind":"state"}\n');
  expect([await seekBatch(path, { seq: 1 }), await seekBatch(join(folder, 'none'), { seq: 1 })]).toEqual([0, 0]);
});
