/** A stream to print to that may be closed by whoever reads it: then the rest goes nowhere, quietly. */
export class Output {
  readonly #stream: NodeJS.WriteStream;
  #closed = false;
  /** Called once, when nobody reads any more. */
  onClosed: (() => void) | undefined;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error;
      if (this.#closed) return;
      this.#closed = true;
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

  write(text: string): void {
    if (!this.#closed && text !== '') this.#stream.write(text);
  }
}
