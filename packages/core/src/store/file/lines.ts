import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { hasCode } from './fs-error.ts';

/** One complete line of a file: its text and where the next one begins, in bytes. */
export interface Line {
  readonly text: string;
  readonly end: number;
}

const CHUNK_BYTES = 65_536;
const NEWLINE = 10;

/** The complete lines between two places of a file, an array per read. A last line without its newline is not there. */
export async function* readLines(path: string, { start = 0, limit = Infinity }: { start?: number; limit?: number } = {}): AsyncGenerator<readonly Line[]> {
  let handle: FileHandle;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  try {
    yield* linesOf(handle, start, limit);
  } finally {
    await handle.close();
  }
}

async function* linesOf(handle: FileHandle, start: number, limit: number): AsyncGenerator<readonly Line[]> {
  let at = start;
  let rest: Buffer[] = [];
  while (at < limit) {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, limit - at));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) return;
    const chunk = buffer.subarray(0, bytesRead);
    const lines: Line[] = [];
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const piece = chunk.subarray(from, end);
      const line = rest.length === 0 ? piece : Buffer.concat([...rest, piece]);
      rest = [];
      from = end + 1;
      lines.push({ text: line.toString('utf8'), end: at + from });
    }
    if (from < bytesRead) rest.push(chunk.subarray(from));
    at += bytesRead;
    if (lines.length > 0) yield lines;
  }
}
