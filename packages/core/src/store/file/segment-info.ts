import { isObject } from '../../internal/index.ts';
import type { JsonObject } from '../../internal/index.ts';
import type { FullSessionKey, SessionInfo } from '../../session/index.ts';
import { listFolder, readLayout } from './layout.ts';
import { readBatches } from './segment.ts';
import type { Segment } from './layout.ts';

interface Found {
  lastSeq: number;
  updatedAt: string;
  unfinished: boolean | undefined;
}

/**
 * What `list` says about a session, from the lines of its newest segments, without making entries of them; undefined where there are
 * none. Older segments are read only as long as no reply began or ended in a newer one.
 */
export async function segmentsInfo(folder: string, key: FullSessionKey): Promise<SessionInfo | undefined> {
  const layout = await readLayout(folder, (await listFolder(folder))?.segments ?? []);
  let newest: Found | undefined;
  for (const segment of layout.toReversed()) {
    const found = await readInfo(segment);
    newest ??= found;
    if (newest === undefined) continue;
    newest.unfinished ??= found?.unfinished;
    if (newest.unfinished !== undefined) break;
  }
  return newest && { key, lastSeq: newest.lastSeq, updatedAt: newest.updatedAt, unfinished: newest.unfinished ?? false };
}

async function readInfo({ path, limit }: Segment): Promise<Found | undefined> {
  let found: Found | undefined;
  for await (const { entries } of readBatches(path, { limit })) {
    for (const entry of entries) {
      const lastSeq = Number(entry['to'] ?? entry['seq']);
      if (found !== undefined && lastSeq <= found.lastSeq) continue; // a repetition that a damaged file can hold
      found = { lastSeq, updatedAt: String(entry['at']), unfinished: unfinishedBy(entry) ?? found?.unfinished };
    }
  }
  return found;
}

function unfinishedBy({ kind, event }: JsonObject): boolean | undefined {
  if (kind !== 'event' || !isObject(event) || (event['source'] ?? undefined) !== undefined) return undefined;
  if (event['type'] === 'AGENT_START') return true;
  return event['type'] === 'AGENT_END' ? false : undefined;
}
