import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFold } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import { Msg, UserMessage } from '../message/index.ts';
import { defineSession } from './define-session.ts';
import type { JournalEvent, SessionKey } from './entry.ts';
import { InMemorySession } from './in-memory-session.ts';
import { openJournal } from './open-journal.ts';
import { readSession } from './read-session.ts';
import { readEvents } from './read-events.ts';
import type { ReadEventsOptions } from './read-events.ts';
import type { Session } from './session.ts';

const KEY: SessionKey = { sessionId: 's' };
const clock = (): number => 1_000;

test('every cursor gives exactly the rest, also in the middle of a merged record, live and from the store', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(fc.string({ unit: 'binary', maxLength: 3 }), { maxLength: 5 }), { minLength: 1, maxLength: 5 }), fc.boolean(), async (turns, restart) => {
      const inner = new InMemorySession();
      let journal = await openJournal(inner, KEY, { clock });
      const told: AgentEvent[] = [];
      for (const [i, pieces] of turns.entries()) {
        journal.accept([new UserMessage('hello')]);
        const events = reply(`r${i}`, pieces);
        journal.commit(events);
        told.push(...events);
        journal.set('turn', i);
        if (i % 2 === 0) await journal.flush();
        if (restart && i === 1) {
          await journal.release();
          journal = await openJournal(inner, KEY, { owner: `again ${i}`, clock });
        }
      }
      const live = await collect(inner);
      expect(live.map(({ event }) => event)).toEqual(told);
      expect(live.map(({ seq, event }) => event.id.endsWith(`:${seq}`))).not.toContain(false);
      await journal.flush();
      for (const store of [inner, viewOf(inner)]) {
        expect(await collect(store)).toEqual(live);
        for (const [i, { cursor }] of live.entries()) expect(await collect(store, { from: cursor })).toEqual(live.slice(i + 1));
      }
      await journal.release();
    }),
    { numRuns: 40 },
  );
});

test('a cursor of what was never durable is rewound to the end of its epoch once, and ends exact', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ minLength: 1, maxLength: 3 }), { minLength: 4, maxLength: 8 }), fc.nat(7), fc.nat(20), async (pieces, durable, seen) => {
      const inner = new InMemorySession();
      const crashedStore = viewOf(inner);
      const crashed = await openJournal(crashedStore, KEY, { clock });
      const store = viewOf(inner);
      crashed.commit([start('r'), textStart('r'), ...pieces.slice(0, durable).map((text) => delta('r', text))]);
      await crashed.flush();
      const lastDurable = crashed.durableSeq;
      crashed.commit([...pieces.slice(durable).map((text) => delta('r', text)), delta('r', 'lost')]);
      const watched = (await collect(crashedStore)).slice(0, seen);
      await expireLease(inner);
      const next = await openJournal(store, KEY, { owner: 'next', clock });
      next.commit([start('r'), delta('r', 'then '), delta('r', 'on'), end('r')]);
      await next.flush();
      const last = watched.at(-1);
      const rest = await collect(store, last && { from: last.cursor });
      expect(rest.filter(isRewind)).toHaveLength(last !== undefined && last.seq > lastDurable ? 1 : 0);
      const fold = createFold();
      for (const { event } of [...watched, ...rest]) fold.apply(event);
      expect(JSON.stringify(fold.message())).toBe(JSON.stringify(next.reply('r')));
      for (const [i, { cursor }] of rest.entries()) expect(await collect(store, { from: cursor })).toEqual(rest.slice(i + 1));
      await next.release();
    }),
    { numRuns: 60 },
  );
});

test('a rewind where no reply was open carries null', async () => {
  const store = new InMemorySession();
  const journal = await openJournal(store, KEY);
  journal.commit(reply('r', ['x']));
  await journal.release();
  const [rewind, ...rest] = await collect(store, { from: '1:999' });
  expect([rewind?.event, rest]).toMatchObject([{ type: 'CUSTOM', name: 'agentscope.rewind', value: { snapshot: null } }, []]);
  expect((await collect(new InMemorySession(), { from: '3:4' })).map(({ cursor, event }) => [cursor, event.type])).toEqual([['0:0', 'CUSTOM']]);
});

test('a cursor that is none of ours is refused at once', () => {
  for (const from of ['', 'x', '1', '1:', '1:2:3', '-1:2', '1:2.5', '9'.repeat(400), '1:2\n']) {
    expect(() => readEvents(new InMemorySession(), KEY, { from })).toThrow(expect.objectContaining({ code: 'event/invalid' }));
  }
});

test('the result is put back on AGENT_RESULT, from the start and from a cursor in its reply', async () => {
  const inner = new InMemorySession();
  const journal = await openJournal(inner, KEY);
  const events = reply('r', ['a', 'b']);
  journal.commit(events);
  await journal.release();
  const result = events.find((event) => event.type === 'AGENT_RESULT');
  for (const from of [undefined, '1:4']) {
    const found = (await collect(inner, { from })).find(({ event }) => event.type === 'AGENT_RESULT');
    expect(found?.event).toMatchObject({ id: result?.id, result: { id: 'r', content: [{ type: 'text', text: 'ab' }] } });
  }
});

