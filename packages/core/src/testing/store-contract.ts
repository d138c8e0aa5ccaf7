import type { Awaitable } from '../internal/index.ts';
import { lastSeqOf } from '../session/index.ts';
import type { JournalEntry, Session, SessionKey } from '../session/index.ts';
import { assertEqual, assertRejects, byText, eventually, readAll, seededRandom } from './store-asserts.ts';
import type { Check } from './store-asserts.ts';
import { inboxes } from './store-contract-inbox.ts';
import { listing, pruning } from './store-contract-list.ts';
import { moreEntries, noteEntry, sampleEntries, STRANGE_IDS } from './store-samples.ts';

/** Any runner with these two words: vitest, node:test, mocha, … */
export interface StoreTestRunner {
  describe(name: string, body: () => void): unknown;
  test(name: string, body: () => Promise<void>): unknown;
}
export interface StoreUnderTest {
  /** Empty. */
  readonly store: Session;
  /** A second object over the same data, as another process has one. Left out: the first one plays both. */
  reopen?(): Awaitable<Session>;
  /** Called after the test, also when it failed. */
  dispose?(): Awaitable<void>;
}
export interface StoreContractOptions {
  /** False for a store without `list`. Default true. */
  readonly lists?: boolean;
  /** False for a store whose snapshots are off. Default true. */
  readonly snapshots?: boolean;
  /** False for a store without `prune({ maxAgeMs?, maxSessions? })`. Default true. */
  readonly prunes?: boolean;
}

const KEY: SessionKey = { userId: 'u', sessionId: 's' };

/**
 * Registers what every store must do, one test a rule. `make` gives an empty store for each.
 *
 * @example storeContract({ describe, test }, () => ({ store: new MyStore() }));
 */
export function storeContract({ describe, test }: StoreTestRunner, make: () => Awaitable<StoreUnderTest>, { lists = true, snapshots = true, prunes = true }: StoreContractOptions = {}): void {
  const groups = { entries, writers, ids, leases, rest, inboxes, ...(lists ? { listing } : {}), ...(snapshots ? { keptSnapshots } : {}), ...(prunes ? { pruning } : {}) };
  describe('store contract', () => {
    for (const checks of Object.values(groups)) {
      for (const [name, check] of Object.entries(checks)) test(name, () => runCheck(check, make));
    }
  });
}

async function runCheck(check: Check, make: () => Awaitable<StoreUnderTest>): Promise<void> {
  const made = await make();
  const other = (await made.reopen?.()) ?? made.store;
  try {
    await check(made.store, other);
  } finally {
    if (other !== made.store) await other.close();
    await made.store.close();
    await made.dispose?.();
  }
}

const entries: Readonly<Record<string, Check>> = {
  async 'C086 what is appended is read back equal, every kind of entry, by every object over the data'(store, other) {
    const all = [...sampleEntries(), ...moreEntries()];
    await store.append(KEY, sampleEntries(), { expectedSeq: 0 });
    await store.append(KEY, moreEntries(), { expectedSeq: 12 });
    assertEqual(await readAll(store, KEY), all, 'entries');
    assertEqual(await readAll(other, KEY), all, 'entries of a second object');
    assertEqual(await readAll(other, KEY, 17), all.slice(-1), 'from a number in the middle of what a child said');
    await store.append(KEY, [noteEntry(19, 'behind')], { expectedSeq: 18 });
  },
  async 'C086 saving again what was read gives the same once more'(store) {
    await store.append(KEY, sampleEntries(), { expectedSeq: 0 });
    const again = { ...KEY, sessionId: 'again' };
    await store.append(again, await readAll(store, KEY), { expectedSeq: 0 });
    assertEqual(await readAll(store, again), sampleEntries(), 'second generation');
  },
  async 'an unknown session has no entries'(store) {
    assertEqual(await readAll(store, KEY), [], 'entries');
    assertEqual([await store.exists(KEY), await store.delete(KEY)], [false, false], 'exists, delete');
  },
  async 'reading from any number begins with the entry that covers it, also in the middle of merged deltas'(store, other) {
    await store.append(KEY, sampleEntries().slice(0, 4), { expectedSeq: 0 });
    await store.append(KEY, sampleEntries().slice(4), { expectedSeq: 4 });
    for (let from = 1; from <= 13; from++) {
      const rest = sampleEntries().filter((entry) => lastSeqOf(entry) >= from);
      assertEqual(await readAll(store, KEY, from), rest, `entries from ${from}`);
      assertEqual(await readAll(other, KEY, from), rest, `entries from ${from}, second object`);
    }
  },
  async 'merged deltas at the end count with their last number'(store) {
    await store.append(KEY, sampleEntries().slice(0, 5), { expectedSeq: 0 });
    await assertRejects(store.append(KEY, [noteEntry(6, 'x')], { expectedSeq: 5 }), 'session/conflict', 'after the first number of the record');
    await store.append(KEY, [noteEntry(9, 'x')], { expectedSeq: 8 });
    assertEqual((await readAll(store, KEY)).map(lastSeqOf), [1, 2, 3, 4, 8, 9], 'numbers');
  },
};

