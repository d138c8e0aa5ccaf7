import { createHash } from 'node:crypto';
import { keyText } from '../../session/index.ts';
import type { FullSessionKey, SessionKey } from '../../session/index.ts';

/** Longest text that stays as it is, in UTF-16 units. Databases limit what an index holds; PostgreSQL to about 2,700 bytes. */
const MAX_UNITS = 200;
const KEPT_UNITS = 100;

/**
 * A session's key as one text that any database takes, never the same for two: JSON, so it has no NUL and no half surrogates. A long
 * one is cut and a SHA-256 added; then the key itself must be kept beside it. Sorted by its bytes, sessions of a user stand together.
 */
export function storeId(key: SessionKey): string {
  return shortened(keyText(key));
}

/** The same for a text of any kind: a user's id, a value's name, an item's id. */
export function textId(text: string | undefined): string {
  return shortened(JSON.stringify(text ?? null));
}

/** What the ids of all sessions of a user begin with; those of others may as well. */
export function userPrefix(userId: string | undefined): string {
  const prefix = `[${JSON.stringify(userId ?? null)},`;
  return prefix.length <= KEPT_UNITS ? prefix : cut(prefix);
}

/** The key of a text {@link keyText} made. */
export function parseKey(text: string): FullSessionKey {
  const [userId, sessionId] = JSON.parse(text) as [string | null, string];
  return { userId: userId ?? undefined, sessionId };
}

/** JSON ends in a bracket, a quote or `null`, a hash never does. */
function shortened(text: string): string {
  return text.length <= MAX_UNITS ? text : `${cut(text)}~${createHash('sha256').update(text).digest('hex')}`;
}

/** Not between the halves of a pair. */
function cut(text: string): string {
  const end = /[\ud800-\udbff]/.test(text.charAt(KEPT_UNITS - 1)) ? KEPT_UNITS - 1 : KEPT_UNITS;
  return text.slice(0, end);
}
