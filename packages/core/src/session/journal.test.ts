import * as fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { createFold } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import { Msg, UserMessage } from '../message/index.ts';
import type { JournalEntry, SessionKey } from './entry.ts';
import { InMemorySession } from './in-memory-session.ts';
import { expand } from './merge-deltas.ts';
import { openJournal } from './open-journal.ts';
import { journalOf, queueOf } from './open-sessions.ts';
import { readSession } from './read-session.ts';
import type { Session } from './session.ts';

afterEach(() => {
  vi.useRealTimers();
});

const KEY: SessionKey = { userId: 'u', sessionId: 's' };

test('S0-042 a thousand events have a thousand ids of our own count, over a restart too', async () => {
  const store = new InMemorySession();
  const ids = new Set<string>();
  for (const owner of ['before', 'after']) {
    const journal = await openJournal(store, KEY, { owner });
    const events = Array.from({ length: 500 }, () => delta('r', 'x'));
    journal.commit([start('r'), ...events.slice(1)]);
    await journal.release();
  }
  for (const entry of await all(store)) {
    for (const single of expand(entry)) {
      if (single.kind !== 'event') continue;
      expect(single.event.id).toMatch(new RegExp(`^r:[12]:${single.seq}$`));
      ids.add(single.event.id);
    }
  }
  expect(ids.size).toBe(1_000);
});

test('two journals of one store and key in one process are one', async () => {
  const store = new InMemorySession();
  const [one, two] = await Promise.all([openJournal(store, KEY), openJournal(store, { sessionId: 's', userId: 'u' })]);
  expect(one).toBe(two);
  one.accept([new UserMessage('hello')]);
  expect(two.context().map((msg) => msg.getTextContent())).toEqual(['hello']);
  await one.release();
  two.set('still', 'held');
  await two.flush();
  await two.release();
  expect(await openJournal(store, { sessionId: 's' })).not.toBe(one);
  expect(queueOf(store, KEY)).toBe(queueOf(store, { ...KEY }));
});

test('opening again in the same process goes on in the same epoch; after another writer in a new one', async () => {
  const store = new InMemorySession();
  const first = await openJournal(store, KEY);
  await first.release();
  expect(await openJournal(store, KEY)).toBe(first);
  await first.release();
  expect((await all(store)).map(({ kind }) => kind)).toEqual(['epoch']);
  const other = await openJournal(store, KEY, { owner: 'another process' });
  expect(other.epoch).toBe(first.epoch + 1);
  await other.release();
  expect((await all(store)).map((entry) => entry.kind === 'epoch' && entry.epoch)).toEqual([1, 2]);
});

test('a session that was deleted, or written by somebody without a lease, is read anew', async () => {
  const store = new InMemorySession();
  const journal = await openJournal(store, KEY);
  journal.set('a', 1);
  await journal.release();
  await store.delete(KEY);
  const anew = await openJournal(store, KEY);
  expect([anew.state('a'), anew.lastSeq]).toEqual([undefined, 1]);
  await anew.release();
  await store.append(KEY, [{ seq: 2, at: '', kind: 'state', name: 'a', value: 2 }], { expectedSeq: 1 });
  const again = await openJournal(store, KEY);
  expect(again.state('a')).toBe(2);
  await again.release();
  expect(await openJournal(store, KEY)).toBe(again);
  await again.release();
});

test('of many sessions only what is in use stays in memory', async () => {
  const store = new InMemorySession();
  const held = await openJournal(store, { sessionId: 'held' });
  for (let i = 0; i < 600; i++) await (await openJournal(store, { sessionId: `s${i}` })).release();
  expect(journalOf(store, { sessionId: 's0' })).toBe(undefined);
  expect(await openJournal(store, { sessionId: 'held' })).toBe(held);
  expect((await openJournal(store, { sessionId: 's0' })).epoch).toBe(1);
});

test('commit stamps the events given, one time a batch that never falls, and stores deltas merged', async () => {
  const store = new InMemorySession();
  const times = [5_000, 4_000, 6_000];
  const journal = await openJournal(store, KEY, { clock: () => times.shift() ?? 6_000 });
  const events = [start('r'), textStart('r'), delta('r', 'a'), delta('r', 'b'), delta('r', 'c')];
  journal.commit(events.slice(0, 3));
  journal.commit(events.slice(3));
  expect(events.map(({ id }) => id)).toEqual(['r:1:2', 'r:1:3', 'r:1:4', 'r:1:5', 'r:1:6']);
  const at = events.map(({ createdAt }) => createdAt);
  expect(at).toEqual(at.toSorted());
  await journal.flush('step');
  expect((await all(store)).map(({ kind, seq }) => [kind, seq])).toEqual([['epoch', 1], ['event', 2], ['event', 3], ['delta', 4]]);
  expect([journal.lastSeq, journal.durableSeq, journal.openReply()?.message.getTextContent()]).toEqual([6, 6, 'abc']);
  await journal.release();
});