const writers: Readonly<Record<string, Check>> = {
  async 'an append that expects another end is a conflict and changes nothing'(store, other) {
    await store.append(KEY, [noteEntry(1, 'a'), noteEntry(2, 'b')], { expectedSeq: 0 });
    for (const expectedSeq of [0, 1, 3]) {
      const wrong = [noteEntry(expectedSeq + 1, 'wrong'), noteEntry(expectedSeq + 2, 'wrong')];
      await assertRejects(other.append(KEY, wrong, { expectedSeq }), 'session/conflict', `expecting ${expectedSeq}`);
    }
    assertEqual(await readAll(store, KEY), [noteEntry(1, 'a'), noteEntry(2, 'b')], 'entries');
  },
  async 'an older fence is a conflict, whatever the numbers say'(store, other) {
    const first = await store.lease(KEY, { owner: 'a', ttlMs: 60_000 });
    await store.append(KEY, [noteEntry(1, 'a')], { expectedSeq: 0, fence: first.fence });
    await first.release();
    const second = await other.lease(KEY, { owner: 'b', ttlMs: 60_000 });
    await assertRejects(store.append(KEY, [noteEntry(2, 'late')], { expectedSeq: 1, fence: first.fence }), 'session/conflict', 'older fence');
    await other.append(KEY, [noteEntry(2, 'b')], { expectedSeq: 1, fence: second.fence });
    await assertRejects(store.append(KEY, [noteEntry(3, 'late')], { expectedSeq: 2, fence: first.fence }), 'session/conflict', 'older fence after a write');
    assertEqual(await readAll(store, KEY), [noteEntry(1, 'a'), noteEntry(2, 'b')], 'entries');
  },
  async 'C088 appending again what is there under the same fence succeeds and stores nothing twice'(store) {
    const { fence } = await store.lease(KEY, { owner: 'a', ttlMs: 60_000 });
    const batch = sampleEntries().slice(0, 6);
    await store.append(KEY, batch, { expectedSeq: 0, fence });
    await store.append(KEY, batch, { expectedSeq: 0, fence });
    await store.append(KEY, sampleEntries().slice(6), { expectedSeq: 9, fence });
    await store.append(KEY, batch, { expectedSeq: 0, fence });
    assertEqual(await readAll(store, KEY), sampleEntries(), 'entries');
    await assertRejects(store.append(KEY, [noteEntry(1, 'other')], { expectedSeq: 0, fence }), 'session/conflict', 'other entries under the same numbers');
  },
  async 'C088 a repeat that another process makes after a restart succeeds too, and its fence counts'(store, other) {
    const first = await store.lease(KEY, { owner: 'a', ttlMs: 60_000 });
    await store.append(KEY, sampleEntries(), { expectedSeq: 0, fence: first.fence });
    await other.append(KEY, sampleEntries().slice(5), { expectedSeq: 8, fence: first.fence });
    assertEqual(await readAll(other, KEY), sampleEntries(), 'entries');
    await first.release();
    const second = await other.lease(KEY, { owner: 'b', ttlMs: 60_000 });
    await assertRejects(store.append(KEY, sampleEntries().slice(5), { expectedSeq: 8, fence: second.fence }), 'session/conflict', 'the same entries under another fence');
  },
  async 'a long append and a long journal are read back whole and in order'(store, other) {
    const batches = [1, 701, 1_401].map((from) => Array.from({ length: 700 }, (_, i) => noteEntry(from + i, `${from + i} ${'x'.repeat(i % 50)}`)));
    for (const [i, batch] of batches.entries()) await store.append(KEY, batch, { expectedSeq: i * 700 });
    assertEqual(await readAll(other, KEY), batches.flat(), 'all');
    assertEqual(await readAll(other, KEY, 2_000), batches.flat().slice(1_999), 'the end');
    await store.append(KEY, batches[2] ?? [], { expectedSeq: 1_400 }).catch(() => undefined);
    assertEqual((await readAll(store, KEY)).length, 2_100, 'entries after a repeat');
  },
  async 'an entry of a megabyte is kept whole'(store, other) {
    const entry = noteEntry(1, 'ab🟢'.repeat(250_000));
    await store.append(KEY, [entry], { expectedSeq: 0 });
    assertEqual(await readAll(other, KEY), [entry], 'entries');
  },
  async 'what is appended while somebody reads belongs to the next read'(store, other) {
    await store.append(KEY, [noteEntry(1, 'a'), noteEntry(2, 'b')], { expectedSeq: 0 });
    const seen: number[] = [];
    for await (const { seq } of other.read(KEY)) {
      if (seq === 1) await store.append(KEY, [noteEntry(3, 'c')], { expectedSeq: 2 });
      seen.push(seq);
    }
    assertEqual(seen.slice(0, 2), [1, 2], 'what was there');
    assertEqual((await readAll(other, KEY)).length, 3, 'entries afterwards');
  },
  async 'an append of nothing changes nothing'(store) {
    await store.append(KEY, [], { expectedSeq: 0 });
    assertEqual([await readAll(store, KEY), await store.exists(KEY)], [[], false], 'entries, exists');
  },
  async 'C083 of writers with the same expectation exactly one succeeds'(store, other) {
    const random = seededRandom(7);
    const expected: JournalEntry[] = [];
    for (let round = 0; round < 25; round++) {
      const rivals = Array.from({ length: 2 + Math.floor(random() * 3) }, (_, i) => ({ at: random() < 0.5 ? store : other, name: `${round}/${i}` }));
      const batchOf = (name: string): JournalEntry[] => [noteEntry(expected.length + 1, name), noteEntry(expected.length + 2, name)];
      const ends = await Promise.allSettled(rivals.map(({ at, name }) => at.append(KEY, batchOf(name), { expectedSeq: expected.length })));
      const winners = rivals.filter((_, i) => ends[i]?.status === 'fulfilled');
      assertEqual(winners.length, 1, `winners of round ${round}`);
      expected.push(...batchOf(winners[0]?.name ?? ''));
      assertEqual(await readAll(random() < 0.5 ? store : other, KEY), expected, `entries after round ${round}`);
    }
  },
};

