import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { parseObject } from '../../internal/index.ts';
import { hasCode } from './fs-error.ts';

/** A step of the search reads this many bytes, and again as many while no line ends in them. */
const LOOK_BYTES = 16_384;
/** A shorter file is read from its start as fast. */
const WORTH_BYTES = 4 * LOOK_BYTES;
const NEWLINE = 10;
const MORE = Buffer.from(',"more":true}');

/**
 * Where a batch begins whose first entry is not behind the number: by halving, since numbers grow along a segment. 0 where there is
 * none, which is the start of the file and always right. Damage in between costs only that it is passed over.
 */
export async function seekBatch(path: string, { seq, limit = Infinity }: { seq: number; limit?: number }): Promise<number> {
  let handle: FileHandle;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 0;
    throw error;
  }
  try {
    const end = Math.min(limit, (await handle.stat()).size);
    return end < WORTH_BYTES ? 0 : await search(handle, seq, end);
  } finally {
    await handle.close();
  }
}

async function search(handle: FileHandle, seq: number, end: number): Promise<number> {
  let [low, high, found] = [0, end, 0];
  while (high - low > LOOK_BYTES) {
    const middle = Math.floor((low + high) / 2);
    const batch = await firstBatch(handle, middle, end);
    if (batch === undefined || batch.start >= high || batch.seq > seq) high = middle;
    else low = found = batch.start;
  }
  return found;
}

interface Found {
  readonly start: number;
  readonly seq: number;
}

/** The first batch that begins behind a place. */
async function firstBatch(handle: FileHandle, from: number, end: number): Promise<Found | undefined> {
  for (let size = LOOK_BYTES; ; size *= 2) {
    const bytes = Buffer.allocUnsafe(Math.min(size, end - from));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, from);
    const found = batchIn(bytes.subarray(0, bytesRead));
    if (found !== undefined) return { start: from + found.start, seq: found.seq };
    if (from + size >= end) return undefined;
  }
}

/** A whole batch, by the rules of `readBatches`: it begins behind a line that does not say that more follow, or behind damage. */
function batchIn(bytes: Buffer): Found | undefined {
  let before = bytes.indexOf(NEWLINE);
  let isFresh = before >= MORE.length && !saysMore(bytes, before);
  let found: Found | undefined;
  for (let end = bytes.indexOf(NEWLINE, before + 1); before >= 0 && end >= 0; end = bytes.indexOf(NEWLINE, before + 1)) {
    const seq = isFresh || found !== undefined ? seqOf(bytes.toString('utf8', before + 1, end)) : undefined;
    if (isFresh && seq !== undefined) found ??= { start: before + 1, seq };
    if (seq === undefined) found = undefined;
    const isLast = !saysMore(bytes, end);
    if (isLast && found !== undefined) return found;
    isFresh = isLast;
    before = end;
  }
  return undefined;
}

function saysMore(bytes: Buffer, end: number): boolean {
  return bytes.subarray(Math.max(0, end - MORE.length), end).equals(MORE);
}

function seqOf(line: string): number | undefined {
  const entry = parseObject(line);
  return entry !== undefined && Number.isSafeInteger(entry['seq']) && typeof entry['kind'] === 'string' ? Number(entry['seq']) : undefined;
}
