import { afterEach, expect, test } from 'vitest';
import { UserMessage } from '../message/index.ts';
import type { JournalEntry, SessionKey } from './entry.ts';
import { InMemorySession } from './in-memory-session.ts';
import { JOURNAL_SCHEMA, MIGRATIONS } from './migrate.ts';
import { openJournal } from './open-journal.ts';
import { cursorOf } from './cursor.ts';
import { readEvents } from './read-events.ts';
import { readSession } from './read-session.ts';

afterEach(() => MIGRATIONS.clear());

const KEY: SessionKey = { userId: 'u', sessionId: 's' };
const AT = '2020-01-01T00:00:00.000Z';

/** A form there never was: values were called notes, and a text came as two numbers under one entry. */
const older: readonly unknown[] = [
  { seq: 1, at: AT, kind: 'epoch', epoch: 1, owner: 'old', schema: JOURNAL_SCHEMA - 1 },
  { seq: 2, at: AT, kind: 'note', title: 'colour', text: 'red' },
  { seq: 3, at: AT, kind: 'input', msg: new UserMessage({ id: 'm', content: 'hello' }) },
  { seq: 4, at: AT, kind: 'spoken', to: 5, replyId: 'r', text: 'hi' },
];
function fromOlder(entry: JournalEntry): readonly JournalEntry[] {
  const { kind, seq, at, title, text, replyId } = entry as unknown as { kind: string; seq: number; at: string; title: string; text: string; replyId: string };
  if (kind === 'note') return [{ seq, at, kind: 'state', name: title, value: text }];
  if (kind !== 'spoken') return [entry];
  return [
    { seq, at, kind: 'event', event: { type: 'TEXT_BLOCK_START', id: `${replyId}:1:${seq}`, createdAt: at, replyId, blockId: 'b' } },
    { seq: seq + 1, at, kind: 'event', event: { type: 'TEXT_BLOCK_DELTA', id: `${replyId}:1:${seq + 1}`, createdAt: at, replyId, blockId: 'b', delta: text } },
  ];
}

test('a journal of an older form is read as if it were written today, and stays as it is', async () => {
  MIGRATIONS.set(JOURNAL_SCHEMA - 1, fromOlder);
  const store = new InMemorySession();
  await store.append(KEY, older as readonly JournalEntry[], { expectedSeq: 0, fence: 1 });
  const fold = await readSession(store, KEY);
  expect([fold.state('colour'), fold.lastSeq, fold.context().map((msg) => msg.getTextContent())]).toEqual(['red', 5, ['hello', 'hi']]);
  const deltas: string[] = [];
  for await (const { event } of readEvents(store, KEY, { from: cursorOf(1, 4) })) if ('delta' in event) deltas.push(String(event.delta));
  expect(deltas).toEqual(['hi']);
  expect((await readSession(store, KEY, { toSeq: 4 })).context().map((msg) => msg.getTextContent())).toEqual(['hello', '']);
});

test('it is gone on with in the newest form: what comes behind the new epoch is not migrated', async () => {
  MIGRATIONS.set(JOURNAL_SCHEMA - 1, fromOlder);
  const store = new InMemorySession();
  await store.append(KEY, older as readonly JournalEntry[], { expectedSeq: 0, fence: 1 });
  const journal = await openJournal(store, KEY);
  journal.accept([new UserMessage('more')]);
  await journal.flush();
  await store.append(KEY, [{ seq: 8, at: AT, kind: 'note', title: 'colour', text: 'blue' } as unknown as JournalEntry], { expectedSeq: 7, fence: journal.epoch });
  const fold = await readSession(store, KEY);
  expect([fold.state('colour'), fold.epochs.map(({ schema }) => schema), fold.context().length]).toEqual(['red', [JOURNAL_SCHEMA - 1, JOURNAL_SCHEMA], 3]);
  const seen: number[] = [];
  for await (const { seq } of readEvents(store, KEY, { from: cursorOf(1, 3) })) seen.push(seq);
  expect(seen).toEqual([4, 5]);
  const kept: unknown[] = [];
  for await (const entry of store.read(KEY)) kept.push(entry);
  expect(kept.slice(0, 4)).toEqual(older);
  await journal.release();
});

test('a journal of a newer form is refused by every reader, and nothing in it is touched', async () => {
  const store = new InMemorySession();
  const newer: readonly JournalEntry[] = [{ seq: 1, at: AT, kind: 'epoch', epoch: 1, owner: 'new', schema: JOURNAL_SCHEMA + 1 }];
  await store.append(KEY, newer, { expectedSeq: 0, fence: 1 });
  const refused = { code: 'session/newer-schema', details: { found: JOURNAL_SCHEMA + 1, known: JOURNAL_SCHEMA } };
  await expect(openJournal(store, KEY)).rejects.toMatchObject(refused);
  await expect(readSession(store, KEY)).rejects.toMatchObject(refused);
  await expect(readEvents(store, KEY)[Symbol.asyncIterator]().next()).rejects.toMatchObject(refused);
  const kept: unknown[] = [];
  for await (const entry of store.read(KEY)) kept.push(entry);
  expect(kept).toEqual(newer);
});

test('an entry of a kind only a newer minor version knows is passed over and keeps its numbers', async () => {
  const store = new InMemorySession();
  const child = { seq: 2, at: AT, kind: 'later', to: 9, session: 'other' } as unknown as JournalEntry;
  const epoch: JournalEntry = { seq: 1, at: AT, kind: 'epoch', epoch: 1, owner: 'o', schema: JOURNAL_SCHEMA };
  await store.append(KEY, [epoch, child, { seq: 10, at: AT, kind: 'state', name: 'n', value: 1 }], { expectedSeq: 0, fence: 1 });
  const journal = await openJournal(store, KEY);
  expect([journal.state('n'), journal.lastSeq]).toEqual([1, 11]);
  journal.set('n', 2);
  await journal.release();
  for await (const { seq } of readEvents(store, KEY)) expect(seq).toBe(0);
  const kept: unknown[] = [];
  for await (const entry of store.read(KEY)) kept.push(entry);
  expect(kept[1]).toBe(child);
});