const ids: Readonly<Record<string, Check>> = {
  async 'C084 any text is a session id, and no two fall together'(store, other) {
    for (const [i, sessionId] of STRANGE_IDS.entries()) await store.append({ sessionId }, [noteEntry(1, String(i))], { expectedSeq: 0 });
    for (const [i, sessionId] of STRANGE_IDS.entries()) assertEqual(await readAll(other, { sessionId }), [noteEntry(1, String(i))], `session ${JSON.stringify(sessionId)}`);
  },
  async 'C084 any text is a user id, and nobody is another user than the empty one'(store, other) {
    const users = [undefined, ...STRANGE_IDS];
    for (const [i, userId] of users.entries()) await store.append({ userId, sessionId: 's' }, [noteEntry(1, String(i))], { expectedSeq: 0 });
    for (const [i, userId] of users.entries()) assertEqual(await readAll(other, { userId, sessionId: 's' }), [noteEntry(1, String(i))], `user ${JSON.stringify(userId)}`);
  },
  async 'a key without a session id is refused'(store) {
    await assertRejects(store.append({}, [noteEntry(1, 'a')], { expectedSeq: 0 }), 'session/invalid-id', 'append');
  },
};

const leases: Readonly<Record<string, Check>> = {
  async 'a lease keeps other owners out until it is released; the fence grows with the owner'(store, other) {
    const first = await store.lease(KEY, { owner: 'a', ttlMs: 60_000 });
    await assertRejects(other.lease(KEY, { owner: 'b', ttlMs: 60_000 }), 'session/conflict', 'a second owner');
    await first.renew();
    await first.release();
    const second = await other.lease(KEY, { owner: 'b', ttlMs: 60_000 });
    assertEqual(second.fence > first.fence, true, 'second fence is higher');
    await assertRejects(first.renew(), 'session/lease-lost', 'renewing what somebody else has');
    await first.release();
    await assertRejects(store.lease(KEY, { owner: 'c', ttlMs: 60_000 }), 'session/conflict', 'a late release gave back what was not its own');
  },
  async 'the same owner gets the same fence again while nobody else had it'(store) {
    const first = await store.lease(KEY, { owner: 'a', ttlMs: 60_000 });
    const again = await store.lease(KEY, { owner: 'a', ttlMs: 60_000 });
    await again.release();
    const third = await store.lease(KEY, { owner: 'a', ttlMs: 60_000 });
    assertEqual([again.fence, third.fence], [first.fence, first.fence], 'fences');
  },
  async 'a lease that ran out is free for others'(store, other) {
    const first = await store.lease(KEY, { owner: 'a', ttlMs: 0 });
    const second = await other.lease(KEY, { owner: 'b', ttlMs: 60_000 });
    assertEqual(second.fence > first.fence, true, 'second fence is higher');
  },
  async 'a lease of a short time runs out by the clock of the store; a renewal puts the end off'(store, other) {
    const first = await store.lease(KEY, { owner: 'a', ttlMs: 60_000 });
    const short = await store.lease(KEY, { owner: 'a', ttlMs: 40 });
    assertEqual(short.fence, first.fence, 'fence of the same owner');
    const second = await eventually(() => other.lease(KEY, { owner: 'b', ttlMs: 60_000 }), 'a lease after the first ran out');
    assertEqual(second.fence > first.fence, true, 'second fence is higher');
    await assertRejects(short.renew(), 'session/lease-lost', 'renewing too late');
    await second.renew();
    await assertRejects(store.lease(KEY, { owner: 'a', ttlMs: 60_000 }), 'session/conflict', 'the first owner comes back');
  },
  async 'the owner of a lease that ran out gets the same fence when nobody else had it'(store) {
    const first = await store.lease(KEY, { owner: 'a', ttlMs: 0 });
    await store.append(KEY, [noteEntry(1, 'a')], { expectedSeq: 0, fence: first.fence });
    assertEqual((await store.lease(KEY, { owner: 'a', ttlMs: 60_000 })).fence, first.fence, 'fence');
  },
  async 'C084 any text is an owner, and no two fall together'(store) {
    for (const owner of STRANGE_IDS.filter((id) => id !== '' && id.isWellFormed())) {
      const key = { sessionId: `of ${owner}` };
      await store.lease(key, { owner, ttlMs: 60_000 });
      await assertRejects(store.lease(key, { owner: `${owner} `, ttlMs: 60_000 }), 'session/conflict', `another owner than ${JSON.stringify(owner.slice(0, 40))}`);
    }
  },
  async 'C083 of owners that ask at the same time one gets the lease'(store, other) {
    const asked = Array.from({ length: 6 }, (_, i) => (i % 2 === 0 ? store : other).lease(KEY, { owner: `o${i}`, ttlMs: 60_000 }));
    const got = (await Promise.allSettled(asked)).filter(({ status }) => status === 'fulfilled');
    assertEqual(got.length, 1, 'leases given');
  },
  async 'C083 leases of different sessions do not wait for each other'(store) {
    const keys = Array.from({ length: 20 }, (_, i) => ({ sessionId: `s${i}` }));
    const all = await Promise.all(keys.map((key, i) => store.lease(key, { owner: `o${i}`, ttlMs: 60_000 })));
    await Promise.all(all.map(({ fence }, i) => store.append(keys[i] ?? KEY, [noteEntry(1, 'x')], { expectedSeq: 0, fence })));
    assertEqual(all.length, 20, 'leases');
  },
};

