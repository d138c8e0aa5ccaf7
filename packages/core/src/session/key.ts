import { AgentScopeError } from '../error/index.ts';
import type { FullSessionKey, SessionKey } from './entry.ts';

/**
 * A key with both parts said. Any text is a session id, the empty one too; `userId` undefined is nobody's and differs from `''`.
 *
 * @throws AgentScopeError `session/invalid-id` without a session id: only an agent knows the default one.
 */
export function fullKey({ userId, sessionId }: SessionKey): FullSessionKey {
  if (typeof sessionId === 'string') return { userId, sessionId };
  throw new AgentScopeError('session/invalid-id', 'A store was asked without a session id. Pass `sessionId`; only an agent fills in its default one.', {
    details: { rule: 'sessionId is a string' },
  });
}

/** One text per key, never the same for two: a map's key, not a file name. */
export function keyText(key: SessionKey): string {
  const { userId, sessionId } = fullKey(key);
  return JSON.stringify([userId ?? null, sessionId]);
}
