import { expect, test } from 'vitest';
import { calculate } from './calculate.ts';
import { nearest } from '../nearest.ts';
import { clockText, zoneProblem } from './zones.ts';

test.each([
  ['17 * 23', 391],
  ['0.1 + 0.2', 0.3],
  ['2 ** 10', 1024],
  ['6 × 7 ÷ 2 − 1', 20],
  ['max(3, sqrt(16))', 4],
  ['9007199254740991', 9007199254740991],
])('%s is %d', async (expression, value) => {
  expect(await calculate(expression)).toBe(value);
});

test.each([
  ['1 / 0', /no finite value/],
  ['1 +', /unexpected/],
  ['x + 1', /undefined variable/],
  ['"a"', /not a number/],
  ['[1, 2]', /not a number/],
  ['f(x) = x; f(1)', /./],
  ['(1).constructor', /./],
  ['1+'.repeat(1000), /longer than/],
  ['('.repeat(900), /./],
])('%s is refused in words', async (expression, words) => {
  await expect(calculate(expression)).rejects.toThrow(words);
});

test('a time is told in its zone, with the offset of that day', () => {
  expect(clockText(new Date('2026-11-30T20:38:12Z'), 'Asia/Tokyo')).toBe('Tuesday, 1 December 2026, 05:38:12 (Asia/Tokyo, GMT+9)');
  expect(clockText(new Date('2026-07-01T12:00:00Z'), 'America/New_York')).toMatch(/08:00:00 \(America\/New_York, GMT-4\)$/);
  expect(clockText(new Date('2026-07-01T12:00:00Z'), 'UTC')).toMatch(/12:00:00 \(UTC\)$/);
});

test.each([
  ['Tokyo', /Asia\/Tokyo/],
  ['Tokio', /Asia\/Tokyo/],
  ['new york', /America\/New_York/],
  ['Europe/Berlon', /Europe\/Berlin/],
  ['Atlantis', /IANA name/],
  ['', /IANA name/],
])('%j is no zone; near ones are named', (zone, near) => {
  expect(zoneProblem(zone)).toMatch(near);
});

test('an IANA zone is fine in any case', () => {
  expect(zoneProblem('asia/tokyo')).toBeUndefined();
  expect(zoneProblem('UTC')).toBeUndefined();
});

test('the nearest words come first, those too far away not at all', () => {
  expect(nearest('evnts', ['model', 'events', 'event'], { count: 2 })).toEqual(['events', 'event']);
  expect(nearest('zzzzz', ['model'])).toEqual([]);
});