test('C088 a message is accepted once, however often the whole list is handed in', async () => {
  const store = new InMemorySession();
  const journal = await openJournal(store, KEY);
  const list = [new UserMessage('one'), new UserMessage('two'), new UserMessage('three')];
  for (let turn = 1; turn <= 3; turn++) expect(journal.accept(list.slice(0, turn))).toEqual([list[turn - 1]]);
  journal.commit(reply('r', ['x'], list.map(({ id }) => id)));
  const said = journal.reply('r');
  expect(said && journal.accept([...list, said])).toEqual([]);
  await journal.flush();
  await journal.flush();
  expect((await all(store)).filter(({ kind }) => kind === 'input')).toHaveLength(3);
  expect(list.map(({ id }) => [journal.knows(id), journal.replyFor(id)])).toEqual(list.map(() => [true, { replyId: 'r', closed: true }]));
  await journal.release();
});

test('a reply stands at its start, an input accepted while it is open after it', async () => {
  const journal = await openJournal(new InMemorySession(), KEY);
  const [first, heard, next] = [new UserMessage('first'), new UserMessage('heard'), new UserMessage('next')];
  journal.accept([first]);
  journal.commit([start('r1', [first.id]), textStart('r1'), delta('r1', 'one ')]);
  journal.accept([heard]);
  journal.commit([delta('r1', 'reply'), end('r1', 'PERMISSION_ASKING')]);
  expect([texts(journal.context()), texts(journal.unanswered()), journal.openReply()?.facts.running]).toEqual([['first', 'one reply', 'heard'], ['heard'], false]);
  journal.accept([next]);
  journal.commit([start('r1'), end('r1', 'INTERRUPTED')]);
  expect([journal.openReply(), texts(journal.unanswered())]).toEqual([undefined, ['heard', 'next']]);
  journal.commit(reply('r2', ['two'], [heard.id, next.id]));
  expect([texts(journal.context()), texts(journal.unanswered())]).toEqual([['first', 'one reply', 'heard', 'next', 'two'], []]);
  await journal.release();
});

test('a steering message taken in by a hint is no message of its own; one that came too late is unanswered', async () => {
  const journal = await openJournal(new InMemorySession(), KEY);
  const [taken, late] = [new UserMessage('use metres'), new UserMessage('and hurry')];
  journal.commit([start('r'), textStart('r'), delta('r', 'x')]);
  journal.accept([taken, late], { steer: true });
  expect(texts(journal.steers())).toEqual(['use metres', 'and hurry']);
  journal.commit([{ type: 'HINT_BLOCK', id: '', createdAt: '', replyId: 'r', blockId: 'h', hintSource: 'user', hint: 'use metres', metadata: { inputIds: [taken.id] } }, end('r')]);
  expect([texts(journal.steers()), texts(journal.unanswered()), texts(journal.context().slice(1))]).toEqual([['and hurry'], ['and hurry'], ['and hurry']]);
  await journal.release();
});

test('AGENT_RESULT is stored without its result', async () => {
  const store = new InMemorySession();
  const journal = await openJournal(store, KEY);
  journal.commit(reply('r', ['hello']));
  await journal.flush();
  expect((await all(store)).flatMap((entry) => (entry.kind === 'event' && entry.event.type === 'AGENT_RESULT' ? [Object.keys(entry.event).sort()] : []))).toEqual([['createdAt', 'id', 'replyId', 'type']]);
  await journal.release();
});

test('C070 after a restart the input, the finished blocks and the partial text are there, and what was buffered only is gone', async () => {
  const store = new InMemorySession();
  const journal = await openJournal(store, KEY);
  const input = new UserMessage('question');
  journal.accept([input]);
  await journal.flush('input');
  journal.commit([start('r', [input.id]), textStart('r'), delta('r', 'part '), delta('r', 'said')]);
  await journal.flush('step');
  journal.commit([delta('r', ' and lost')]);
  const after = await readSession(store, KEY);
  expect([texts(after.context()), after.openReply()?.facts.running, after.replyFor(input.id)]).toEqual([['question', 'part said'], true, { replyId: 'r', closed: false }]);
  await journal.release();
});

