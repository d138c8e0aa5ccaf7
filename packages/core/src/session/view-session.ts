import { endsWhere } from './ends-where.ts';
import type { JournalEntry, SessionKey } from './entry.ts';
import { intakeFrom } from './intake.ts';
import { expand } from './merge-deltas.ts';
import { journalOf } from './open-sessions.ts';
import { readSession } from './read-session.ts';
import type { SessionFold } from './session-fold.ts';
import type { Session } from './session.ts';

/**
 * A session as it stands, or as of a number, to read: this process's own fold where that is ahead of the store or still says the
 * same, else what is stored, which another process may have written. Numbers beyond the end mean the end.
 */
export async function viewSession(store: Session, key: SessionKey, { atSeq = Infinity }: { atSeq?: number | undefined } = {}): Promise<SessionFold> {
  const journal = journalOf(store, key);
  const own = journal !== undefined && (journal.isLive || (await endsWhere(store, journal))) ? journal : undefined;
  if (own !== undefined && atSeq >= own.lastSeq) return own.fold;
  const fold = await readSession(store, key, { toSeq: atSeq });
  for (const entry of own?.tail.from(fold.lastSeq + 1) ?? []) if (entry.seq <= atSeq) fold.apply(entry);
  return fold;
}

/** The entries of a session between two numbers, outputs in place, also those that are not durable yet. */
export async function readRange(store: Session, key: SessionKey, { from, to }: { from: number; to: number }): Promise<readonly JournalEntry[]> {
  const entries: JournalEntry[] = [];
  const add = (entry: JournalEntry): void => {
    for (const single of expand(entry)) if (single.seq >= from && single.seq <= to) entries.push(single);
  };
  const intake = await intakeFrom(store, key, from);
  for await (const entry of store.read(key, { fromSeq: from })) {
    if (entry.seq > to) break;
    intake.take(entry).forEach(add);
  }
  const next = (entries.at(-1)?.seq ?? from - 1) + 1;
  journalOf(store, key)?.tail.from(next)?.forEach(add);
  return entries;
}
