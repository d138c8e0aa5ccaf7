import type { JournalEntry, SessionKey } from './entry.ts';
import { Intake } from './intake.ts';
import { expand, lastSeqOf } from './merge-deltas.ts';
import { SessionFold } from './session-fold.ts';
import { isEndOf, toFoldSnapshot } from './snapshot.ts';
import type { FoldSnapshot } from './snapshot.ts';
import type { Session } from './session.ts';

/**
 * Folds a session, as of a number or to its end, without writing it, so no lease is needed. Begins with the newest snapshot where
 * that is not too new, and reads only what came after it. Where this process writes the session, its journal is newer.
 *
 * @throws AgentScopeError `session/unavailable`, `session/newer-schema`
 */
export async function readSession(store: Session, key: SessionKey, { toSeq = Infinity }: { toSeq?: number } = {}): Promise<SessionFold> {
  const snapshot = await newestSnapshot(store, key, toSeq);
  const fold = snapshot && (await readBehind(store, key, { snapshot, toSeq }));
  return fold ?? (await readWhole(store, key, toSeq));
}

/** A snapshot can always be thrown away, so nothing about it is an error: another form, damage, a store that has none. */
async function newestSnapshot(store: Session, key: SessionKey, toSeq: number): Promise<FoldSnapshot | undefined> {
  try {
    const kept = await store.loadSnapshot(key);
    return kept === undefined || kept.seq > toSeq ? undefined : toFoldSnapshot(kept.state);
  } catch {
    return undefined;
  }
}

/** Undefined when the journal does not go on where the snapshot ends: it is another's, or of bytes that did not count in the end. */
async function readBehind(store: Session, key: SessionKey, { snapshot, toSeq }: { snapshot: FoldSnapshot; toSeq: number }): Promise<SessionFold | undefined> {
  const intake = new Intake(snapshot.epochs.at(-1)?.schema);
  let fold: SessionFold | undefined;
  for await (const entry of store.read(key, { fromSeq: snapshot.seq })) {
    if (entry.seq > toSeq) break;
    if (fold !== undefined) applyUpTo(fold, intake.take(entry), toSeq);
    else if (!isEndOf(snapshot, entry, lastSeqOf(entry))) return undefined;
    else if ((fold = restored(snapshot)) === undefined) return undefined;
  }
  return fold;
}

async function readWhole(store: Session, key: SessionKey, toSeq: number): Promise<SessionFold> {
  const intake = new Intake();
  const fold = new SessionFold();
  for await (const entry of store.read(key)) {
    if (entry.seq > toSeq) break;
    applyUpTo(fold, intake.take(entry), toSeq);
  }
  return fold;
}

function applyUpTo(fold: SessionFold, entries: readonly JournalEntry[], toSeq: number): void {
  for (const entry of entries) {
    if (lastSeqOf(entry) <= toSeq) fold.apply(entry);
    else for (const single of expand(entry)) if (single.seq <= toSeq) fold.apply(single);
  }
}

function restored(snapshot: FoldSnapshot): SessionFold | undefined {
  try {
    return SessionFold.restore(snapshot);
  } catch {
    return undefined;
  }
}
