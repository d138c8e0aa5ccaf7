// A session store from its three smallest parts. A `Shelf` stands for a table of a database: a text for each entry, in order.
import { AgentScopeError, decodeEntry, defineSession, encodeEntry, lastSeqOf } from '@agentscope/core';
import type { JsonObject, Session, SessionKey } from '@agentscope/core';

interface Row {
  /** Number of the last event in it: a run of deltas is one entry with several numbers. */
  readonly lastSeq: number;
  readonly body: string;
}
export type Shelf = Map<string, readonly Row[]>;

/** Leases, named values and the inbox are filled in, and hold within this process: one that serves alone needs no more. */
export function shelfStore(shelf: Shelf): Session {
  return defineSession({
    store: 'shelf',
    // All or nothing, and only behind the entry the writer believes is the last one: a database would check that in its transaction.
    async append(key, entries, { expectedSeq }) {
      const rows = shelf.get(nameOf(key)) ?? [];
      const actualSeq = rows.at(-1)?.lastSeq ?? 0;
      if (actualSeq !== expectedSeq) {
        throw new AgentScopeError('session/conflict', `Entry ${expectedSeq} is not the last one, ${actualSeq} is.`, { details: { expectedSeq, actualSeq } });
      }
      if (entries.length > 0) shelf.set(nameOf(key), [...rows, ...entries.map((entry) => ({ lastSeq: lastSeqOf(entry), body: encodeEntry(entry) }))]);
    },
    async *read(key, { fromSeq = 1 } = {}) {
      for (const { lastSeq, body } of shelf.get(nameOf(key)) ?? []) {
        if (lastSeq >= fromSeq) yield decodeEntry(JSON.parse(body) as JsonObject);
      }
    },
    async delete(key) {
      return shelf.delete(nameOf(key));
    },
  });
}

/** No two keys have one name: nobody's session is not the one of the user `''`. */
function nameOf({ userId, sessionId }: SessionKey): string {
  if (sessionId === undefined) throw new AgentScopeError('session/invalid-id', 'A store needs a session id.', { details: { rule: 'sessionId is a string' } });
  return JSON.stringify([userId ?? null, sessionId]);
}
