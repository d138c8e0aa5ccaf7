import { appendFile, mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AgentScopeError } from '../error/index.ts';
import type { Middleware, OwnMiddleware, OwnScopes } from '../middleware/index.ts';
import { LineFile } from './line-file.ts';
import type { TraceFiles } from './line-file.ts';
import { TraceLines } from './trace-lines.ts';

export type { TraceLine } from './trace-lines.ts';

export interface JsonlTraceOptions {
  /**
   * Masks what looks like a secret: keys, tokens, passwords, and whatever is named like one. A function is given each text instead, whole,
   * and what it gives back is written; with `false` everything is written as it was. Default true.
   */
  readonly redact?: boolean | ((text: string) => string) | undefined;
  /** What people, models and tools said. With `false` only its length is written. Default true. */
  readonly content?: boolean | undefined;
  /** Also a line for each request with all the messages a model is sent: much text, again each time. Default false. */
  readonly requests?: boolean | undefined;
  /** Characters of one text; a longer one is cut and says so. Default 16 384. */
  readonly maxTextLength?: number | undefined;
  /** Bytes of the file before a new one is begun. Default 64 MiB. */
  readonly maxBytes?: number | undefined;
  /** Files that are kept, the newest included: `trace.jsonl`, `trace.jsonl.1`, … Default 5. */
  readonly maxFiles?: number | undefined;
  /** Bytes that may wait for the disk; lines beyond are dropped, and counted in the file. Default 8 MiB. */
  readonly maxBufferBytes?: number | undefined;
  /** Told once when lines are lost: a full disk, a folder that may not be written. Default `process.emitWarning`. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** A middleware that writes a trace file. */
export interface JsonlTrace extends Middleware, AsyncDisposable {
  /** Resolves when everything so far is in the file, or counted as lost. Never rejects. */
  flush(): Promise<void>;
  /** Flushes and ends the trace: what comes later is not written. Never rejects. */
  close(): Promise<void>;
}

const MIB = 1024 * 1024;

/**
 * Writes what agents do into a file, one JSON object a line: the input, then each event once it is on record, in order, with the text of
 * a block joined. Any number of agents may share one. Secrets are masked. It never fails a reply and never lets one wait for the disk.
 * The folder is made; the file is readable by its owner only. One process writes a file at a time.
 *
 * @throws AgentScopeError `config/invalid` for an empty path or a limit that is none
 */
export function jsonlTrace(path: string | URL, options: JsonlTraceOptions = {}): JsonlTrace {
  const { redact = true, content = true, requests = false, onWarning = emitWarning } = options;
  const { maxTextLength = 16_384, maxBytes = 64 * MIB, maxFiles = 5, maxBufferBytes = 8 * MIB } = options;
  const place = path instanceof URL ? fileURLToPath(path) : path;
  if (typeof place !== 'string' || place === '') throw invalid('path', 'jsonlTrace needs the path of a file.');
  for (const [name, value] of Object.entries({ maxTextLength, maxBytes, maxFiles, maxBufferBytes })) if (!(value >= 1)) throw invalid(name, `${name} has to be a number of 1 or more.`);
  const lines = new TraceLines({ redact, content, maxTextLength });
  const file = new LineFile({ path: place, files: nodeFiles(place), maxBytes, maxFiles: Math.floor(maxFiles), maxBufferBytes, warn: quietly(onWarning) });
  const write = (make: () => object | undefined): void => {
    try {
      const line = make();
      if (line) file.write(JSON.stringify(line));
    } catch {
      file.write(JSON.stringify({ at: new Date().toISOString(), type: 'TRACE_LINES_LOST', lines: 1 })); // what is no JSON is not worth a reply
    }
  };
  const scopes: OwnScopes = {
    onAgent(input, ctx) {
      if (!input.goesOn) write(() => lines.input(input.messages, ctx));
      return undefined;
    },
    onModelCall(input, ctx) {
      if (requests) write(() => lines.request(input, ctx));
      return undefined;
    },
  };
  const trace: JsonlTrace & OwnMiddleware = {
    isOwn: true,
    name: 'jsonlTrace',
    scopes,
    onAgentEvent: (event, ctx) => write(() => lines.event(event, ctx)),
    flush: () => file.flush(),
    close: () => file.close(),
    [Symbol.asyncDispose]: () => file.close(),
  };
  return trace;
}

/** Opened for each batch: nothing is left open, whatever becomes of the process. */
function nodeFiles(path: string): TraceFiles {
  let isMade = false;
  return {
    size: async (file) => (await stat(file)).size,
    append: async (file, bytes) => {
      if (!isMade) await mkdir(dirname(path), { recursive: true });
      isMade = true;
      await appendFile(file, bytes, { mode: 0o600 });
    },
    rename: (from, to) => unlessMissing(rename(from, to)),
    remove: (file) => rm(file, { force: true }),
  };
}

async function unlessMissing(work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  });
}

function quietly(warn: (message: string) => void): (message: string) => void {
  return (message) => {
    try {
      warn(message);
    } catch {
      // who is told of a lost line may not cost a reply
    }
  };
}

function emitWarning(message: string): void {
  process.emitWarning(message, { type: 'AgentScopeWarning', code: 'trace/file' });
}

function invalid(option: string, message: string): AgentScopeError<'config/invalid'> {
  return new AgentScopeError('config/invalid', message, { details: { option } });
}
