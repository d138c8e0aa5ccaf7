import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AgentEvent } from '../event/index.ts';
import type { JsonObject } from '../internal/index.ts';
import { UserMessage } from '../message/index.ts';
import type { JournalEntry, SessionKey } from './entry.ts';
import { InMemorySession } from './in-memory-session.ts';
import type { Journal } from './journal.ts';
import { openJournal } from './open-journal.ts';
import { readSession } from './read-session.ts';
import { SessionFold } from './session-fold.ts';
import type { Session } from './session.ts';

const KEY: SessionKey = { userId: 'u', sessionId: 's' };

test('I8 inputs, steering, values, deletions, clearing and late events: the fold goes on from a snapshot at any entry, and as it was at any number', async () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.constant('input' as const) },
    { weight: 3, arbitrary: fc.constant('reply' as const) },
    ...(['begin', 'end', 'steer', 'hint', 'value', 'delete', 'clear', 'late', 'import'] as const).map((arbitrary) => ({ weight: 1, arbitrary: fc.constant(arbitrary) })),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.nat(), fc.nat(), async (steps, at, number) => {
      const store = new InMemorySession();
      const journal = await openJournal(store, KEY);
      const writer = new StepWriter(journal);
      for (const each of steps) writer.take(each);
      const live = print(journal.fold);
      await journal.release();
      const entries = await all(store);
      const cut = 1 + (at % entries.length);
      const fold = SessionFold.restore(JSON.parse(JSON.stringify(foldOf(entries.slice(0, cut)).snapshot())) as never);
      for (const entry of entries.slice(cut)) fold.apply(entry);
      expect(print(fold)).toBe(live);

      const seq = number % (journal.lastSeq + 1);
      const earlier = journal.fold.until(seq);
      if (earlier === undefined) return;
      const then = await readSession(store, KEY, { toSeq: seq });
      const told = (of: SessionFold): string => JSON.stringify([of.exportContext(), of.stateNames(), of.unanswered(), of.steers(), of.epochs]);
      expect(told(earlier)).toBe(told(then));
    }),
    { numRuns: 300 },
  );
});

test('a snapshot is written behind the appends once as much came as the last one holds, and is read instead of what it stands for', async () => {
  const store = counting(new InMemorySession());
  const journal = await openJournal(store, KEY);
  let written = 0;
  for (let turn = 0; turn < 600; turn++) {
    journal.accept([new UserMessage('x'.repeat(400))]);
    journal.commit(reply(`r${turn}`, 'y'.repeat(400)));
    await journal.flush();
  }
  await journal.release();
  written = store.snapshots.length;
  // From 64 KB on, each somewhat further apart than the one before.
  expect(written).toBeGreaterThan(3);
  expect(written).toBeLessThan(15);
  const gaps = store.snapshots.map((seq, i) => seq - (store.snapshots[i - 1] ?? 0));
  expect(gaps.at(-1)).toBeGreaterThan(2 * (gaps[1] ?? 0));
  store.reads.length = 0;
  const fold = await readSession(store, KEY);
  expect(store.reads).toEqual([store.snapshots.at(-1)]);
  expect(print(fold)).toBe(print(foldOf(await all(store))));
});

test('a snapshot of another form, a damaged one, one of another journal and one that cannot be read are as good as none', async () => {
  const store = new InMemorySession();
  const journal = await openJournal(store, KEY);
  journal.accept([new UserMessage('hello')]);
  journal.commit(reply('r', 'hi'));
  await journal.release();
  const whole = print(foldOf(await all(store)));
  const good = JSON.parse(JSON.stringify(foldOf(await all(store)).snapshot())) as JsonObject & { messages: JsonObject[] };
  const liar = { ...good, messages: good.messages.map((msg) => ({ ...msg, content: [{ type: 'text', text: 'never said' }] })) };
  const bad: readonly JsonObject[] = [
    { ...liar, form: 99 },
    { ...liar, slots: [] },
    { ...liar, messages: [1, 2] },
    { ...liar, newest: { index: 7, fold: {} } },
    { ...liar, newest: { index: 1, fold: { lanes: 'none' } } },
    { ...liar, mark: 'of another journal' },
    { ...liar, at: '2020-01-01T00:00:00.000Z' },
    { ...liar, seq: Number(good['seq']) + 50 },
    {},
  ];
  for (const state of bad) {
    await store.saveSnapshot(KEY, journal.lastSeq, state);
    expect(print(await readSession(store, KEY))).toBe(whole);
  }
  await store.saveSnapshot(KEY, journal.lastSeq, good);
  expect(print(await readSession(store, KEY))).toBe(whole);
  const broken = changed(store, { loadSnapshot: () => Promise.reject(new Error('no such table')) });
  expect(print(await readSession(broken, KEY))).toBe(whole);
});