test.each([
  ['delta', ['input', 'delta', 'step', 'intent', 'end']],
  ['step', ['input', 'step', 'intent', 'end']],
  ['reply', ['input', 'intent', 'end']],
  ['none', []],
] as const)('durability %s flushes at %j, and a flush without a point always', async (durability, points) => {
  const journal = await openJournal(new InMemorySession(), KEY, { durability });
  const flushed: string[] = [];
  for (const point of ['input', 'delta', 'step', 'intent', 'end'] as const) {
    journal.set('at', point);
    await journal.flush(point);
    if (journal.durableSeq === journal.lastSeq) flushed.push(point);
  }
  expect(flushed).toEqual(points);
  await journal.flush();
  expect(journal.durableSeq).toBe(journal.lastSeq);
  await journal.release();
});

test('a failed flush keeps everything, and the retry stores it once even when the first had arrived', async () => {
  for (const arrives of [true, false]) {
    const inner = new InMemorySession();
    const store = failing(inner, arrives);
    const journal = await openJournal(store, KEY);
    store.fails = true;
    journal.commit([start('r'), textStart('r'), delta('r', 'a')]);
    await expect(journal.flush()).rejects.toMatchObject({ code: 'session/unavailable', details: { store: 'memory' } });
    journal.commit([delta('r', 'b'), delta('r', 'c')]);
    store.fails = false;
    await Promise.all([journal.flush(), journal.flush()]);
    expect((await all(inner)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect((await readSession(inner, KEY)).openReply()?.message.getTextContent()).toBe('abc');
    await journal.release();
  }
});

test('what was abandoned is nowhere, and the next opening starts a new epoch', async () => {
  const store = failing(new InMemorySession(), false);
  const journal = await openJournal(store, KEY);
  store.fails = true;
  journal.accept([new UserMessage('never accepted')]);
  await expect(journal.flush('input')).rejects.toMatchObject({ code: 'session/unavailable' });
  journal.abandon();
  store.fails = false;
  await journal.release();
  expect(journalOf(store, KEY)).toBe(undefined);
  const next = await openJournal(store, KEY);
  expect([next.epoch, texts(next.context())]).toEqual([2, []]);
  await next.release();
});

test('the lease is renewed while it is held, and a lost one makes the next flush fail', async () => {
  vi.useFakeTimers();
  const store = new InMemorySession();
  const journal = await openJournal(store, KEY);
  await vi.advanceTimersByTimeAsync(60_000);
  await expect(store.lease(KEY, { owner: 'other', ttlMs: 1_000 })).rejects.toMatchObject({ code: 'session/conflict' });
  vi.setSystemTime(Date.now() + 31_000); // the process slept
  await store.lease(KEY, { owner: 'other', ttlMs: 60_000 });
  await vi.advanceTimersByTimeAsync(10_000);
  journal.set('a', 1);
  await expect(journal.flush()).rejects.toMatchObject({ code: 'session/lease-lost' });
  await journal.release().catch(() => undefined);
  expect(vi.getTimerCount()).toBe(0);
});

test('a journal of a newer form is refused', async () => {
  const store = new InMemorySession();
  await store.append(KEY, [{ seq: 1, at: '', kind: 'epoch', epoch: 1, owner: 'o', schema: 99 }], { expectedSeq: 0 });
  await expect(openJournal(store, KEY)).rejects.toMatchObject({ code: 'session/newer-schema', details: { found: 99, known: 1 } });
  expect(await store.lease(KEY, { owner: 'other', ttlMs: 1 })).toMatchObject({ fence: 2 });
});

test('the context equals a naive fold of all entries, live, re-read, and after any cut into batches', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('input' as const) }),
    fc.record({ kind: fc.constant('text' as const), reply: fc.nat(2), pieces: fc.array(fc.string({ unit: 'binary', maxLength: 4 }), { minLength: 1, maxLength: 4 }) }),
    fc.record({ kind: fc.constant('end' as const), reason: fc.constantFrom('MODEL_STOP' as const, 'PERMISSION_ASKING' as const, 'INTERRUPTED' as const) }),
    fc.record({ kind: fc.constant('flush' as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const store = new InMemorySession();
      const journal = await openJournal(store, KEY);
      let replies = 0;
      let blocks = 0;
      const current = (): string => `r${replies}`;
      journal.commit([start(current())]);
      for (const it of steps) {
        if (it.kind === 'input') journal.accept([new UserMessage('input')]);
        else if (it.kind === 'flush') await journal.flush();
        else if (it.kind === 'text') {
          const blockId = `b${blocks++}`;
          journal.commit([textStart(current(), blockId), ...it.pieces.map((text) => delta(current(), text, blockId))]);
        } else {
          journal.commit([end(current(), it.reason)]);
          if (it.reason !== 'PERMISSION_ASKING') replies++;
          journal.commit([start(current())]);
        }
      }
      const live = JSON.stringify(journal.context());
      await journal.flush();
      expect(JSON.stringify((await readSession(store, KEY)).context())).toBe(live);
      expect(JSON.stringify(naiveContext(await all(store)))).toBe(live);
      await journal.release();
    }),
    { numRuns: 60 },
  );
});

