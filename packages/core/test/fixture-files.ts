import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const shared = process.env['AGENTSCOPE_SHARED'] ?? fileURLToPath(new URL('../../../../shared', import.meta.url));
export const fixtureRoot: string = join(shared, 'fixtures', 'providers');

/** What a correct reader ends up with; the README of the fixtures says what each member means. */
export interface TruthResponse {
  readonly id: string | null;
  readonly model: string | null;
  readonly text: string;
  readonly textParts: readonly string[];
  readonly reasoning: string;
  readonly reasoningParts: readonly string[];
  readonly toolCalls: readonly { id: string | null; name: string; args: unknown; signature?: { length: number; sha256: string } | null }[];
  readonly finish: { raw: string | null; normalized: string | null };
  readonly usage: { input: number; output: number | null; cached: number | null; raw: unknown } | null;
  readonly error: { code: string | number | null; type?: string; message: string; retryDelayMs?: number } | null;
  readonly textSignature?: { length: number; sha256: string } | null;
  readonly reasoningItems?: readonly { id: string; summaryParts: number; encrypted: { length: number; sha256: string } | null }[];
}

/** The recorded files of these folders that `wanted` takes; none where the fixtures are not at hand. */
export function fixturesOf(folders: readonly string[], wanted: (name: string) => boolean = () => true): readonly string[] {
  if (!existsSync(fixtureRoot)) return [];
  return folders.flatMap((folder) => readdirSync(join(fixtureRoot, folder)).filter((name) => !name.endsWith('.truth.json') && wanted(name)).map((name) => join(fixtureRoot, folder, name)));
}

export function truthOf(file: string): readonly TruthResponse[] {
  return (JSON.parse(readFileSync(`${file}.truth.json`, 'utf8')) as { responses: readonly TruthResponse[] }).responses;
}

/** The frames of a recorded stream, each one line of JSON. */
export function linesOf(file: string): readonly string[] {
  return readFileSync(file, 'utf8').split('\n').filter((line) => line.trim() !== '');
}

/** Pieces of many sizes, the same every time; seed 0: whole. */
export function cut(body: Uint8Array, seed: number): readonly Uint8Array[] {
  if (seed === 0) return [body];
  const pieces: Uint8Array[] = [];
  let state = seed;
  for (let at = 0; at < body.length; ) {
    state = (state * 1103515245 + 12345) % 2147483648;
    const size = 1 + (state % (seed * 397));
    pieces.push(body.subarray(at, at + size));
    at += size;
  }
  return pieces;
}
