import { expect, test } from 'vitest';
import type { AgentEvent } from '../event/index.ts';
import type { JsonObject } from '../internal/index.ts';
import { decodeEntry, encodeEntry } from './codec.ts';
import { expand, lastSeqOf } from './merge-deltas.ts';
import type { JournalEntry } from './entry.ts';

const AT = '2026-01-01T00:00:00.000Z';
const again = (entry: JournalEntry): JournalEntry => decodeEntry(JSON.parse(encodeEntry(entry)) as JsonObject);

test('an AGENT_RESULT without its result comes back as it was', () => {
  const entry = { seq: 1, at: AT, kind: 'event', event: { type: 'AGENT_RESULT', id: 'r:1:1', createdAt: AT, replyId: 'r', metadata: { a: 1 } } } as unknown as JournalEntry;
  expect(again(entry)).toEqual(entry);
});

test('an opaque event of a type we do not know comes back as it was', () => {
  const entry = { seq: 1, at: AT, kind: 'event', event: { type: 'FROM_THE_FUTURE', id: 'x', createdAt: AT, data: [1] } } as unknown as JournalEntry;
  expect(again(entry)).toEqual(entry);
});

test('C129 lone halves of a surrogate become U+FFFD, but not at the ends of a delta, and escaped text is no half', () => {
  const text = (delta: string): JournalEntry => {
    const event: AgentEvent = { type: 'TEXT_BLOCK_DELTA', id: 'r:1:1', createdAt: AT, replyId: 'r', blockId: 'b', delta };
    return { seq: 1, at: AT, kind: 'event', event };
  };
  expect(again(text('\udfe2 in \ud83d the middle \ud83d'))).toEqual(text('\udfe2 in \ufffd the middle \ud83d'));
  expect(again(text('\ud83d'))).toEqual(text('\ud83d'));
  expect(again({ seq: 1, at: AT, kind: 'state', name: 'n', value: { a: ['\ud83d', '🟢'] } })).toEqual({ seq: 1, at: AT, kind: 'state', name: 'n', value: { a: ['\ufffd', '🟢'] } });
  expect(again(text('the letters \\ud83d'))).toEqual(text('the letters \\ud83d'));
});

test('an entry of a kind this version does not know is kept as it is, with all its numbers; what is no entry at all is an error', () => {
  const newer = { seq: 3, at: AT, kind: 'later', to: 9, session: 's2', runs: [[1, 7]] };
  const entry = decodeEntry({ ...newer, more: true });
  expect(entry).toEqual(newer);
  expect(JSON.parse(encodeEntry(entry))).toEqual(newer);
  expect([lastSeqOf(entry), expand(entry)]).toEqual([9, [entry]]);
  expect(() => decodeEntry({ seq: 1, at: AT })).toThrow(expect.objectContaining({ code: 'event/invalid' }));
  expect(() => decodeEntry({ at: AT, kind: 'later' })).toThrow(expect.objectContaining({ code: 'event/invalid' }));
});

test('a child\'s numbers, and an event of one in another store, come back as they were; without a session they are an error', () => {
  const place = { child: { userId: undefined, sessionId: 's/1' }, source: 's/helper', taskId: 't', epoch: 2 };
  const told: JournalEntry = { seq: 3, at: AT, kind: 'child', to: 9, from: 4, ...place };
  expect(again(told)).toEqual(told);
  const kept: JournalEntry = { seq: 3, at: AT, kind: 'event', event: { type: 'TEXT_BLOCK_END', id: 'c:2:4', createdAt: AT, replyId: 'c', blockId: 'b', source: 's/helper', metadata: { taskId: 't' } }, told: { ...place, seq: 4, elsewhere: true } };
  expect(again(kept)).toEqual(kept);
  expect(() => decodeEntry({ seq: 3, at: AT, kind: 'child', to: 9 })).toThrow(expect.objectContaining({ code: 'event/invalid' }));
});
