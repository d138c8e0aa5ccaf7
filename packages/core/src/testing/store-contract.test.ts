import { describe, test } from 'vitest';
import { AgentScopeError } from '../error/index.ts';
import type { JsonObject } from '../internal/index.ts';
import { decodeEntry, defineSession, encodeEntry, InMemorySession, lastSeqOf } from '../session/index.ts';
import type { JournalEntry, SessionKey } from '../session/index.ts';
import { storeContract } from './store-contract.ts';

describe('S4-042 InMemorySession', () => {
  storeContract({ describe, test }, () => ({ store: new InMemorySession() }));
});

describe('defineSession over the smallest store', () => {
  storeContract({ describe, test }, () => ({ store: defineSession(smallestStore()) }), { lists: false, snapshots: false, prunes: false });
});

describe('defineSession over a store that keeps texts', () => {
  storeContract({ describe, test }, () => ({ store: defineSession(asTexts(smallestStore())) }), { lists: false, snapshots: false, prunes: false });
});

/** Entries go through JSON, as they do in a database: what is read is equal, its members may stand in another order. */
function asTexts(spec: ReturnType<typeof smallestStore>): ReturnType<typeof smallestStore> {
  const copy = (entry: JournalEntry): JournalEntry => decodeEntry(JSON.parse(encodeEntry(entry)) as JsonObject);
  return { ...spec, append: (key, entries, options) => spec.append(key, entries.map(copy), options) };
}

/** As a user would write it: numbers checked, nothing else; `read` leaves out a record that begins before `fromSeq`. */
function smallestStore(): Parameters<typeof defineSession>[0] {
  const journals = new Map<string, JournalEntry[]>();
  const idOf = ({ userId, sessionId }: SessionKey): string => {
    if (sessionId === undefined) throw new AgentScopeError('session/invalid-id', 'Pass a session id.', { details: { rule: 'sessionId is a string' } });
    return JSON.stringify([userId ?? null, sessionId]);
  };
  return {
    async append(key, entries, { expectedSeq }) {
      const journal = journals.get(idOf(key)) ?? [];
      await Promise.resolve();
      const last = journal.at(-1);
      const actualSeq = last === undefined ? 0 : lastSeqOf(last);
      if (actualSeq !== expectedSeq) throw new AgentScopeError('session/conflict', 'Somebody was faster.', { details: { expectedSeq, actualSeq } });
      if (entries.length > 0) journals.set(idOf(key), [...journal, ...entries]);
    },
    async *read(key, { fromSeq = 1 } = {}) {
      yield* (journals.get(idOf(key)) ?? []).filter((entry) => entry.seq >= fromSeq);
    },
    async delete(key) {
      return journals.delete(idOf(key));
    },
  };
}
