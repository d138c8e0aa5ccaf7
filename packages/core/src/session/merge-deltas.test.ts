import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AgentEvent } from '../event/index.ts';
import type { JournalEntry } from './entry.ts';
import { expand, lastSeqOf, mergeDeltas } from './merge-deltas.ts';

const AT = '2026-01-01T00:00:00.000Z';

test('merging and expanding gives the same entries, for any runs and cuts', () => {
  const piece = fc.record({ block: fc.constantFrom('a', 'b', 'call', 'result', 'data'), text: fc.string({ unit: 'binary' }), kind: fc.constantFrom('delta', 'delta', 'delta', 'other') });
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.integer({ min: 1, max: 1e9 }), (pieces, start) => {
      const entries = pieces.map(({ block, text, kind }, i) => (kind === 'other' ? stateEntry(start + i) : deltaEntry(start + i, block, text)));
      const merged = mergeDeltas(entries);
      expect(merged.flatMap(expand)).toEqual(entries);
      expect(numbersOf(merged)).toEqual(entries.map(({ seq }) => seq));
    }),
  );
});

test('a run of one block becomes one record with the length of each delta in UTF-16 units', () => {
  const merged = mergeDeltas([deltaEntry(5, 'a', 'x'), deltaEntry(6, 'a', '\ud83d'), deltaEntry(7, 'a', '\udfe2!'), deltaEntry(8, 'b', 'y')]);
  expect(merged).toEqual([
    { seq: 5, at: AT, kind: 'delta', to: 7, event: event(5, 'a', 'x🟢!'), cuts: [[5, 1], [6, 1], [7, 2]] },
    deltaEntry(8, 'b', 'y'),
  ]);
});

test('deltas stay alone across a gap, another entry, metadata, a URL or a foreign id', () => {
  const alone: JournalEntry[] = [
    deltaEntry(1, 'a', 'x'),
    deltaEntry(3, 'a', 'x'),
    stateEntry(4),
    deltaEntry(5, 'a', 'x'),
    { ...deltaEntry(6, 'a', 'x'), event: { ...event(6, 'a', 'x'), metadata: { k: 1 } } } as JournalEntry,
    { ...deltaEntry(7, 'a', 'x'), event: { ...event(7, 'a', 'x'), id: 'foreign' } } as JournalEntry,
    { ...deltaEntry(8, 'data', ''), event: { ...event(8, 'data', ''), url: 'https://a.example/' } } as JournalEntry,
  ];
  expect(mergeDeltas(alone)).toEqual(alone);
});

function numbersOf(entries: readonly JournalEntry[]): number[] {
  return entries.flatMap((entry) => Array.from({ length: lastSeqOf(entry) - entry.seq + 1 }, (_, i) => entry.seq + i));
}
function stateEntry(seq: number): JournalEntry {
  return { seq, at: AT, kind: 'state', name: 'n', value: seq };
}
function deltaEntry(seq: number, block: string, text: string): JournalEntry {
  return { seq, at: AT, kind: 'event', event: event(seq, block, text) };
}
function event(seq: number, block: string, delta: string): AgentEvent {
  const common = { id: `r:1:2:${seq}`, createdAt: AT, replyId: 'r:1', delta };
  if (block === 'call') return { ...common, type: 'TOOL_CALL_DELTA', toolCallId: 'c', toolCallName: 'n' };
  if (block === 'result') return { ...common, type: 'TOOL_RESULT_TEXT_DELTA', toolCallId: 'c', toolCallName: 'n' };
  if (block === 'data') return { ...common, type: 'DATA_BLOCK_DELTA', blockId: block, mediaType: 'image/png' };
  return { ...common, type: 'TEXT_BLOCK_DELTA', blockId: block };
}
