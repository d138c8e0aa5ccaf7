import { expect, test } from 'vitest';
import { paced } from './timeline.ts';

async function* moments(...times: readonly string[]): AsyncGenerator<{ readonly at: string }> {
  for (const time of times) yield { at: time === '' ? '' : `2026-12-01T00:00:${time}Z` };
}

async function waits(speed: number, ...times: readonly string[]): Promise<readonly number[]> {
  const found: number[] = [];
  for await (const [, waitMs] of paced(moments(...times), speed)) found.push(waitMs);
  return found;
}

test('each moment waits as long as it did, by the speed; what shares a time shares the pause behind it', async () => {
  expect(await waits(1, '01.000', '01.500', '01.500', '02.500')).toEqual([500, 500, 500, 0]);
  expect(await waits(2, '01.000', '01.500')).toEqual([250, 0]);
  expect(await waits(0.5, '01.000', '01.500')).toEqual([1000, 0]);
});

test('long pauses count as two seconds; speed 0 waits for nothing, and so does a clock that went back or says nothing', async () => {
  expect(await waits(1, '01.000', '59.000')).toEqual([2000, 0]);
  expect(await waits(4, '01.000', '59.000')).toEqual([500, 0]);
  expect(await waits(0, '01.000', '59.000')).toEqual([0, 0]);
  expect(await waits(1, '05.000', '01.000', '', '02.000')).toEqual([0, 0, 0, 0]);
  expect(await waits(1)).toEqual([]);
});
