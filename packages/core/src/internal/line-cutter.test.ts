import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineCutter } from './line-cutter.ts';

function linesOf(pieces: readonly Uint8Array[]): unknown {
  const cutter = new LineCutter();
  const frames = pieces.flatMap((piece) => cutter.push(piece));
  const { frame, cut } = cutter.end();
  return [[...frames, ...(frame === undefined ? [] : [frame])].map(({ data }) => data), cut];
}

test('I6 C001 however the bytes are cut, the lines are the same', () => {
  const piece = fc.constantFrom('a', '晴天', '🌍', ' ', '\r', '\n', '\n\n', '{"x":1}');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), fc.array(fc.nat(80), { maxLength: 10 }), (text, places) => {
      const bytes = new TextEncoder().encode(text.join(''));
      const at = [0, ...places.filter((place) => place <= bytes.length).toSorted((a, b) => a - b), bytes.length];
      const expected = text.join('').split('\n').filter((line) => line.trim() !== '');
      expect(linesOf(at.slice(1).map((end, n) => bytes.subarray(at[n], end)))).toEqual([expected, undefined]);
    }),
  );
});

test('blank lines are none, a last line needs no end, a byte order mark is dropped, a cut character is told', () => {
  expect(linesOf([new TextEncoder().encode('\ufeffa\n\n \t\nb')])).toEqual([['a', 'b'], undefined]);
  expect(linesOf([new TextEncoder().encode('a\n晴').subarray(0, 4)])).toEqual([['a'], 'character']);
});
