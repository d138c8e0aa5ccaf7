import { open, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { conflict, encodeEntry, lastSeqOf } from '../../session/index.ts';
import type { AppendOptions, JournalEntry } from '../../session/index.ts';
import { hasCode } from './fs-error.ts';
import { listFolder, readLayout } from './layout.ts';
import type { Listing, Segment } from './layout.ts';
import { seekBatch } from './seek.ts';
import { headerText, readBatches, segmentName, toLines } from './segment.ts';
import type { Header } from './segment.ts';
import { syncFolder } from './sync-folder.ts';

/** How often, and after how many milliseconds each, a newer owner is looked at that has not sealed this one's bytes yet. */
const SETTLE_TRIES = 200;
const SETTLE_MS = 5;

/** Where a writer's segment ends. */
export interface SegmentEnd {
  readonly epoch: number;
  /** Bytes up to the end of the last complete batch. 0: created, its header is not written yet. */
  readonly size: number;
  readonly lastSeq: number;
  /** Which file it is; `''` before the first write. A session can be deleted and begun anew by another process. */
  readonly file: string;
}

interface Appending extends AppendOptions {
  readonly folder: string;
  readonly entries: readonly JournalEntry[];
  /** As this object left it; undefined after a restart. */
  readonly known: SegmentEnd | undefined;
  readonly fsync: boolean;
}

/**
 * Appends to the segment of the fence (without one: to a segment of this object's own, newer than all). A new segment is created
 * exclusively, THEN the one before is measured, THEN the first batch with the seal is written; so of everything an older owner
 * writes it can be told whether it came in time. Returns where the segment ends now.
 */
export async function appendToSegment(appending: Appending): Promise<SegmentEnd> {
  const { folder, entries, expectedSeq, fence } = appending;
  const listing = (await listFolder(folder)) ?? { segments: [], leases: [], values: 0 };
  const epoch = epochFor(appending, listing);
  const end = await openSegment(appending, epoch, listing);
  if (end.lastSeq !== expectedSeq) {
    if (fence !== undefined && (await isRepeat(join(folder, segmentName(epoch)), entries))) return end;
    // Not begun and given up: the owner before need not wait to learn what it sealed.
    if (end.header !== undefined) await unlink(join(folder, segmentName(epoch))).catch(() => undefined);
    throw conflict(expectedSeq, end.lastSeq);
  }
  const last = entries.at(-1);
  if (last === undefined) return end;
  const texts = entries.map(encodeEntry);
  const bytes = Buffer.from(toLines(end.header === undefined ? texts : [headerText(end.header), ...texts]));
  const file = await write(join(folder, segmentName(epoch)), { bytes, end, fsync: appending.fsync });
  const written: SegmentEnd = { epoch, size: end.size + bytes.length, lastSeq: lastSeqOf(last), file };
  await checkInTime(folder, written, expectedSeq);
  return written;
}

/** @throws AgentScopeError `session/conflict` when a newer token was given out. */
function epochFor({ fence, known, expectedSeq }: Appending, { segments, leases }: Listing): number {
  const newest = Math.max(segments.at(-1) ?? 0, leases.at(-1) ?? 0);
  if (fence === undefined) return known !== undefined && known.epoch === newest ? newest : newest + 1;
  if (fence < newest) throw conflict(expectedSeq, known?.lastSeq ?? -1);
  return fence;
}

/** `header` is there while the segment has none. */
async function openSegment({ folder, known, expectedSeq, fsync }: Appending, epoch: number, { segments }: Listing): Promise<SegmentEnd & { readonly header?: Header }> {
  const exists = segments.includes(epoch);
  if (exists && known?.epoch === epoch && known.file === (await fileOf(join(folder, segmentName(epoch))))) return known;
  if (!exists) await create(folder, { epoch, expectedSeq, fsync });
  const layout = await readLayout(folder, segments.filter((older) => older <= epoch));
  const { seals, lastSeq, own } = await endOf(layout, epoch);
  return own ?? { epoch, size: 0, lastSeq, file: '', header: { segment: epoch, from: lastSeq + 1, seals } };
}

/**
 * The newest segment that holds a whole append says where the journal ends. Those behind it were begun and torn at once: they are
 * sealed with nothing in them, this epoch's own among them begins anew.
 */
async function endOf(layout: readonly Segment[], epoch: number): Promise<{ readonly seals: Header['seals']; readonly lastSeq: number; readonly own?: SegmentEnd }> {
  const seals: [epoch: number, bytes: number][] = [];
  for (const segment of layout.toReversed()) {
    const { size, lastSeq } = await measure(segment.path, segment.limit);
    if (segment.epoch === epoch && size > 0) return { seals, lastSeq, own: { epoch, size, lastSeq, file: '' } };
    if (segment.epoch !== epoch) seals.push([segment.epoch, size]);
    if (size > 0) return { seals, lastSeq };
  }
  return { seals, lastSeq: 0 };
}

async function create(folder: string, { epoch, expectedSeq, fsync }: { epoch: number; expectedSeq: number; fsync: boolean }): Promise<void> {
  try {
    await (await open(join(folder, segmentName(epoch)), 'wx')).close();
  } catch (error) {
    throw hasCode(error, 'EEXIST') ? conflict(expectedSeq, -1, error) : error;
  }
  if (fsync) await syncFolder(folder);
}

/** Complete batches only: what is torn lies beyond the size. Only the end is read. */
async function measure(path: string, limit: number): Promise<{ size: number; lastSeq: number }> {
  let size = 0;
  let lastSeq = 0;
  for await (const batch of readBatches(path, { start: await seekBatch(path, { seq: Infinity, limit }), limit })) {
    size = batch.end;
    const last = batch.entries.at(-1);
    if (last !== undefined) lastSeq = Number(last['to'] ?? last['seq']);
  }
  return { size, lastSeq };
}

/** Nothing intact is ever overwritten: what lies behind the place is the torn end of a batch that failed. */
async function write(path: string, { bytes, end: { size: at }, fsync }: { bytes: Buffer; end: SegmentEnd; fsync: boolean }): Promise<string> {
  const handle = await open(path, 'r+');
  try {
    const found = await handle.stat();
    if (found.size > at) await handle.truncate(at);
    for (let done = 0; done < bytes.length; ) done += (await handle.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
    if (fsync) await handle.datasync();
    return fileId(found);
  } catch (error) {
    await handle.truncate(at).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
}

async function fileOf(path: string): Promise<string> {
  return fileId(await stat(path));
}
function fileId({ ino, birthtimeMs }: { readonly ino: number; readonly birthtimeMs: number }): string {
  return `${ino}:${birthtimeMs}`;
}

/**
 * Written in time: no newer segment, or a newer one that sealed behind these bytes. A newer one whose owner has not decided yet is
 * waited for; one whose owner died there is a conflict, and the next reader sees what counts.
 */
async function checkInTime(folder: string, { epoch, size, lastSeq }: SegmentEnd, expectedSeq: number): Promise<void> {
  for (let waits = 0; waits < SETTLE_TRIES; waits++) {
    const { segments = [] } = (await listFolder(folder)) ?? {};
    if ((segments.at(-1) ?? 0) <= epoch) return;
    const layout = await readLayout(folder, segments);
    const own = layout.find((segment) => segment.epoch === epoch);
    if (own !== layout.at(-1)) {
      if (own !== undefined && own.limit >= size) return;
      throw conflict(expectedSeq, lastSeq);
    }
    await sleep(SETTLE_MS);
  }
  throw conflict(expectedSeq, lastSeq);
}

async function isRepeat(path: string, entries: readonly JournalEntry[]): Promise<boolean> {
  const [first] = entries;
  if (first === undefined) return false;
  const wanted = entries.map(encodeEntry);
  let found = 0;
  for await (const { texts, entries: stored } of readBatches(path)) {
    const skipped = texts.length - stored.length; // the header
    for (const [i, entry] of stored.entries()) {
      if (Number(entry['seq']) < first.seq) continue;
      if (texts[i + skipped] !== wanted[found]) return false;
      if (++found === wanted.length) return true;
    }
  }
  return false;
}
