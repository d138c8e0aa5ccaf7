import { expect, test } from 'vitest';
import type { AgentEvent } from '../event/index.ts';
import { toBase64 } from '../message/index.ts';
import { decodeEntry, encodeEntry } from './codec.ts';
import type { JournalEntry, JournalEvent, SessionKey } from './entry.ts';
import { InMemorySession } from './in-memory-session.ts';
import { cursorOf } from './cursor.ts';
import { openJournal } from './open-journal.ts';
import { readEvents } from './read-events.ts';
import { readSession } from './read-session.ts';
import { readRange } from './view-session.ts';

const KEY: SessionKey = { userId: 'u', sessionId: 's' };
const LARGE = 'ü'.repeat(600);
const image = toBase64(new Uint8Array(900).fill(7));
const at = { replyId: 'r', toolCallId: 'c', toolCallName: 'look' };

/** A reply whose tool says something small, something large, and shows an image. */
function events(): AgentEvent[] {
  const base = { id: '', createdAt: '' };
  return [
    { type: 'AGENT_START', ...base, replyId: 'r', sessionId: 's', name: 'A', role: 'assistant' },
    { type: 'TOOL_CALL_START', ...base, ...at },
    { type: 'TOOL_CALL_END', ...base, ...at },
    { type: 'TOOL_RESULT_START', ...base, ...at },
    { type: 'TOOL_RESULT_TEXT_DELTA', ...base, ...at, delta: 'small ' },
    { type: 'TOOL_RESULT_TEXT_DELTA', ...base, ...at, delta: LARGE },
    { type: 'TOOL_RESULT_TEXT_DELTA', ...base, ...at, delta: ' small' },
    { type: 'TOOL_RESULT_DATA_DELTA', ...base, ...at, data: { type: 'data', source: { type: 'base64', mediaType: 'image/png', data: image } } },
    { type: 'TOOL_RESULT_END', ...base, ...at, state: 'success' },
  ];
}

test('an output above maxInlineBytes has an entry of its own, and only the folder of sessions knows', async () => {
  const store = new InMemorySession();
  const journal = await openJournal(store, KEY, { maxInlineBytes: 1_000 });
  journal.commit(events());
  const live = JSON.stringify(journal.context());
  await journal.flush();
  const seen = await list(readEvents(store, KEY));
  await journal.release();

  const entries: JournalEntry[] = [];
  for await (const entry of store.read(KEY)) entries.push(decodeEntry(JSON.parse(encodeEntry(entry)) as never));
  const blobs = entries.filter((entry) => entry.kind === 'blob');
  expect(blobs.map(({ seq, data }) => [seq, data.length])).toEqual([
    [7, 600],
    [10, image.length],
  ]);
  for (const entry of entries) if (entry.kind !== 'blob') expect(JSON.stringify(entry).length).toBeLessThan(1_000);
  const numbers = entries.flatMap((entry) => (entry.kind === 'delta' ? entry.cuts.map(([seq]) => seq) : [entry.seq]));
  expect(numbers).toEqual(numbers.map((_, i) => i + 1));

  const stored = new InMemorySession();
  await stored.append(KEY, entries, { expectedSeq: 0, fence: 1 });
  expect(JSON.stringify((await readSession(stored, KEY)).context())).toBe(live);
  const read = await list(readEvents(stored, KEY));
  expect(read.map(({ event }) => event)).toEqual(seen.map(({ event }) => event));
  expect(read.map(({ event }) => event.id)).toEqual(read.map(({ seq }) => `r:1:${seq}`));
  // From a cursor right before a large output as well.
  expect(await list(readEvents(stored, KEY, { from: cursorOf(1, 6) }))).toEqual(read.filter(({ seq }) => seq > 6));
  expect((await readRange(stored, KEY, { from: 7, to: 8 })).map((entry) => (entry.kind === 'event' && 'delta' in entry.event ? entry.event.delta : ''))).toEqual(['', LARGE]);
});

test('what fits stays in its event, counted in bytes', async () => {
  for (const [maxInlineBytes, kinds] of [[1_199, 1], [1_200, 0]] as const) {
    const store = new InMemorySession();
    const journal = await openJournal(store, KEY, { maxInlineBytes });
    journal.commit(events().filter((event) => event.type !== 'TOOL_RESULT_DATA_DELTA'));
    await journal.release();
    let blobs = 0;
    for await (const entry of store.read(KEY)) if (entry.kind === 'blob') blobs++;
    expect(blobs).toBe(kinds);
  }
});

test('a reference whose blob is gone leaves the output empty and everything else readable', async () => {
  const store = new InMemorySession();
  await store.append(KEY, [{ seq: 1, at: '', kind: 'event', blob: 99, event: { type: 'TOOL_RESULT_TEXT_DELTA', id: 'r:1:1', createdAt: '', ...at, delta: '' } }], { expectedSeq: 0 });
  expect((await list(readEvents(store, KEY))).map(({ event }) => event)).toMatchObject([{ delta: '' }]);
});

async function list(source: AsyncIterable<JournalEvent>): Promise<readonly JournalEvent[]> {
  const found: JournalEvent[] = [];
  for await (const event of source) found.push(event);
  return found;
}
