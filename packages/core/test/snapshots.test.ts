import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { InMemorySession, lastSeqOf, readSession, SessionFold } from '../src/session/index.ts';
import type { JournalEntry, Session } from '../src/session/index.ts';
import { toFoldSnapshot } from '../src/session/snapshot.ts';
import { endingOf, generatedRun, play } from './generated-runs.ts';

const KEY = { userId: undefined, sessionId: 'F' };
const endings = new Map<string, number>();

test('I8 a session opened from any snapshot equals one opened from the whole journal, cut anywhere in any run', async () => {
  await fc.assert(
    fc.asyncProperty(generatedRun, fc.nat(), async (run, at) => {
      const session = new InMemorySession();
      const played = await play(run, { session });
      endings.set(endingOf(played), (endings.get(endingOf(played)) ?? 0) + 1);
      const entries = await entriesOf(session);
      const whole = fingerprint(foldOf(entries));
      const cut = at % (entries.length + 1);
      const snapshot = throughJson(foldOf(entries.slice(0, cut)).snapshot());
      if (cut === 0) return;
      const fold = SessionFold.restore(snapshot);
      expect(fingerprint(fold)).toBe(fingerprint(foldOf(entries.slice(0, cut))));
      for (const entry of entries.slice(cut)) fold.apply(entry);
      expect(fingerprint(fold)).toBe(whole);
      // The same by way of a store.
      await session.saveSnapshot(KEY, snapshot.seq, throughJson(snapshot) as never);
      expect(fingerprint(await readSession(session, KEY))).toBe(whole);
      expect(fingerprint(await readSession(session, KEY, { toSeq: lastSeqOf(entries.at(-1) as JournalEntry) }))).toBe(whole);
    }),
    { numRuns: 300 },
  );
});

/** Everything a fold says, and what it would save. */
function fingerprint(fold: SessionFold): string {
  const ids = fold.context().map(({ id }) => id);
  const said = [fold.context(), fold.openReply(), fold.newestFacts(), fold.unanswered(), fold.steers(), ids.map((id) => [fold.knows(id), fold.replyFor(id) ?? null, fold.range(id)])];
  return JSON.stringify([said, fold.snapshot()]);
}
function foldOf(entries: readonly JournalEntry[]): SessionFold {
  const fold = new SessionFold();
  for (const entry of entries) fold.apply(entry);
  return fold;
}
function throughJson(snapshot: ReturnType<SessionFold['snapshot']>): ReturnType<SessionFold['snapshot']> {
  const read = toFoldSnapshot(JSON.parse(JSON.stringify(snapshot)));
  if (read === undefined) throw new Error('A snapshot is not read again.');
  return read;
}
async function entriesOf(store: Session): Promise<readonly JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for await (const entry of store.read(KEY)) entries.push(entry);
  return entries;
}

afterAll(() => {
  process.stdout.write(`endings: ${[...endings].map(([name, n]) => `${name} ${n}`).join(', ')}\n`);
});
