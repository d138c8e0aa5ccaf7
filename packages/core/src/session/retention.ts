import { AgentScopeError } from '../error/index.ts';
import { newId } from '../internal/index.ts';
import type { Clock } from '../internal/index.ts';
import type { Lease, Session, SessionInfo } from './session.ts';

/** How long a store keeps sessions. Applied by `prune()` only: a store never deletes by itself. */
export interface Retention {
  /** Sessions whose last entry is older go, in milliseconds from now, at least 0. Default: none goes for its age. */
  readonly maxAgeMs?: number | undefined;
  /** Only that many sessions stay, the most recently written ones, at least 0. Default: all. */
  readonly maxSessions?: number | undefined;
}

/** How long a session may take to be deleted, in milliseconds. */
const PRUNE_LEASE_MS = 10_000;

/**
 * Deletes what the retention does not keep, unfinished sessions too, and returns how many went. A session that somebody is writing
 * (its lease is held) or has written since the look at it stays; so nothing is taken from under a running reply.
 */
export async function pruneSessions(store: Session, retention: Retention, clock: Clock = Date.now): Promise<number> {
  const maxAgeMs = limitOf('maxAgeMs', retention.maxAgeMs);
  const maxSessions = limitOf('maxSessions', retention.maxSessions);
  if (maxAgeMs === Infinity && maxSessions === Infinity) return 0;
  const found: SessionInfo[] = [];
  for await (const info of store.list()) found.push(info);
  const newestFirst = found.toSorted((a, b) => timeOf(b) - timeOf(a));
  const oldest = clock() - maxAgeMs;
  let gone = 0;
  for (const [i, info] of newestFirst.entries()) {
    if ((i >= maxSessions || timeOf(info) < oldest) && (await deleteUnused(store, info))) gone++;
  }
  return gone;
}

async function deleteUnused(store: Session, { key, lastSeq }: SessionInfo): Promise<boolean> {
  const lease = await leaseIfFree(store, key);
  if (lease === undefined) return false;
  try {
    for await (const _ of store.read(key, { fromSeq: lastSeq + 1 })) return false;
    return await store.delete(key);
  } finally {
    await lease.release();
  }
}

async function leaseIfFree(store: Session, key: SessionInfo['key']): Promise<Lease | undefined> {
  try {
    return await store.lease(key, { owner: newId(), ttlMs: PRUNE_LEASE_MS });
  } catch (error) {
    if (AgentScopeError.is(error, 'session/conflict')) return undefined;
    throw error;
  }
}

/** A time that is none counts as now: what cannot be dated is not old. */
function timeOf({ updatedAt }: SessionInfo): number {
  const time = Date.parse(updatedAt);
  return Number.isNaN(time) ? Infinity : time;
}

function limitOf(option: keyof Retention, value = Infinity): number {
  if (value >= 0) return value;
  throw new AgentScopeError('config/invalid', `\`retention.${option}\` is ${value}. Give a number from 0 on, or leave it out.`, { details: { option: `retention.${option}` } });
}
