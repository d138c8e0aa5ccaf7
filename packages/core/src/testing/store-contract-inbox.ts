import type { InboxItem, SessionKey } from '../session/index.ts';
import { assertEqual } from './store-asserts.ts';
import type { Check } from './store-asserts.ts';
import { noteEntry, sampleMessage, STRANGE_IDS } from './store-samples.ts';

const KEY: SessionKey = { userId: 'u', sessionId: 's' };
const AT = '2026-02-03T04:05:06.007Z';

/** What a store's inbox must do. */
export const inboxes: Readonly<Record<string, Check>> = {
  async 'what was posted is in the inbox of every object over the data, in order, until it is acknowledged'(store, other) {
    const items = (['answer', 'steer', 'interrupt', 'observe', 'input'] as const).map((kind, i) => itemOf(`i${i}`, { kind, body: { i, none: null, msg: sampleMessage('m') as unknown as null } }));
    for (const [i, item] of items.entries()) assertEqual(await (i % 2 === 0 ? store : other).post(KEY, item), true, `posting ${item.id}`);
    assertEqual([await store.inbox(KEY), await other.inbox(KEY)], [items, items], 'items');
    await other.acknowledge(KEY, ['i0', 'i3', 'never posted']);
    const left = items.filter(({ id }) => id !== 'i0' && id !== 'i3');
    assertEqual([await store.inbox(KEY), await other.inbox(KEY)], [left, left], 'items left');
    await store.acknowledge(KEY, items.map(({ id }) => id));
    await store.acknowledge(KEY, items.map(({ id }) => id));
    assertEqual(await other.inbox(KEY), [], 'nothing left');
  },
  async 'posting the same id twice is posting once, also after it was taken'(store, other) {
    const items = Array.from({ length: 30 }, (_, i) => itemOf(`i${i}`));
    for (const item of items) await store.post(KEY, item);
    for (const item of items) assertEqual(await other.post(KEY, { ...item, body: 'again' }), false, `posting ${item.id} again`);
    assertEqual(await other.inbox(KEY), items, 'items');
    await other.acknowledge(KEY, items.map(({ id }) => id));
    for (const item of items) assertEqual([await store.post(KEY, item), await other.post(KEY, item)], [false, false], `posting ${item.id} after it was taken`);
    assertEqual([await store.inbox(KEY), await other.post(KEY, itemOf('new'))], [[], true], 'nothing, and a new id');
    assertEqual(await store.inbox(KEY), [itemOf('new')], 'the new item');
  },
  async 'C083 of many who post the same id at once one does, and none of different ids is lost'(store, other) {
    const posts = Array.from({ length: 40 }, (_, i) => ({ at: i % 2 === 0 ? store : other, id: `i${i >> 2}` }));
    const done = await Promise.all(posts.map(({ at, id }, i) => at.post(KEY, itemOf(id, { body: i }))));
    assertEqual(done.filter(Boolean).length, 10, 'posts that counted');
    const found = await other.inbox(KEY);
    assertEqual(found.map(({ id }) => id).toSorted(), Array.from({ length: 10 }, (_, i) => `i${i}`), 'ids');
    for (const { id, body } of found) assertEqual(done[Number(body)], true, `who posted ${id}`);
  },
  async 'C084 any text is an id of an item, and no two fall together'(store, other) {
    const items = STRANGE_IDS.map((id) => itemOf(id));
    for (const item of items) assertEqual(await store.post(KEY, item), true, `posting ${JSON.stringify(item.id.slice(0, 40))}`);
    assertEqual(await other.inbox(KEY), items, 'items');
    await other.acknowledge(KEY, STRANGE_IDS.slice(1));
    assertEqual(await store.inbox(KEY), items.slice(0, 1), 'items left');
  },
  async 'inboxes of sessions are apart, and are no journal; they go with their session'(store, other) {
    await store.post(KEY, itemOf('a'));
    await store.post({ sessionId: 's' }, itemOf('a', { body: 'nobody' }));
    assertEqual([await other.inbox(KEY), await other.inbox({ sessionId: 's' })], [[itemOf('a')], [itemOf('a', { body: 'nobody' })]], 'items');
    assertEqual([await store.exists(KEY), await store.listSessionKeys()], [false, []], 'exists, keys');
    await store.append(KEY, [noteEntry(1, 'x')], { expectedSeq: 0 });
    await store.delete(KEY);
    assertEqual([await other.inbox(KEY), (await other.inbox({ sessionId: 's' })).length], [[], 1], 'after delete');
    assertEqual([await other.post(KEY, itemOf('a')), await store.inbox(KEY)], [true, [itemOf('a')]], 'a new beginning');
  },
};

function itemOf(id: string, fields: Partial<InboxItem> = {}): InboxItem {
  return { id, at: AT, kind: 'steer', body: 'go on', ...fields };
}