const rest: Readonly<Record<string, Check>> = {
  async 'delete takes one session away and leaves the others'(store, other) {
    const kept = { sessionId: 's' };
    await store.append(KEY, [noteEntry(1, 'a')], { expectedSeq: 0 });
    await store.append(kept, [noteEntry(1, 'b')], { expectedSeq: 0 });
    await store.save(KEY, 'v', 1);
    assertEqual([await store.exists(KEY), await store.delete(KEY), await store.exists(KEY), await store.delete(KEY)], [true, true, false, false], 'exists, delete, exists, delete');
    assertEqual([await readAll(other, KEY), await readAll(other, kept)], [[], [noteEntry(1, 'b')]], 'entries');
    assertEqual((await store.get(KEY, 'v')) === undefined, true, 'value gone');
    await store.append(KEY, [noteEntry(1, 'new')], { expectedSeq: 0 });
    assertEqual(await readAll(store, KEY), [noteEntry(1, 'new')], 'entries after a new beginning');
  },
  async 'named values are kept by session and name, beside the journal'(store) {
    const value = { list: [1, { a: null }], text: 'Grüße' };
    await store.save(KEY, 'memory', value);
    value.list.length = 0;
    await store.save({ sessionId: 's' }, 'memory', 'other session');
    for (const name of STRANGE_IDS) await store.save(KEY, `n${name}`, [name.length]);
    assertEqual([await store.get(KEY, 'memory'), await store.get({ sessionId: 's' }, 'memory')], [{ list: [1, { a: null }], text: 'Grüße' }, 'other session'], 'values');
    for (const name of STRANGE_IDS) assertEqual(await store.getList(KEY, `n${name}`), [name.length], `list ${JSON.stringify(name)}`);
    assertEqual([await store.getList(KEY, 'none'), (await store.get(KEY, 'none')) === undefined, await store.exists(KEY)], [[], true, true], 'nothing, nothing, exists');
    assertEqual(await readAll(store, KEY), [], 'entries');
    const keys = (await store.listSessionKeys()).map(({ userId, sessionId }) => `${userId ?? 'nobody'} ${sessionId ?? ''}`);
    assertEqual(keys.toSorted(byText), ['nobody s', 'u s'], 'keys');
  },
};

