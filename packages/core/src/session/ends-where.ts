import type { JournalEntry } from './entry.ts';
import type { Journal } from './journal.ts';
import { lastSeqOf } from './merge-deltas.ts';
import type { Session } from './session.ts';

/** True when the last entry of the store is the last durable one of the journal: nobody else wrote, took over or deleted. */
export async function endsWhere(store: Session, { key, durableSeq, lastSeq, lastAt }: Journal): Promise<boolean> {
  let last: JournalEntry | undefined;
  for await (const entry of store.read(key, { fromSeq: Math.max(1, durableSeq) })) last = entry;
  if (last === undefined) return durableSeq === 0;
  return lastSeqOf(last) === durableSeq && (durableSeq < lastSeq || last.kind === 'delta' || last.kind === 'child' || last.at === lastAt);
}
