import type { FullSessionKey, JournalEntry } from './entry.ts';
import { lastSeqOf } from './merge-deltas.ts';
import type { SessionInfo } from './session.ts';

/** What `list` says about a session, from its entries; undefined where there are none. */
export async function sessionInfo(key: FullSessionKey, entries: Iterable<JournalEntry> | AsyncIterable<JournalEntry>): Promise<SessionInfo | undefined> {
  let last: JournalEntry | undefined;
  let unfinished = false;
  for await (const entry of entries) {
    last = entry;
    if (entry.kind !== 'event' || entry.event.source !== undefined) continue;
    if (entry.event.type === 'AGENT_START') unfinished = true;
    if (entry.event.type === 'AGENT_END') unfinished = false;
  }
  return last === undefined ? undefined : { key, lastSeq: lastSeqOf(last), updatedAt: last.at, unfinished };
}
