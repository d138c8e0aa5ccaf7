import { createInterface } from 'node:readline';
import type { Interface } from 'node:readline';

export interface LinesOptions {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  /** Ctrl-C in a terminal. */
  onInterrupt(): void;
}

/** Lines that are read ahead from a pipe. */
const ENOUGH = 100;

/** Lines as a person types or a file holds them, one at a time. What is typed ahead waits. */
export class Lines {
  readonly #readline: Interface;
  readonly #output: NodeJS.WriteStream;
  readonly #isTerminal: boolean;
  readonly #waiting: string[] = [];
  #wake: (() => void) | undefined;
  #ended = false;

  constructor({ input, output, onInterrupt }: LinesOptions) {
    this.#output = output;
    this.#isTerminal = input.isTTY && output.isTTY;
    this.#readline = createInterface({ input, output, terminal: this.#isTerminal });
    this.#readline.on('line', (line) => {
      this.#waiting.push(line);
      // A file may hold more lines than anybody wants to keep.
      if (this.#waiting.length >= ENOUGH && !this.#isTerminal) this.#readline.pause();
      this.#wake?.();
    });
    this.#readline.on('close', () => {
      this.#ended = true;
      this.cancel();
    });
    this.#readline.on('SIGINT', onInterrupt);
  }

  /** True while somebody waits for a line. */
  get isAsking(): boolean {
    return this.#wake !== undefined;
  }
  get isTerminal(): boolean {
    return this.#isTerminal;
  }
  /** What stands at the prompt and was not sent. */
  get typed(): string {
    return this.#readline.line;
  }

  /** The next line; undefined at the end of input. `fresh`: what was typed before the question does not answer it. */
  async next(prompt: string, { fresh = false }: { fresh?: boolean } = {}): Promise<string | undefined> {
    if (fresh && this.#isTerminal) this.#waiting.length = 0;
    if (this.#waiting.length === 0 && !this.#ended) await this.#nextLine(prompt);
    const line = this.#waiting.shift();
    if (this.#waiting.length < ENOUGH && !this.#ended && !this.#isTerminal) this.#readline.resume();
    return line;
  }

  /** Who waits for a line gets none; the next one may. */
  cancel(): void {
    if (this.#wake === undefined) return;
    if (this.#isTerminal) this.#output.write('\n'); // the prompt's line ends here
    this.#wake();
  }
  /** Empties the prompt. */
  clear(): void {
    this.#readline.write(null, { ctrl: true, name: 'e' });
    this.#readline.write(null, { ctrl: true, name: 'u' });
  }
  /** No further lines: who waits is told that input has ended. */
  close(): void {
    this.#readline.close();
  }

  async #nextLine(prompt: string): Promise<void> {
    if (this.#isTerminal) {
      this.#readline.setPrompt(prompt);
      this.#readline.prompt();
    }
    await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#wake = undefined;
  }
}
