/** What a trace file needs of a file system. */
export interface TraceFiles {
  /** Bytes of the file; 0 where it is not there. */
  size(path: string): Promise<number>;
  append(path: string, bytes: Uint8Array): Promise<void>;
  /** Takes the place of a file that is there; does nothing where there is none to rename. */
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
}

export interface LineFileOptions {
  readonly path: string;
  readonly files: TraceFiles;
  readonly maxBytes: number;
  readonly maxFiles: number;
  readonly maxBufferBytes: number;
  warn(message: string): void;
}

const encoder = new TextEncoder();

/**
 * Lines of text, written one batch after the other in the order they came. Never throws and never waits: what cannot be written is
 * dropped and counted, and the number is the first line that can be written again.
 */
export class LineFile {
  readonly #options: LineFileOptions;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #size: number | undefined;
  #lost = 0;
  /** A failed write may have left half a line. */
  #torn = false;
  #warned = false;
  #writing: Promise<void> | undefined;
  #closed = false;

  constructor(options: LineFileOptions) {
    this.#options = options;
  }

  write(line: string): void {
    const bytes = encoder.encode(`${line}\n`);
    if (this.#closed || this.#waitingBytes + bytes.length > this.#options.maxBufferBytes) {
      if (!this.#closed) this.#lose(1, 'lines come faster than they are written');
      return;
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#writing ??= this.#drain();
  }

  /** Resolves when everything so far is written, or dropped. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  /** Flushes; what comes later is not written. */
  close(): Promise<void> {
    this.#closed = true;
    return this.flush();
  }

  async #drain(): Promise<void> {
    await Promise.resolve(); // all lines of this turn together
    while (this.#waiting.length > 0) {
      this.#size ??= await this.#options.files.size(this.#options.path).catch(() => 0);
      await this.#writeBatch(this.#nextBatch());
    }
    this.#writing = undefined;
  }

  /** As many lines as the file has room for, at least one. */
  #nextBatch(): readonly Uint8Array[] {
    const room = this.#options.maxBytes - (this.#size ?? 0);
    const first = this.#waiting[0]?.length ?? 0;
    const most = first > room ? this.#options.maxBytes : room;
    let bytes = 0;
    let count = 0;
    for (const line of this.#waiting) {
      if (count > 0 && bytes + line.length > most) break;
      bytes += line.length;
      count++;
    }
    this.#waitingBytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  async #writeBatch(lines: readonly Uint8Array[]): Promise<void> {
    const { files, path, maxBytes } = this.#options;
    const notice = this.#lost === 0 ? [] : [encoder.encode(`${JSON.stringify({ at: new Date().toISOString(), type: 'TRACE_LINES_LOST', lines: this.#lost })}\n`)];
    const bytes = joined([...(this.#torn ? [encoder.encode('\n')] : []), ...notice, ...lines]);
    try {
      const size = this.#size ?? 0;
      if (size > 0 && size + bytes.length > maxBytes) await this.#rotate();
      await files.append(path, bytes);
      this.#size = (this.#size ?? 0) + bytes.length;
      this.#lost = 0;
      this.#torn = false;
    } catch (error) {
      this.#size = undefined;
      this.#torn = true;
      this.#lose(lines.length, error instanceof Error ? error.message : String(error));
    }
  }

  /** `trace.jsonl` becomes `trace.jsonl.1`, that `.2`, and the oldest is gone. */
  async #rotate(): Promise<void> {
    const { files, path, maxFiles } = this.#options;
    if (maxFiles === 1) await files.remove(path);
    for (let number = maxFiles - 1; number >= 1; number--) await files.rename(number === 1 ? path : `${path}.${number - 1}`, `${path}.${number}`);
    this.#size = 0;
  }

  #lose(lines: number, why: string): void {
    this.#lost += lines;
    if (this.#warned) return;
    this.#warned = true;
    this.#options.warn(`The trace file ${this.#options.path} has gaps: ${why}. The agent goes on without it; this is said once.`);
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
