import { decodeEntry, lastSeqOf } from '../../session/index.ts';
import type { JournalEntry } from '../../session/index.ts';
import { listFolder, readLayout } from './layout.ts';
import type { Segment } from './layout.ts';
import { seekBatch } from './seek.ts';
import { readBatches } from './segment.ts';
import type { Batch, OnDamage } from './segment.ts';

/** Beginnings of the newest batches of the newest segment, so that a follower need not read it from its start every time. */
export interface Marks {
  readonly epoch: number;
  /** `[number of the first entry, byte]`, in order. */
  readonly starts: readonly (readonly [seq: number, start: number])[];
}

const KEPT_MARKS = 64;

interface Reading {
  readonly fromSeq: number;
  readonly marks: Marks | undefined;
  readonly onDamage: OnDamage | undefined;
  /** Called at the end with what helps the next read. */
  readonly keep: (marks: Marks) => void;
}

/** The entries from the one that covers `fromSeq` on, over all segments that count. */
export async function* readSegments(folder: string, { fromSeq, marks, onDamage, keep }: Reading): AsyncGenerator<JournalEntry> {
  const layout = await readLayout(folder, (await listFolder(folder))?.segments ?? []);
  let lastSeq = 0;
  for (const [i, segment] of layout.entries()) {
    const next = layout[i + 1];
    if (next !== undefined && next.from > 0 && next.from <= fromSeq) continue;
    const starts: [number, number][] = [];
    const known = next === undefined && marks?.epoch === segment.epoch ? marks.starts : [];
    for await (const { entries, start } of batchesOf(segment, { fromSeq, known, onDamage })) {
      const first = entries[0];
      if (first !== undefined) starts.push([Number(first['seq']), start]);
      if (starts.length > 2 * KEPT_MARKS) starts.splice(0, KEPT_MARKS);
      for (const stored of entries) {
        const to = Number(stored['to'] ?? stored['seq']);
        // A number that was there already is a repetition a damaged file can hold.
        if (to < fromSeq || to <= lastSeq) continue;
        const entry = decodeEntry(stored);
        lastSeq = lastSeqOf(entry);
        yield entry;
      }
    }
    if (next === undefined && starts.length > 0) keep({ epoch: segment.epoch, starts: starts.slice(-KEPT_MARKS) });
  }
}

async function* batchesOf({ path, limit, from }: Segment, { fromSeq, known, onDamage }: { fromSeq: number; known: Marks['starts']; onDamage: OnDamage | undefined }): AsyncGenerator<Batch> {
  const [seq, start] = known.findLast(([first]) => first <= fromSeq) ?? [0, 0];
  if (start > 0) {
    const batches = readBatches(path, { start, limit, onDamage });
    try {
      const first = await batches.next();
      // Still the same file: another process may have deleted the session and begun it anew.
      if (first.done !== true && first.value.start === start && first.value.entries[0]?.['seq'] === seq) {
        yield first.value;
        return yield* batches;
      }
    } finally {
      await batches.return(undefined); // also when the reader goes at the first batch: the file is closed
    }
  }
  const sought = fromSeq > from ? await seekBatch(path, { seq: fromSeq, limit }) : 0;
  yield* readBatches(path, { start: sought, limit, onDamage });
}
