import { expect, test } from 'vitest';
import { UserMessage } from '../message/index.ts';
import type { JournalEntry } from './entry.ts';
import { InMemorySession } from './in-memory-session.ts';
import { openJournal } from './open-journal.ts';

test('S4-042 a memory store needs no options and keeps a conversation as long as it lives', async () => {
  const store = new InMemorySession();
  const journal = await openJournal(store, { sessionId: 's' });
  journal.accept([new UserMessage('hello')]);
  await journal.release();
  const again = await openJournal(store, { sessionId: 's' }, { owner: 'another' });
  expect(again.context().map((msg) => msg.getTextContent())).toEqual(['hello']);
  await again.release();
  expect([store.store, await new InMemorySession().exists({ sessionId: 's' })]).toEqual(['memory', false]);
});

test('beyond maxEntries an append fails and stores nothing of itself', async () => {
  const store = new InMemorySession({ maxEntries: 2 });
  const entry = (seq: number): JournalEntry => ({ seq, at: '', kind: 'state', name: 'n', value: seq });
  await store.append({ sessionId: 's' }, [entry(1)], { expectedSeq: 0 });
  await expect(store.append({ sessionId: 's' }, [entry(2), entry(3)], { expectedSeq: 1 })).rejects.toMatchObject({ code: 'session/unavailable' });
  await store.append({ sessionId: 's' }, [entry(2)], { expectedSeq: 1 });
  await store.append({ sessionId: 'other' }, [entry(1)], { expectedSeq: 0 });
});