test('a follower sees what is committed before it is durable, and goes on across a release', async () => {
  const store = new InMemorySession();
  const controller = new AbortController();
  const events = readEvents(store, KEY, { follow: true, signal: controller.signal })[Symbol.asyncIterator]();
  const first = events.next();
  const journal = await openJournal(store, KEY);
  journal.commit([start('r')]);
  expect((await first).value?.event.type).toBe('AGENT_START');
  expect(journal.durableSeq).toBe(1);
  const second = events.next();
  journal.commit([textStart('r')]);
  expect((await second).value?.event.type).toBe('TEXT_BLOCK_START');
  await journal.release();
  const again = await openJournal(store, KEY);
  again.commit([delta('r', 'x')]);
  await again.release();
  expect((await events.next()).value?.event.type).toBe('TEXT_BLOCK_DELTA');
  const last = events.next();
  controller.abort();
  expect(await last).toEqual({ done: true, value: undefined });
});

test('a slow follower holds nobody up and misses nothing', async () => {
  const store = new InMemorySession();
  const journal = await openJournal(store, KEY);
  const seen: number[] = [];
  const following = (async () => {
    for await (const { seq, event } of readEvents(store, KEY, { follow: true })) {
      seen.push(seq);
      if (event.type === 'AGENT_END') return;
      if (seq % 50 === 0) await new Promise((resolve) => setTimeout(resolve));
    }
  })();
  journal.commit([start('r'), textStart('r')]);
  for (let i = 0; i < 40; i++) {
    journal.commit(Array.from({ length: 50 }, () => delta('r', 'x')));
    await journal.flush();
  }
  journal.commit([end('r')]);
  await journal.release();
  await following;
  expect(seen).toEqual(Array.from({ length: 2_003 }, (_, i) => i + 2));
});

test('a follower sees what another process writes', async () => {
  const inner = new InMemorySession();
  const events = readEvents(viewOf(inner), KEY, { follow: true })[Symbol.asyncIterator]();
  const first = events.next();
  const journal = await openJournal(inner, KEY);
  journal.commit([start('r')]);
  await journal.release();
  expect((await first).value?.event.type).toBe('AGENT_START');
  await events.return?.();
});

test('a follower is rewound when this process gives up what it had shown', async () => {
  const store = new InMemorySession();
  const journal = await openJournal(store, KEY);
  journal.commit([start('r'), textStart('r'), delta('r', 'kept')]);
  await journal.flush();
  journal.commit([delta('r', ' given up')]);
  const fold = createFold();
  const types: string[] = [];
  const events = readEvents(store, KEY, { follow: true })[Symbol.asyncIterator]();
  const next = async (): Promise<void> => {
    const { value } = await events.next();
    if (value === undefined) return;
    types.push(value.event.type);
    fold.apply(value.event);
  };
  for (let i = 0; i < 4; i++) await next();
  journal.abandon();
  await journal.release();
  const again = await openJournal(store, KEY);
  again.commit([delta('r', ', then more'), end('r')]);
  for (let i = 0; i < 3; i++) await next();
  expect(types.slice(3)).toEqual(['TEXT_BLOCK_DELTA', 'CUSTOM', 'TEXT_BLOCK_DELTA', 'AGENT_END']);
  expect([fold.message()?.getTextContent(), again.reply('r')?.getTextContent()]).toEqual(['kept, then more', 'kept, then more']);
  await events.return?.();
  await again.release();
});

/** The same data through another object, as another process has it. */
function viewOf(inner: InMemorySession): Session {
  return defineSession({
    append: (...args) => inner.append(...args),
    read: (...args) => inner.read(...args),
    delete: (...args) => inner.delete(...args),
    lease: (...args) => inner.lease(...args),
  });
}
async function collect(store: Session, options?: ReadEventsOptions): Promise<JournalEvent[]> {
  const events: JournalEvent[] = [];
  for await (const event of readEvents(store, KEY, options)) events.push(event);
  return events;
}
async function expireLease(inner: InMemorySession): Promise<void> {
  const fold = await readSession(inner, KEY);
  const newest = fold.epochs.at(-1);
  if (newest) await (await inner.lease(KEY, { owner: newest.owner, ttlMs: 0 })).release();
}
function isRewind({ event }: JournalEvent): boolean {
  return event.type === 'CUSTOM' && event.name === 'agentscope.rewind';
}
function start(replyId: string): AgentEvent {
  return { type: 'AGENT_START', id: '', createdAt: '', replyId, sessionId: 's', name: 'A', role: 'assistant' };
}
function textStart(replyId: string): AgentEvent {
  return { type: 'TEXT_BLOCK_START', id: '', createdAt: '', replyId, blockId: 'b' };
}
function delta(replyId: string, text: string): AgentEvent {
  return { type: 'TEXT_BLOCK_DELTA', id: '', createdAt: '', replyId, blockId: 'b', delta: text };
}
function end(replyId: string): AgentEvent {
  return { type: 'AGENT_END', id: '', createdAt: '', replyId };
}
function reply(replyId: string, pieces: readonly string[]): AgentEvent[] {
  const fold = createFold();
  const events = [start(replyId), textStart(replyId), ...pieces.map((text) => delta(replyId, text)), { type: 'TEXT_BLOCK_END', id: '', createdAt: '', replyId, blockId: 'b' } as AgentEvent];
  for (const event of events) fold.apply({ ...event, createdAt: new Date(clock()).toISOString() });
  return [...events, { type: 'AGENT_RESULT', id: '', createdAt: '', replyId, result: fold.message() ?? new Msg({ content: [] }) }, end(replyId)];
}
