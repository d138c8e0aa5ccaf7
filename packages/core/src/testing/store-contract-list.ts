import { fullKey, keyText } from '../session/index.ts';
import type { FullSessionKey, ListOptions, Retention, Session, SessionInfo, SessionKey } from '../session/index.ts';
import { assertEqual, byText, readAll } from './store-asserts.ts';
import type { Check } from './store-asserts.ts';
import { noteEntry, sampleEntries, STRANGE_IDS } from './store-samples.ts';

const KEY: SessionKey = { userId: 'u', sessionId: 's' };

/** What a store's list must do. */
export const listing: Readonly<Record<string, Check>> = {
  async 'list tells sessions by user and by whether their last reply ended'(store, other) {
    await store.append(KEY, sampleEntries(), { expectedSeq: 0 });
    await store.append({ sessionId: 'cut off' }, sampleEntries().slice(0, 5), { expectedSeq: 0 });
    const found = (await listed(other)).map(({ key, lastSeq, unfinished }) => `${key.sessionId} ${lastSeq} ${unfinished}`);
    assertEqual(found.toSorted(byText), ['cut off 8 true', 's 12 false'], 'all');
    assertEqual((await listed(other, { userId: 'u' })).map(({ key }) => key), [KEY], 'of one user');
    assertEqual((await listed(other, { unfinished: true })).map(({ key }) => key.sessionId), ['cut off'], 'unfinished');
    assertEqual((await listed(other, { unfinished: false })).map(({ key }) => key.sessionId), ['s'], 'finished');
    assertEqual(await listed(other, { userId: 'u', unfinished: true }), [], 'both');
  },
  async 'a session is unfinished from the start of a reply to its end, append by append; a child reply does not count'(store, other) {
    const all = sampleEntries();
    const states: boolean[] = [];
    for (const [from, to] of [[0, 2], [2, 3], [3, 5], [5, 8], [8, 9]] as const) {
      const before = all[from - 1];
      await store.append(KEY, all.slice(from, to), { expectedSeq: before === undefined ? 0 : before.kind === 'delta' ? before.to : before.seq });
      states.push((await listed(other))[0]?.unfinished ?? false);
    }
    assertEqual(states, [false, true, true, true, false], 'unfinished after each append');
    const child = { ...all[2], seq: 13, event: { ...(all[2] as { event: object }).event, id: 'r:1:13', source: 'a/b' } } as (typeof all)[number];
    await store.append(KEY, [child], { expectedSeq: 12 });
    assertEqual((await listed(other)).map(({ lastSeq, unfinished }) => [lastSeq, unfinished]), [[13, false]], 'after the start of a child');
  },
  async 'what list says of a session is its last number and its last time'(store, other) {
    await store.append(KEY, sampleEntries().slice(0, 5), { expectedSeq: 0 });
    await store.append(KEY, [{ seq: 9, at: '2026-03-04T05:06:07.008Z', kind: 'state', name: 'n', value: 1 }], { expectedSeq: 8 });
    assertEqual(await listed(other), [{ key: KEY, lastSeq: 9, updatedAt: '2026-03-04T05:06:07.008Z', unfinished: true }], 'info');
  },
  async 'pages behind a key give every session once and in the order of the whole list, whatever the ids and filters'(store, other) {
    const keys = STRANGE_IDS.flatMap((id, i): SessionKey[] => [{ sessionId: id }, { userId: i % 2 === 0 ? 'even' : id, sessionId: 's' }, { userId: 'even', sessionId: id }]);
    for (const [i, key] of [...new Map(keys.map((key) => [keyText(key), key])).values()].entries()) await store.append(key, sampleEntries().slice(0, i % 3 === 0 ? 5 : 9), { expectedSeq: 0 });
    const filters: readonly ListOptions[] = [{}, { userId: 'even' }, { unfinished: true }, { userId: 'even', unfinished: false }, { userId: STRANGE_IDS.at(-4) }];
    for (const filter of filters) {
      const whole = await listed(other, filter);
      assertEqual(new Set(whole.map(({ key }) => keyText(key))).size, whole.length, 'each once');
      for (const limit of [1, 7, 1_000]) assertEqual(await paged(store, { ...filter, limit }), whole, `pages of ${limit} of ${JSON.stringify(filter).slice(0, 60)}`);
    }
    assertEqual((await listed(store)).length, new Set(keys.map(keyText)).size, 'all of them');
    assertEqual(await listed(store, { limit: 0 }), [], 'a limit of nothing');
  },
  async 'a page goes on behind a session that was deleted meanwhile'(store, other) {
    for (const id of ['a', 'b', 'c', 'd', 'e']) await store.append({ sessionId: id }, [noteEntry(1, id)], { expectedSeq: 0 });
    const whole = (await listed(other)).map(({ key }) => key);
    const [first, second] = [whole[0] ?? KEY, whole[1]];
    await store.delete(second ?? KEY);
    assertEqual((await listed(other, { after: fullKey(first) })).map(({ key }) => key), whole.slice(2), 'behind the first');
    assertEqual((await listed(other, { after: second })).map(({ key }) => key), whole.slice(2), 'behind the deleted one');
  },
  async 'a lease, an inbox or a named value alone is no session of the list'(store, other) {
    await store.lease({ sessionId: 'leased' }, { owner: 'a', ttlMs: 60_000 });
    await store.post({ sessionId: 'posted' }, { id: 'i', at: '', kind: 'steer', body: 'x' });
    await store.save({ sessionId: 'valued' }, 'n', 1);
    assertEqual(await listed(other), [], 'list');
    assertEqual((await other.listSessionKeys()).map(({ sessionId }) => sessionId), ['valued'], 'keys');
  },
};

