import { keyText } from '../../session/index.ts';
import type { SessionKey } from '../../session/index.ts';
import { storeId, textId } from '../shared/store-id.ts';
import { numberOf, textOf } from './work.ts';
import type { Dialect, Row, Work } from './work.ts';

/** What is kept of a session beside its entries. */
export interface SessionRow {
  readonly n: number;
  readonly lastSeq: number;
  /** The newest fence given out or written under. */
  readonly newestFence: number;
  readonly leaseFence: number;
  readonly leaseOwner: string;
  readonly leaseExpires: number;
  readonly posts: number;
  /** By the database's clock. */
  readonly now: number;
}

/** The session's row, locked until the transaction ends; undefined where there is none. */
export function* lockedRow(dialect: Dialect, key: SessionKey): Work<SessionRow | undefined> {
  const sql = `SELECT n, last_seq, newest_fence, lease_fence, lease_owner, lease_expires, posts, ${dialect.now} AS now FROM ${dialect.table('sessions')} WHERE id = ?1${dialect.lock}`;
  const [row] = yield { sql, values: [storeId(key)] };
  return row && toSessionRow(row);
}

/** The same, made where it is missing. */
export function* ensuredRow(dialect: Dialect, key: SessionKey): Work<SessionRow> {
  const { userId } = key;
  const values = [storeId(key), textId(userId), keyText(key)];
  for (;;) {
    const row = yield* lockedRow(dialect, key);
    if (row !== undefined) return row;
    // Another process may make it first, or delete it again before we look.
    yield { sql: `INSERT INTO ${dialect.table('sessions')} (id, user_id, session_key) VALUES (?1, ?2, ?3) ON CONFLICT (id) DO NOTHING`, values };
  }
}

/** Number of the session's row, without a lock. */
export function* numberOfSession(dialect: Dialect, key: SessionKey): Work<number | undefined> {
  const [row] = yield { sql: `SELECT n FROM ${dialect.table('sessions')} WHERE id = ?1`, values: [storeId(key)] };
  return row && numberOf(row['n']);
}

function toSessionRow(row: Row): SessionRow {
  const leaseFence = numberOf(row['lease_fence']);
  return {
    n: numberOf(row['n']),
    lastSeq: numberOf(row['last_seq']),
    newestFence: Math.max(leaseFence, numberOf(row['newest_fence'])),
    leaseFence,
    leaseOwner: textOf(row['lease_owner']),
    leaseExpires: numberOf(row['lease_expires']),
    posts: numberOf(row['posts']),
    now: numberOf(row['now']),
  };
}
