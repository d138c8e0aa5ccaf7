import { conflict, encodeEntry, lastSeqOf, unfinishedAfter } from '../../session/index.ts';
import type { AppendOptions, JournalEntry, SessionKey } from '../../session/index.ts';
import { storeId } from '../shared/store-id.ts';
import { ensuredRow, lockedRow } from './session-row.ts';
import type { SessionRow } from './session-row.ts';
import { numberOf, textOf } from './work.ts';
import type { Dialect, SqlValue, Work } from './work.ts';

interface Stored {
  readonly last: number;
  readonly body: string;
}

/** Number and fence are compared and the entries inserted while the session's row is locked, in one transaction. */
export function* append(dialect: Dialect, key: SessionKey, { entries, options }: { entries: readonly JournalEntry[]; options: AppendOptions }): Work<void> {
  const { expectedSeq, fence } = options;
  const row = entries.length > 0 ? yield* ensuredRow(dialect, key) : yield* lockedRow(dialect, key);
  const lastSeq = row?.lastSeq ?? 0;
  if (fence !== undefined && fence < (row?.newestFence ?? 0)) throw conflict(expectedSeq, lastSeq);
  const stored = entries.map((entry) => ({ last: lastSeqOf(entry), body: encodeEntry(entry) }));
  if (lastSeq !== expectedSeq) {
    if (row !== undefined && (yield* isRepeat(dialect, row, { stored, fence }))) return;
    throw conflict(expectedSeq, lastSeq);
  }
  const last = entries.at(-1);
  if (row === undefined || last === undefined) return;
  yield* insertAll(dialect, row, { stored, fence });
  const unfinished = unfinishedAfter(entries);
  yield {
    sql: `UPDATE ${dialect.table('sessions')} SET last_seq = ?2, updated_at = ?3, newest_fence = ?4${unfinished === undefined ? '' : `, unfinished = ${unfinished ? 1 : 0}`} WHERE n = ?1`,
    values: [row.n, lastSeqOf(last), last.at, Math.max(row.newestFence, fence ?? 0)],
  };
}

/** Where the journal ends now; undefined where there is none. */
export function* endOf(dialect: Dialect, key: SessionKey): Work<{ readonly n: number; readonly lastSeq: number } | undefined> {
  const [row] = yield { sql: `SELECT n, last_seq FROM ${dialect.table('sessions')} WHERE id = ?1`, values: [storeId(key)] };
  return row && { n: numberOf(row['n']), lastSeq: numberOf(row['last_seq']) };
}

/** A page of entries from the one that covers a number on. */
export function* page(dialect: Dialect, { n, from, to, limit }: { n: number; from: number; to: number; limit: number }): Work<readonly Stored[]> {
  const sql = `SELECT last, body FROM ${dialect.table('entries')} WHERE session = ?1 AND last >= ?2 AND last <= ?3 ORDER BY last LIMIT ${limit}`;
  const rows = yield { sql, values: [n, from, to] };
  return rows.map((row) => ({ last: numberOf(row['last']), body: textOf(row['body']) }));
}

interface Batch {
  readonly stored: readonly Stored[];
  readonly fence: number | undefined;
}

/** True when exactly these entries are there, written under the same fence: the answer to an earlier append was lost. */
function* isRepeat(dialect: Dialect, { n }: SessionRow, { stored, fence }: Batch): Work<boolean> {
  const [first, last] = [stored[0], stored.at(-1)];
  if (first === undefined || last === undefined) return false;
  const sql = `SELECT last, fence, body FROM ${dialect.table('entries')} WHERE session = ?1 AND last >= ?2 AND last <= ?3 ORDER BY last`;
  const rows = yield { sql, values: [n, first.last, last.last] };
  if (rows.length !== stored.length) return false;
  return rows.every((row, i) => numberOf(row['last']) === stored[i]?.last && textOf(row['body']) === stored[i]?.body && sameFence(row['fence'], fence));
}

function sameFence(stored: unknown, fence: number | undefined): boolean {
  return stored === null || stored === undefined ? fence === undefined : Number(stored) === fence;
}

function* insertAll(dialect: Dialect, { n }: SessionRow, { stored, fence }: Batch): Work<void> {
  for (let i = 0; i < stored.length; i += dialect.rowsPerInsert) {
    const rows = stored.slice(i, i + dialect.rowsPerInsert);
    const marks = rows.map((_, j) => `(?1, ?2, ?${3 + 2 * j}, ?${4 + 2 * j})`).join(', ');
    const values: SqlValue[] = [n, fence ?? null];
    for (const { last, body } of rows) values.push(last, body);
    yield { sql: `INSERT INTO ${dialect.table('entries')} (session, fence, last, body) VALUES ${marks}`, values };
  }
}
