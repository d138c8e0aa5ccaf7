import { REMEMBERED_IDS } from '../../session/index.ts';
import type { FullSessionKey, InboxItem, ListOptions, SessionInfo, SessionKey } from '../../session/index.ts';
import { parseKey, storeId, textId } from '../shared/store-id.ts';
import { ensuredRow, lockedRow, numberOfSession } from './session-row.ts';
import { numberOf, textOf } from './work.ts';
import type { Dialect, SqlValue, Work } from './work.ts';

/** A page of `list`, in the order of the ids. */
export function* listPage(dialect: Dialect, { userId, unfinished, after }: ListOptions, { limit }: { limit: number }): Work<readonly SessionInfo[]> {
  const values: SqlValue[] = [after === undefined ? '' : storeId(after)];
  let where = 'last_seq > 0 AND id > ?1';
  if (userId !== undefined) where += ` AND user_id = ?${values.push(textId(userId))}`;
  if (unfinished !== undefined) where += ` AND unfinished = ${unfinished ? 1 : 0}`;
  const rows = yield { sql: `SELECT session_key, last_seq, updated_at, unfinished FROM ${dialect.table('sessions')} WHERE ${where} ORDER BY id LIMIT ${limit}`, values };
  return rows.map((row) => ({
    key: parseKey(textOf(row['session_key'])),
    lastSeq: numberOf(row['last_seq']),
    updatedAt: textOf(row['updated_at']),
    unfinished: numberOf(row['unfinished']) === 1,
  }));
}

/** Sessions with entries or named values; a lease or an inbox alone is nothing. */
export function* keys(dialect: Dialect, key?: SessionKey): Work<readonly FullSessionKey[]> {
  const held = `(last_seq > 0 OR EXISTS (SELECT 1 FROM ${dialect.table('named_values')} v WHERE v.session = s.n))`;
  const sql = `SELECT session_key FROM ${dialect.table('sessions')} s WHERE ${held}${key === undefined ? '' : ' AND id = ?1'} ORDER BY id`;
  const rows = yield { sql, values: key === undefined ? [] : [storeId(key)] };
  return rows.map((row) => parseKey(textOf(row['session_key'])));
}

export function* remove(dialect: Dialect, key: SessionKey): Work<boolean> {
  const row = yield* lockedRow(dialect, key);
  if (row === undefined) return false;
  const existed = (yield* keys(dialect, key)).length > 0;
  for (const table of ['entries', 'named_values', 'inbox'] as const) yield { sql: `DELETE FROM ${dialect.table(table)} WHERE session = ?1`, values: [row.n] };
  yield { sql: `DELETE FROM ${dialect.table('sessions')} WHERE n = ?1`, values: [row.n] };
  return existed;
}

export function* saveSnapshot(dialect: Dialect, key: SessionKey, { seq, text }: { seq: number; text: string }): Work<void> {
  const { n } = yield* ensuredRow(dialect, key);
  yield { sql: `UPDATE ${dialect.table('sessions')} SET snapshot_seq = ?2, snapshot = ?3 WHERE n = ?1`, values: [n, seq, text] };
}
export function* loadSnapshot(dialect: Dialect, key: SessionKey): Work<{ readonly seq: number; readonly text: string } | undefined> {
  const [row] = yield { sql: `SELECT snapshot_seq, snapshot FROM ${dialect.table('sessions')} WHERE id = ?1 AND snapshot IS NOT NULL`, values: [storeId(key)] };
  return row && { seq: numberOf(row['snapshot_seq']), text: textOf(row['snapshot']) };
}

export function* saveValue(dialect: Dialect, key: SessionKey, { name, text }: { name: string; text: string }): Work<void> {
  const { n } = yield* ensuredRow(dialect, key);
  const sql = `INSERT INTO ${dialect.table('named_values')} (session, name, body) VALUES (?1, ?2, ?3) ON CONFLICT (session, name) DO UPDATE SET body = excluded.body`;
  yield { sql, values: [n, textId(name), text] };
}
export function* loadValue(dialect: Dialect, key: SessionKey, name: string): Work<string | undefined> {
  const n = yield* numberOfSession(dialect, key);
  if (n === undefined) return undefined;
  const [row] = yield { sql: `SELECT body FROM ${dialect.table('named_values')} WHERE session = ?1 AND name = ?2`, values: [n, textId(name)] };
  return row && textOf(row['body']);
}

/** False when an item of this id was posted before. */
export function* post(dialect: Dialect, key: SessionKey, item: InboxItem): Work<boolean> {
  const row = yield* ensuredRow(dialect, key);
  const id = textId(item.id);
  const found = yield { sql: `SELECT n FROM ${dialect.table('inbox')} WHERE session = ?1 AND item = ?2`, values: [row.n, id] };
  if (found.length > 0) return false;
  yield { sql: `UPDATE ${dialect.table('sessions')} SET posts = ?2 WHERE n = ?1`, values: [row.n, row.posts + 1] };
  yield { sql: `INSERT INTO ${dialect.table('inbox')} (session, item, n, body) VALUES (?1, ?2, ?3, ?4)`, values: [row.n, id, row.posts + 1, JSON.stringify(item)] };
  return true;
}
export function* inbox(dialect: Dialect, key: SessionKey): Work<readonly InboxItem[]> {
  const n = yield* numberOfSession(dialect, key);
  if (n === undefined) return [];
  const rows = yield { sql: `SELECT body FROM ${dialect.table('inbox')} WHERE session = ?1 AND body IS NOT NULL ORDER BY n`, values: [n] };
  return rows.map((row) => JSON.parse(textOf(row['body'])) as InboxItem);
}
/** Taken items leave their ids behind, until a thousand newer ones were posted. */
export function* acknowledge(dialect: Dialect, key: SessionKey, ids: readonly string[]): Work<void> {
  const row = yield* lockedRow(dialect, key);
  if (row === undefined) return;
  const table = dialect.table('inbox');
  for (const id of ids) yield { sql: `UPDATE ${table} SET body = NULL WHERE session = ?1 AND item = ?2`, values: [row.n, textId(id)] };
  yield { sql: `DELETE FROM ${table} WHERE session = ?1 AND body IS NULL AND n <= ?2`, values: [row.n, row.posts - REMEMBERED_IDS] };
}