/** What `prune` must do; see `Retention`. */
export const pruning: Readonly<Record<string, Check>> = {
  async 'prune deletes what is too old'(store, other) {
    await store.append({ sessionId: 'old' }, [noteAt(1, daysAgo(3)), noteAt(2, daysAgo(2))], { expectedSeq: 0 });
    await store.append({ sessionId: 'new' }, [noteAt(1, daysAgo(9)), noteAt(2, daysAgo(0.5))], { expectedSeq: 0 });
    await store.save({ sessionId: 'old' }, 'n', 1);
    assertEqual(await prune(store, {}), 0, 'without a retention');
    assertEqual(await prune(store, { maxAgeMs: DAY_MS }), 1, 'gone');
    assertEqual([(await listed(other)).map(({ key }) => key.sessionId), (await other.get({ sessionId: 'old' }, 'n')) === undefined], [['new'], true], 'left');
  },
  async 'prune keeps the most recently written sessions, of all users together'(store, other) {
    for (let i = 0; i < 6; i++) await store.append({ userId: i % 2 === 0 ? 'u' : undefined, sessionId: `s${i}` }, [noteAt(1, daysAgo((i * 5) % 6))], { expectedSeq: 0 });
    assertEqual(await prune(store, { maxSessions: 2 }), 4, 'gone');
    assertEqual((await listed(other)).map(({ key }) => key.sessionId).toSorted(), ['s0', 's5'], 'left');
    assertEqual([await prune(store, { maxSessions: 2 }), await prune(store, { maxSessions: 0 }), await listed(other)], [0, 2, []], 'nothing more, then all');
  },
  async 'prune leaves a session whose lease is held'(store, other) {
    const lease = await other.lease(KEY, { owner: 'a', ttlMs: 60_000 });
    await other.append(KEY, [noteAt(1, daysAgo(9))], { expectedSeq: 0, fence: lease.fence });
    assertEqual(await prune(store, { maxAgeMs: 0, maxSessions: 0 }), 0, 'while it is held');
    await other.append(KEY, [noteAt(2, daysAgo(8))], { expectedSeq: 1, fence: lease.fence });
    assertEqual((await readAll(store, KEY)).length, 2, 'entries');
    await lease.release();
    assertEqual([await prune(store, { maxAgeMs: 0 }), await store.exists(KEY)], [1, false], 'when it is free');
  },
};

const DAY_MS = 86_400_000;

function daysAgo(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString();
}
function noteAt(seq: number, at: string): ReturnType<typeof noteEntry> {
  return { ...noteEntry(seq, 'x'), at };
}

async function prune(store: Session, retention: Retention): Promise<number> {
  const able = store as Session & { prune?(retention: Retention): Promise<number> };
  if (able.prune === undefined) throw new Error('The store has no `prune`. Pass `{ prunes: false }` to storeContract.');
  return able.prune(retention);
}

async function listed(store: Session, options: ListOptions = {}): Promise<SessionInfo[]> {
  const found: SessionInfo[] = [];
  for await (const info of store.list(options)) found.push(info);
  return found;
}

async function paged(store: Session, options: ListOptions): Promise<SessionInfo[]> {
  const found: SessionInfo[] = [];
  for (let after: FullSessionKey | undefined; ; ) {
    const page = await listed(store, { ...options, after });
    found.push(...page);
    if (page.length === 0) return found;
    after = page.at(-1)?.key;
  }
}
