import { randomUUID } from 'node:crypto';
import type { Place } from './kill-runs.ts';

const hasSqlite = process.getBuiltinModule?.('node:sqlite') !== undefined;

/** A store to test, or why it is left out here. `clean` takes away what the tests made in it. */
export interface StorePlace {
  readonly store: string;
  readonly place: Place | undefined;
  readonly why: string;
  clean(): Promise<void>;
}

/** Runs of one store where `KILL_RUNS` does not say. On a CI with a newer Node the others have had theirs on the older one. */
export function runsOf(store: string): number {
  const isSecond = Boolean(process.env['CI']) && hasSqlite && store !== 'sqlite';
  return Number(process.env['KILL_RUNS'] || (isSecond ? 20 : 60));
}

/** Every store that survives its process; `KILL_STORES=file,redis` leaves out others. Redis and PostgreSQL need servers, which `REDIS_URL` and `POSTGRES_URL` name. */
export function storePlaces(): readonly StorePlace[] {
  const name = `kill_${randomUUID().replaceAll('-', '')}`;
  const nothing = async (): Promise<void> => undefined;
  const [redis, postgres] = [process.env['REDIS_URL'], process.env['POSTGRES_URL']];
  const wanted = (process.env['KILL_STORES'] || 'file,sqlite,redis,postgres').split(',');
  const all: readonly StorePlace[] = [
    { store: 'file', place: { store: 'file' }, why: '', clean: nothing },
    { store: 'sqlite', place: hasSqlite ? { store: 'sqlite' } : undefined, why: `node:sqlite needs Node 22.13, this is ${process.versions.node}`, clean: nothing },
    { store: 'redis', place: redis ? { store: 'redis', url: redis, name } : undefined, why: 'REDIS_URL names no server', clean: () => cleanRedis(redis ?? '', name) },
    { store: 'postgres', place: postgres ? { store: 'postgres', url: postgres, name } : undefined, why: 'POSTGRES_URL names no server', clean: () => cleanPostgres(postgres ?? '', name) },
  ];
  return all.map((each) => (wanted.includes(each.store) ? each : { ...each, place: undefined, why: 'KILL_STORES leaves it out' }));
}

async function cleanRedis(url: string, name: string): Promise<void> {
  const { Redis } = await import('ioredis');
  const client = new Redis(url);
  for await (const keys of client.scanStream({ match: `${name}:*`, count: 1_000 }) as AsyncIterable<string[]>) if (keys.length > 0) await client.del(...keys);
  await client.quit();
}

async function cleanPostgres(connectionString: string, name: string): Promise<void> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(`DROP SCHEMA IF EXISTS ${name} CASCADE`);
  await client.end();
}
