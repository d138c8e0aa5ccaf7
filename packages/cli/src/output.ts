/** Where text can be put. */
export interface Writer {
  write(text: string): void;
}

/** A stream to print to that may be closed by whoever reads it, or fail: then the rest goes nowhere, quietly. */
export class Output implements Writer {
  readonly #stream: NodeJS.WriteStream;
  #closed = false;
  #failure: Error | undefined;
  /** Called once, when nothing more can be printed. */
  onClosed: (() => void) | undefined;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (this.#closed) return;
      this.#closed = true;
      if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') this.#failure = error;
      this.onClosed?.();
    });
  }

  get isTerminal(): boolean {
    return this.#stream.isTTY;
  }
  /** Characters a line; 80 where nobody knows. */
  get width(): number {
    return this.#stream.columns || 80;
  }
  /** A terminal, and NO_COLOR (no-color.org) is not set. */
  get hasColor(): boolean {
    return this.isTerminal && !process.env['NO_COLOR'];
  }

  /** What went wrong, other than that nobody reads any more; asked once all that was printed is written, or lost. */
  async failure(): Promise<Error | undefined> {
    if (!this.#closed) await new Promise<void>((resolve) => this.#stream.write('', () => setImmediate(resolve)));
    return this.#failure;
  }

  write(text: string): void {
    if (!this.#closed && text !== '') this.#stream.write(text);
  }
}
