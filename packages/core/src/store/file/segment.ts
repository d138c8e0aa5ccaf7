import { parseObject } from '../../internal/index.ts';
import type { JsonObject } from '../../internal/index.ts';
import { readLines } from './lines.ts';

/** First line of a segment. */
export interface Header {
  readonly segment: number;
  /** Number of its first entry. */
  readonly from: number;
  /** The segment before it, and how many of its bytes count. Nothing for the first. */
  readonly seals: readonly (readonly [epoch: number, bytes: number])[];
}

/** Entries of one append: all of them or none. */
export interface Batch {
  /** One JSON object an entry, without the mark that says more follow. */
  readonly texts: readonly string[];
  readonly entries: readonly JsonObject[];
  /** Where it begins and ends, in bytes. */
  readonly start: number;
  readonly end: number;
}

/** Bytes that hold no entry: a torn line, a line of an append that was cut off, garbage. What is around them loads. */
export interface Damage {
  readonly file: string;
  readonly offset: number;
  readonly bytes: number;
}
export type OnDamage = (damage: Damage) => void;

const MORE = ',"more":true}';

export function segmentName(epoch: number): string {
  return `${String(epoch).padStart(10, '0')}.jsonl`;
}
export function epochOfSegment(name: string): number | undefined {
  return /^\d{10}\.jsonl$/.test(name) ? Number(name.slice(0, 10)) : undefined;
}

/** The lines of one append: all but the last are marked, so that a reader knows a batch that was cut off. */
export function toLines(texts: readonly string[]): string {
  const last = texts.length - 1;
  return texts.map((text, i) => (i === last ? text : text.slice(0, -1) + MORE)).join('\n') + '\n';
}

export function headerText(header: Header): string {
  return JSON.stringify({ ...header, form: 1 });
}

/** `missing`: not even one complete line (nothing counts yet); `damaged`: a first line that is no header. */
export async function readHeader(path: string): Promise<Header | 'missing' | 'damaged'> {
  for await (const [line] of readLines(path)) {
    if (line !== undefined) return toHeader(parseObject(line.text)) ?? 'damaged';
  }
  return 'missing';
}

/** The complete batches of a segment from a batch's beginning on. */
export async function* readBatches(path: string, { start = 0, limit = Infinity, onDamage }: { start?: number; limit?: number; onDamage?: OnDamage | undefined } = {}): AsyncGenerator<Batch> {
  let texts: string[] = [];
  let entries: JsonObject[] = [];
  let begun = start;
  let before = start;
  for await (const lines of readLines(path, { start, limit })) {
    for (const { text, end } of lines) {
      const entry = parseLine(text);
      if (entry === undefined) {
        // Neither this line nor the part of a batch before it counts; the next line begins anew.
        if (text !== '') onDamage?.({ file: path, offset: begun, bytes: end - begun });
        [texts, entries, begun] = [[], [], end];
      } else {
        texts.push(withoutMark(text));
        if (!isHeader(entry)) entries.push(entry);
        if (entry['more'] !== true) {
          yield { texts, entries, start: begun, end };
          [texts, entries, begun] = [[], [], end];
        }
      }
      before = end;
    }
  }
  if (before > begun) onDamage?.({ file: path, offset: begun, bytes: before - begun });
}

/** A header or an entry; a line that is something else counts as damage. */
function parseLine(text: string): JsonObject | undefined {
  const value = parseObject(text);
  if (value === undefined || isHeader(value)) return value;
  return Number.isSafeInteger(value['seq']) && typeof value['kind'] === 'string' ? value : undefined;
}
function toHeader(value: JsonObject | undefined): Header | undefined {
  if (value === undefined || !isHeader(value) || !Array.isArray(value['seals'])) return undefined;
  return { segment: Number(value['segment']), from: Number(value['from']), seals: value['seals'] as unknown as Header['seals'] };
}
function isHeader(value: JsonObject): boolean {
  return typeof value['segment'] === 'number';
}
function withoutMark(text: string): string {
  return text.endsWith(MORE) ? `${text.slice(0, -MORE.length)}}` : text;
}