const keptSnapshots: Readonly<Record<string, Check>> = {
  async 'the last snapshot is there for every object over the data, beside the journal, and goes with the session'(store, other) {
    const state = { messages: [{ text: 'Grüße 🟢' }], none: null, deep: { list: [] } };
    assertEqual((await store.loadSnapshot(KEY)) === undefined, true, 'none at first');
    await store.append(KEY, sampleEntries(), { expectedSeq: 0 });
    await store.saveSnapshot(KEY, 5, { old: true });
    await store.saveSnapshot(KEY, 12, state);
    assertEqual(await other.loadSnapshot(KEY), { seq: 12, state }, 'snapshot');
    assertEqual((await other.loadSnapshot({ sessionId: 's' })) === undefined, true, 'of another session');
    assertEqual(await readAll(other, KEY), sampleEntries(), 'entries');
    await other.delete(KEY);
    assertEqual((await store.loadSnapshot(KEY)) === undefined, true, 'after delete');
  },
  async 'a snapshot of several megabytes is kept whole'(store, other) {
    const state = { text: 'ab🟢'.repeat(700_000) };
    await store.append(KEY, [noteEntry(1, 'a')], { expectedSeq: 0 });
    await store.saveSnapshot(KEY, 1, state);
    assertEqual((await other.loadSnapshot(KEY))?.state['text'] === state.text, true, 'text');
  },
};