test('a store that cannot keep snapshots disturbs nothing, and nobody waits for one that is slow', async () => {
  for (const saveSnapshot of [() => Promise.reject(new Error('disk full')), () => new Promise<void>(() => undefined)]) {
    const store = changed(new InMemorySession(), { saveSnapshot });
    const journal = await openJournal(store, KEY);
    for (let turn = 0; turn < 3; turn++) {
      journal.accept([new UserMessage('x'.repeat(70_000))]);
      await journal.flush();
    }
    await journal.release();
    expect((await readSession(store, KEY)).context()).toHaveLength(3);
  }
});

class StepWriter {
  readonly #journal: Journal;
  #replies = 0;
  #open = false;
  #inputs = 0;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  take(step: string): void {
    const journal = this.#journal;
    const id = `r${this.#replies}`;
    const context = journal.context();
    const some = context[Math.floor(context.length / 2)]?.id ?? '';
    if (step === 'input' || step === 'steer') journal.accept([new UserMessage({ id: `i${this.#inputs++}`, content: step })], { steer: step === 'steer' });
    else if (step === 'begin' && !this.#open) this.#begin();
    else if (step === 'end' && this.#open) this.#end(id);
    else if (step === 'reply' && !this.#open) {
      this.#begin();
      this.#end(`r${this.#replies}`);
    } else if (step === 'hint' && this.#open) {
      const [steer] = journal.steers();
      if (steer !== undefined) journal.commit([{ type: 'HINT_BLOCK', id: '', createdAt: '', replyId: id, blockId: steer.id, hint: 'steer', hintSource: 'user' }]);
    } else if (step === 'value') journal.set('n', this.#inputs);
    else if (step === 'delete' && some !== '') journal.edit({ op: 'delete', id: some });
    else if (step === 'clear') journal.edit({ op: 'clear' });
    else if (step === 'late' && this.#replies > 1) journal.commit([textStart('r1', 'late'), delta('r1', 'late', 'late')]);
    else if (step === 'import') journal.edit({ op: 'import', messages: [{ ...new UserMessage({ id: `imported${this.#inputs++}`, content: 'x' }) }], slots: [{ kind: 'input' }] });
  }

  #begin(): void {
    this.#open = true;
    const inputIds = this.#journal.unanswered().map((msg) => msg.id);
    this.#journal.commit(reply(`r${++this.#replies}`, 'hello', inputIds).slice(0, 4));
  }
  #end(id: string): void {
    this.#open = false;
    this.#journal.commit([{ type: 'AGENT_END', id: '', createdAt: '', replyId: id, generateReason: 'MODEL_STOP' }]);
  }
}

function print(fold: SessionFold): string {
  const known = fold.context().map(({ id }) => [id, fold.knows(id), fold.replyFor(id) ?? null, fold.range(id)]);
  return JSON.stringify([fold.context(), fold.openReply(), fold.unanswered(), fold.steers(), known, fold.snapshot()]);
}
function foldOf(entries: readonly JournalEntry[]): SessionFold {
  const fold = new SessionFold();
  for (const entry of entries) fold.apply(entry);
  return fold;
}
async function all(store: Session): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for await (const entry of store.read(KEY)) entries.push(entry);
  return entries;
}
function counting(inner: InMemorySession): Session & { snapshots: number[]; reads: number[] } {
  const snapshots: number[] = [];
  const reads: number[] = [];
  const store = changed(inner, {
    saveSnapshot: (key, seq, state) => {
      snapshots.push(seq);
      return inner.saveSnapshot(key, seq, state);
    },
    read: (key, options) => {
      reads.push(options?.fromSeq ?? 1);
      return inner.read(key, options);
    },
  });
  return Object.assign(store, { snapshots, reads });
}
function changed(inner: InMemorySession, changes: Partial<Session>): Session {
  return new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(changes, name) ?? Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  }) as Session;
}
function reply(replyId: string, text: string, inputIds: readonly string[] = []): AgentEvent[] {
  const start: AgentEvent = { type: 'AGENT_START', id: '', createdAt: '', replyId, sessionId: 's', name: 'A', role: 'assistant', metadata: { inputIds } };
  return [start, textStart(replyId, 'b'), delta(replyId, text, 'b'), { type: 'TEXT_BLOCK_END', id: '', createdAt: '', replyId, blockId: 'b' }, { type: 'AGENT_END', id: '', createdAt: '', replyId, generateReason: 'MODEL_STOP' }];
}
function textStart(replyId: string, blockId: string): AgentEvent {
  return { type: 'TEXT_BLOCK_START', id: '', createdAt: '', replyId, blockId };
}
function delta(replyId: string, text: string, blockId: string): AgentEvent {
  return { type: 'TEXT_BLOCK_DELTA', id: '', createdAt: '', replyId, blockId, delta: text };
}