/** By the words of DESIGN §4, from single entries, with nothing kept in between. */
function naiveContext(entries: readonly JournalEntry[]): readonly Msg[] {
  const singles = entries.flatMap(expand);
  const places: (() => Msg)[] = [];
  const seen = new Set<string>();
  for (const entry of singles) {
    if (entry.kind === 'input') places.push(() => Msg.from(entry.msg));
    if (entry.kind !== 'event' || seen.has(entry.event.replyId ?? '')) continue;
    const id = entry.event.replyId ?? '';
    seen.add(id);
    places.push(() => {
      const fold = createFold();
      for (const other of singles) if (other.kind === 'event' && other.event.replyId === id) fold.apply(other.event);
      return fold.message() ?? new Msg({ content: [] });
    });
  }
  return places.map((make) => make());
}

function failing(inner: InMemorySession, arrives: boolean): Session & { fails: boolean } {
  const store = Object.create(inner, { fails: { value: false, writable: true } }) as Session & { fails: boolean };
  for (const name of ['read', 'lease'] as const) Object.defineProperty(store, name, { value: inner[name].bind(inner) });
  Object.defineProperty(store, 'append', {
    value: async (...args: Parameters<Session['append']>) => {
      if (!store.fails || arrives) await inner.append(...args);
      if (store.fails) throw new Error('connection reset');
    },
  });
  return store;
}
async function all(store: Session): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for await (const entry of store.read(KEY)) entries.push(entry);
  return entries;
}
function texts(messages: readonly Msg[]): readonly string[] {
  return messages.map((msg) => msg.getTextContent());
}
function start(replyId: string, inputIds: readonly string[] = []): AgentEvent {
  return { type: 'AGENT_START', id: '', createdAt: '', replyId, sessionId: 's', name: 'A', role: 'assistant', metadata: { inputIds } };
}
function textStart(replyId: string, blockId = 'b'): AgentEvent {
  return { type: 'TEXT_BLOCK_START', id: '', createdAt: '', replyId, blockId };
}
function delta(replyId: string, text: string, blockId = 'b'): AgentEvent {
  return { type: 'TEXT_BLOCK_DELTA', id: '', createdAt: '', replyId, blockId, delta: text };
}
function end(replyId: string, generateReason: 'MODEL_STOP' | 'PERMISSION_ASKING' | 'INTERRUPTED' = 'MODEL_STOP'): AgentEvent {
  return { type: 'AGENT_END', id: '', createdAt: '', replyId, generateReason };
}
function reply(replyId: string, pieces: readonly string[], inputIds: readonly string[] = []): AgentEvent[] {
  const result = new Msg({ id: replyId, name: 'A', role: 'ASSISTANT', content: pieces.join('') });
  const said: AgentEvent = { type: 'AGENT_RESULT', id: '', createdAt: '', replyId, result };
  return [start(replyId, inputIds), textStart(replyId), ...pieces.map((text) => delta(replyId, text)), said, end(replyId)];
}

test('sessions nobody uses are let go beyond maxOpenSessions, those used longest ago first; one in use never', async () => {
  const store = new InMemorySession();
  const key = (n: number): SessionKey => ({ sessionId: `s${n}` });
  const open = async (n: number): Promise<void> => {
    const journal = await openJournal(store, key(n), { maxOpenSessions: 3 });
    journal.set('n', n);
    await journal.release();
  };
  const held = await openJournal(store, key(0), { maxOpenSessions: 3 });
  const unsaved = await openJournal(store, key(1), { maxOpenSessions: 3, durability: 'none' });
  unsaved.set('n', 1);
  await unsaved.release();
  for (let n = 2; n < 40; n++) await open(n);
  const kept = Array.from({ length: 40 }, (_, n) => n).filter((n) => journalOf(store, key(n)) !== undefined);
  expect(kept).toEqual([0, 1, 39]);
  expect(journalOf(store, key(0))).toBe(held);
  await held.release();
  // What was let go is there again when it is asked for.
  const again = await openJournal(store, key(7));
  expect([again.state('n'), again.epoch]).toEqual([7, 1]);
  await again.release();
});
