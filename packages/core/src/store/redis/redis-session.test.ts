import { randomUUID } from 'node:crypto';
import { Cluster, Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { surviveOutage } from '../../../test/support/outage.ts';
import { hasRedis, lossyProxy, ownRedis } from '../../../test/support/store-servers.ts';
import type { OwnServer } from '../../../test/support/store-servers.ts';
import { storeContract } from '../../testing/store-contract.ts';
import { eventually, readAll } from '../../testing/store-asserts.ts';
import { noteEntry, sampleEntries } from '../../testing/store-samples.ts';
import { RedisSession } from './redis-session.ts';

const url = process.env['REDIS_URL'] ?? '';
const why = url === '' ? ' (skipped: REDIS_URL names no server)' : '';
const KEY = { userId: 'u', sessionId: 's' };
const ALL = `agentscope-test:${randomUUID()}:`;
let made = 0;
const newPrefix = (): string => `${ALL}${made++}:`;

afterAll(async () => {
  if (url === '') return;
  const client = new Redis(url);
  for await (const keys of client.scanStream({ match: `${ALL}*`, count: 1_000 }) as AsyncIterable<string[]>) if (keys.length > 0) await client.del(...keys);
  await client.quit();
});

test('without a place, or with two, it is not made', () => {
  for (const options of [{}, { url: 'redis://127.0.0.1', client: { call: async () => null, quit: async () => null, disconnect: () => undefined } }]) {
    expect(() => new RedisSession(options)).toThrow(expect.objectContaining({ code: 'config/invalid', details: { option: 'url' } }));
  }
});

test('a server that is not there is session/unavailable, with the cause', async () => {
  const store = new RedisSession({ url: 'redis://127.0.0.1:1' });
  await expect(store.append(KEY, [noteEntry(1, 'a')], { expectedSeq: 0 })).rejects.toMatchObject({ code: 'session/unavailable', details: { store: 'redis' }, cause: expect.any(Error) });
  await store.close();
});

describe.skipIf(url === '')(`RedisSession${why}`, () => {
  storeContract({ describe, test }, () => {
    const keyPrefix = newPrefix();
    return { store: new RedisSession({ url, keyPrefix }), reopen: () => new RedisSession({ url, keyPrefix }) };
  });

  test('a client of the user is used and left open', async () => {
    const client = new Redis(url);
    const store = new RedisSession({ client, keyPrefix: newPrefix() });
    await store.append(KEY, sampleEntries(), { expectedSeq: 0 });
    await store.close();
    expect([await client.ping(), await readAll(store, KEY)]).toEqual(['PONG', sampleEntries()]);
    await client.quit();
  });

  test('C084 prefixes with braces, globs and blanks are two stores', async () => {
    const base = newPrefix();
    const stores = ['', '{', '}', '{}', '{x}', '*', 'a b:', '\u0000'].map((end) => new RedisSession({ url, keyPrefix: base + end }));
    for (const [i, store] of stores.entries()) await store.append(KEY, [noteEntry(1, String(i))], { expectedSeq: 0 });
    for (const [i, store] of stores.entries()) {
      expect([await readAll(store, KEY), (await store.listSessionKeys()).length]).toEqual([[noteEntry(1, String(i))], 1]);
      await store.close();
    }
  });

  test('C083 connections killed in mid-append: what was appended is there once, in order, and nothing is lost', async () => {
    const connectionName = `killed-${randomUUID()}`;
    const killer = new Redis(url);
    const client = new Redis(url, { connectionName, maxRetriesPerRequest: 1, autoResendUnfulfilledCommands: false, retryStrategy: () => 1 });
    client.on('error', () => undefined);
    const store = new RedisSession({ client, keyPrefix: newPrefix(), timeoutMs: 100 });
    const { fence } = await store.lease(KEY, { owner: 'a', ttlMs: 60_000 });
    let failed = 0;
    const kills: Promise<number>[] = [];
    for (let seq = 1; seq <= 300; seq += 2) {
      const batch = [noteEntry(seq, 'x'.repeat(2_000)), noteEntry(seq + 1, 'y')];
      if (seq % 5 === 0) kills.push(killNamed(killer, connectionName));
      await eventually(() => store.append(KEY, batch, { expectedSeq: seq - 1, fence }).catch((error: unknown) => {
        failed++;
        expect(error).toMatchObject({ code: 'session/unavailable', cause: expect.any(Error) });
        throw error;
      }), `append ${seq}`);
    }
    expect((await Promise.all(kills)).reduce((sum, killed) => sum + killed)).toBeGreaterThan(0);
    expect(failed).toBeGreaterThan(0);
    expect((await eventually(() => readAll(store, KEY), 'read')).map(({ seq }) => seq)).toEqual(Array.from({ length: 300 }, (_, i) => i + 1));
    client.disconnect();
    await killer.quit();
  });

  test('C088 an append whose answer was lost is in the journal once, sent again by the connection or by the caller', async () => {
    const proxy = await lossyProxy({ hostname: new URL(url).hostname, port: Number(new URL(url).port || 6379) });
    const store = new RedisSession({ url: `redis://127.0.0.1:${proxy.port}`, keyPrefix: newPrefix(), timeoutMs: 400 });
    const { fence } = await store.lease(KEY, { owner: 'a', ttlMs: 60_000 });
    const [first, second] = [sampleEntries().slice(0, 5), sampleEntries().slice(5)];
    await store.append(KEY, [], { expectedSeq: 0, fence }); // the script is known to the server, so the next words are its run
    proxy.lose('EVALSHA', 1);
    await store.append(KEY, first, { expectedSeq: 0, fence });
    expect(proxy.lost).toBe(1);
    proxy.lose('EVALSHA', 1_000);
    await expect(store.append(KEY, second, { expectedSeq: 8, fence })).rejects.toMatchObject({ code: 'session/unavailable' });
    proxy.lose('', 0);
    await eventually(() => store.append(KEY, second, { expectedSeq: 8, fence }), 'the same append again');
    expect(await readAll(store, KEY)).toEqual(sampleEntries());
    await store.close();
    await proxy.close();
  });
});

describe.skipIf(url === '')(`RedisSession and a server that goes away${why}`, () => {
  let server: OwnServer | undefined;
  beforeAll(async () => {
    server = await ownRedis();
  });
  afterAll(() => server?.dispose());

  test('while it is killed calls are session/unavailable; restarted, everything it had confirmed is there and the store works again', async ({ skip }) => {
    if (server === undefined) return skip('no redis-server to kill');
    await expect(surviveOutage(new RedisSession({ url: server.url, timeoutMs: 2_000 }), server)).resolves.toBeUndefined();
  });
});

const whyNoCluster = why !== '' || hasRedis() ? why : ' (skipped: no redis-server here to make one of)';

describe.skipIf(whyNoCluster !== '')(`RedisSession in a cluster${whyNoCluster}`, () => {
  let cluster: Promise<OwnServer | undefined> | undefined;
  afterAll(async () => (await cluster)?.dispose());
  const connect = async (): Promise<Cluster> => {
    const { hostname, port } = new URL((await (cluster ??= ownRedis({ cluster: true })))?.url ?? '');
    return new Cluster([{ host: hostname, port: Number(port) }]);
  };

  storeContract({ describe, test }, async () => {
    const clients = [await connect(), await connect()] as const;
    const keyPrefix = newPrefix();
    const dispose = async (): Promise<void> => {
      await Promise.all(clients.map((client) => client.quit()));
    };
    return { store: new RedisSession({ client: clients[0], keyPrefix }), reopen: () => new RedisSession({ client: clients[1], keyPrefix }), dispose };
  });
});

async function killNamed(killer: Redis, name: string): Promise<number> {
  const lines = String(await killer.client('LIST')).split('\n').filter((line) => line.includes(`name=${name} `));
  const ids = lines.map((line) => /\bid=(\d+)/.exec(line)?.[1] ?? '');
  for (const id of ids) await killer.client('KILL', 'ID', id);
  return ids.length;
}
