import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SseCutter } from './sse.ts';
import type { SseFrame } from './sse.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function cutAt(whole: Uint8Array, at: readonly number[]): Uint8Array[] {
  const borders = [0, ...at.map((n) => n % (whole.length + 1)).sort((a, b) => a - b), whole.length];
  return borders.slice(1).map((end, n) => whole.subarray(borders[n], end));
}

function read(pieces: readonly Uint8Array[]): { frames: SseFrame[]; end: ReturnType<SseCutter['end']> } {
  const cutter = new SseCutter();
  const frames = pieces.flatMap((piece) => cutter.push(piece));
  return { frames, end: cutter.end() };
}

const data = (text: string, event?: string, id?: string): SseFrame => ({ data: text, event, id });

test('cuts events with LF, CRLF and CR', () => {
  for (const nl of ['\n', '\r\n', '\r']) {
    const { frames, end } = read([bytes(['data: a', '', 'data:b', '', ''].join(nl))]);
    expect(frames).toEqual([data('a'), data('b')]);
    expect(end).toEqual({ frame: undefined, cut: undefined });
  }
});

test('joins data lines, keeps event and id, drops one space only', () => {
  const { frames } = read([bytes('event: x\nid: 7\ndata:  a\ndata\ndata: b\n\ndata: c\n\n')]);
  expect(frames).toEqual([data(' a\n\nb', 'x', '7'), data('c', undefined, '7')]);
});

test('C003 comments, a bare colon, unknown fields and events without data bring nothing', () => {
  const { frames } = read([bytes(': ping\n\n:\n\nretry: 5\n\nfoo: bar\n\nevent: ping\n\ndata: a\n\n')]);
  expect(frames).toEqual([data('a')]);
});

test('drops a byte order mark', () => {
  expect(read([bytes('\ufeffdata: a\n\n')]).frames).toEqual([data('a')]);
});

test('gives the last event without a blank line at the end', () => {
  expect(read([bytes('data: a\n\ndata: {"b":1}')]).end).toEqual({ frame: data('{"b":1}'), cut: undefined });
  expect(read([bytes('data: a\n\ndata: b\n')]).end).toEqual({ frame: data('b'), cut: undefined });
  expect(read([bytes('data: a\n\n: comm')]).end).toEqual({ frame: undefined, cut: undefined });
});

test('C001 reports a line and a character that were cut', () => {
  expect(read([bytes('data: a\n\ndat')]).end.cut).toBe('line');
  const whole = bytes('data: 晴');
  expect(read([whole.subarray(0, whole.length - 1)]).end.cut).toBe('character');
});

test('a line of many pieces is joined once', () => {
  const cutter = new SseCutter();
  cutter.push(bytes('data: '));
  for (let n = 0; n < 1000; n++) expect(cutter.push(bytes('x'))).toEqual([]);
  expect(cutter.push(bytes('\n\n'))).toEqual([data('x'.repeat(1000))]);
});

test('C001 is blind to how the bytes were cut', () => {
  const line = fc.oneof(
    fc.string({ unit: 'binary' }).map((text) => `data: ${text.replace(/[\r\n]/g, '')}`),
    fc.constantFrom('data: 晴天🌍ok', 'data:x', 'data', ': ping', ':', 'event: e', 'id: 9', '', '', ''),
  );
  fc.assert(
    fc.property(fc.array(line), fc.constantFrom('\n', '\r\n', '\r'), fc.array(fc.nat()), (lines, nl, at) => {
      const whole = bytes(lines.map((one) => one + nl).join(''));
      expect(read(cutAt(whole, at))).toEqual(read([whole]));
    }),
    { numRuns: 500 },
  );
});
