import { expect } from 'vitest';
import type { Session } from '../../src/session/index.ts';
import { eventually, readAll } from '../../src/testing/store-asserts.ts';
import { noteEntry, sampleEntries } from '../../src/testing/store-samples.ts';
import type { OwnServer } from './store-servers.ts';

const KEY = { userId: 'u', sessionId: 's' };

/** Kills the server of a store and starts it again: calls fail as `session/unavailable` meanwhile, and what was confirmed is there afterwards. */
export async function surviveOutage(store: Session, server: OwnServer): Promise<void> {
  const { fence, renew } = await eventually(() => store.lease(KEY, { owner: 'a', ttlMs: 60_000 }), 'lease');
  await store.append(KEY, sampleEntries(), { expectedSeq: 0, fence });
  await server.stop();
  const appendMore = (): Promise<void> => store.append(KEY, [noteEntry(13, 'x')], { expectedSeq: 12, fence });
  const deeds = [appendMore, () => readAll(store, KEY), () => renew(), () => store.inbox(KEY), () => store.delete(KEY)];
  for (const deed of deeds) await expect(deed()).rejects.toMatchObject({ code: 'session/unavailable', details: { store: store.store }, cause: expect.any(Error) });
  await server.start();
  await eventually(appendMore, 'append after the restart');
  expect(await readAll(store, KEY)).toEqual([...sampleEntries(), noteEntry(13, 'x')]);
  await renew();
  await store.close();
}
