import { expect, test } from 'vitest';
import { AssistantMessage, UserMessage } from '../message/index.ts';
import { InMemorySession } from '../session/index.ts';
import { InMemoryMemory } from './index.ts';

const filled = (): InMemoryMemory => {
  const memory = new InMemoryMemory();
  for (const msg of [new UserMessage('ann', 'one'), new AssistantMessage('a', 'two'), new UserMessage('ann', 'three')]) memory.addMessage(msg);
  return memory;
};
const texts = (memory: InMemoryMemory): readonly string[] => memory.getMessages().map((msg) => msg.getTextContent());

test('messages are added, deleted by their place, and cleared; a list handed out never changes', () => {
  const memory = filled();
  const before = memory.getMessages();
  memory.deleteMessage(1);
  memory.deleteMessage(7);
  memory.deleteMessage(-1);
  expect(texts(memory)).toEqual(['one', 'three']);
  memory.clear();
  expect([texts(memory), before.length]).toEqual([[], 3]);
});

test('S4-068 what was saved comes back equal; a missing one is session/not-found', async () => {
  const store = new InMemorySession();
  const memory = filled();
  await memory.saveTo(store, 's');
  const loaded = new InMemoryMemory();
  loaded.addMessage(new UserMessage('ann', 'gone afterwards'));
  await loaded.loadFrom(store, { sessionId: 's' });
  expect(loaded.getMessages()).toEqual(memory.getMessages());
  await expect(loaded.loadFrom(store, 'other')).rejects.toMatchObject({ code: 'session/not-found', details: { sessionId: 'other' } });
  expect(loaded.getMessages()).toEqual(memory.getMessages());
});

test('S4-067 saved twice it is there once, and another key or name is untouched', async () => {
  const store = new InMemorySession();
  const memory = filled();
  await memory.saveTo(store, 's');
  await memory.saveTo(store, 's');
  expect(await store.getList({ sessionId: 's' }, 'memory')).toHaveLength(3);
  expect([await store.get({ sessionId: 't' }, 'memory'), await store.get({ sessionId: 's' }, 'other')]).toEqual([undefined, undefined]);
});

test('S4-069 loadIfExists says whether there was something', async () => {
  const store = new InMemorySession();
  const memory = filled();
  expect(await memory.loadIfExists(store, 's')).toBe(false);
  expect(texts(memory)).toEqual(['one', 'two', 'three']);
  await new InMemoryMemory().saveTo(store, 's');
  expect([await memory.loadIfExists(store, 's'), texts(memory)]).toEqual([true, []]);
});
