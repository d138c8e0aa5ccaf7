import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from './fs-error.ts';
import { epochOfSegment, readHeader, segmentName } from './segment.ts';
import type { Header } from './segment.ts';

/** A segment as far as it counts. */
export interface Segment {
  readonly epoch: number;
  readonly path: string;
  /** Number of its first entry; 0 where its first line is damaged. */
  readonly from: number;
  /** Bytes that count; `Infinity` for the newest, which is still written. */
  readonly limit: number;
}

/** What lies in a session's folder. */
export interface Listing {
  /** In order. */
  readonly segments: readonly number[];
  readonly leases: readonly number[];
  /** How many named values. */
  readonly values: number;
}

export function leaseName(fence: number): string {
  return `${String(fence).padStart(10, '0')}.lease`;
}
function epochOfLease(name: string): number | undefined {
  return /^\d{10}\.lease$/.test(name) ? Number(name.slice(0, 10)) : undefined;
}

/** Undefined without a folder. */
export async function listFolder(folder: string): Promise<Listing | undefined> {
  let names: readonly string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
  const numbers = (of: (name: string) => number | undefined): number[] => names.map(of).filter((epoch) => epoch !== undefined).sort((a, b) => a - b);
  return { segments: numbers(epochOfSegment), leases: numbers(epochOfLease), values: names.filter((name) => /^v[-~].*\.json$/.test(name)).length };
}

/**
 * The segments that count, oldest first. The newest one with a header is the truth: it seals the one before it, whose header seals
 * the one before that. What is not sealed by the chain (made and never begun, or begun too late) holds nothing. Where disk damage
 * broke the chain, everything older counts as it is.
 */
export async function readLayout(folder: string, segments: readonly number[]): Promise<readonly Segment[]> {
  const counted: Segment[] = [];
  let limitOf: (epoch: number) => number = () => Infinity;
  for (const epoch of segments.toReversed()) {
    const path = join(folder, segmentName(epoch));
    const limit = limitOf(epoch);
    if (limit === 0) continue;
    const header = await readHeader(path);
    if (header === 'missing') {
      if (limit < Infinity) limitOf = () => Infinity;
      continue;
    }
    counted.unshift({ epoch, path, from: header === 'damaged' ? 0 : header.from, limit });
    limitOf = header === 'damaged' ? () => Infinity : sealedBy(header, segments);
  }
  return counted;
}

function sealedBy({ seals }: Header, segments: readonly number[]): (epoch: number) => number {
  const limits = new Map(seals);
  const isWhole = seals.every(([epoch]) => segments.includes(epoch));
  return isWhole ? (epoch) => limits.get(epoch) ?? 0 : () => Infinity;
}
