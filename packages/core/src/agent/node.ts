import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { AgentScopeError } from '../error/index.ts';
import { compileSchema } from '../internal/index.ts';
import type { CompiledSchema, Schema } from '../internal/index.ts';
import type { Msg } from '../message/index.ts';
import { invalidOption } from './check-options.ts';
import { hasFields, heardText, readFields, readWords } from './person-dialog.ts';
import { untilAborted } from './until-aborted.ts';
import type { UserInputBase, UserInputData, UserInputOptions } from './user-agent.ts';

export interface TerminalUserInputOptions {
  /** Stands before what the person types. Default: the name of the agent, and `> `. */
  readonly inputHint?: string | undefined;
  /**
   * An object schema: its fields are asked one by one after the words, checked, and become the structured data of the message. Default: the
   * schema of the call, if it has one.
   */
  readonly schema?: Schema | undefined;
  /** Where lines come from: a terminal, or anything readable. Default `process.stdin`. */
  readonly input?: Readable | undefined;
  /** Where questions are shown. Default `process.stdout`. */
  readonly output?: Writable | undefined;
}

/**
 * Asks a person in the terminal: `new UserAgent({ name: 'Ann', input: new TerminalUserInput() })`. Shows what was said since they last
 * spoke, then reads a line; `\` at its end goes on in the next, `"""` opens and closes a block of lines, and what is pasted is one
 * answer. An empty line is asked again. Works on pipes as well: each line is an answer, and what was not needed yet waits for the next one.
 * Several on the same input ask one after the other.
 *
 * An abort ends the wait at once and leaves no listener and no open handle; what was typed until then waits for the next question.
 */
export class TerminalUserInput implements UserInputBase {
  readonly takesSchema = true as const;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #hint: string | undefined;
  readonly #schema: CompiledSchema | undefined;

  /** @throws AgentScopeError `config/invalid` for a schema without fields, or without a JSON form */
  constructor({ inputHint, schema, input = process.stdin, output = process.stdout }: TerminalUserInputOptions = {}) {
    this.#input = input;
    this.#output = output;
    this.#hint = inputHint;
    this.#schema = schema === undefined ? undefined : withFields(schema);
  }

  /**
   * @throws AgentScopeError `agent/input-closed` when the input has ended; `config/invalid` for a call with a schema without fields; the
   * signal's reason when that aborted
   */
  readonly handleInput = (prompt: readonly Msg[], options: UserInputOptions): Promise<UserInputData> => {
    const lines = linesOf(this.#input);
    return untilAborted(lines.alone(() => this.#ask(lines, prompt, options), options.signal), options.signal);
  };

  async #ask(lines: PersonLines, prompt: readonly Msg[], { signal, name, schema: wanted }: UserInputOptions): Promise<UserInputData> {
    const place = {
      say: (text: string) => void this.#output.write(text),
      readLine: async (question: string) => {
        const line = await lines.next(question, { signal, output: this.#output });
        if (line !== undefined) return line;
        throw new AgentScopeError('agent/input-closed', `${name} cannot be asked: the input has ended. Run it in a terminal, or send more lines.`, { details: { agent: name } });
      },
    };
    const schema = this.#schema ?? (wanted === undefined ? undefined : withFields(wanted));
    place.say(heardText(prompt));
    const words = await readWords(place, { prompt: this.#hint ?? `${name}> `, mayBeEmpty: schema !== undefined });
    if (schema === undefined) return { blocksInput: words };
    const structuredInput = await readFields(place, schema);
    // What others hear is the content: without words of the person it is what they filled in.
    return { blocksInput: words.trim() === '' ? JSON.stringify(structuredInput) : words, structuredInput };
  }
}

function withFields(schema: Schema): CompiledSchema {
  const compiled = compileSchema(schema);
  if (hasFields(compiled.jsonSchema)) return compiled;
  throw invalidOption('schema', 'TerminalUserInput asks field by field: its schema must be an object with properties.');
}

const readers = new WeakMap<Readable, PersonLines>();

/** One reader for each stream: what it has read ahead is there for whoever asks next. */
function linesOf(input: Readable): PersonLines {
  const lines = readers.get(input) ?? new PersonLines(input);
  readers.set(input, lines);
  return lines;
}

interface LineOptions {
  readonly signal: AbortSignal;
  readonly output: Writable;
}

/** The lines of a stream, read only while somebody waits for one. */
class PersonLines {
  readonly #input: Readable & { readonly isTTY?: boolean };
  readonly #decoder = new StringDecoder('utf8');
  readonly #waiting: string[] = [];
  /** What stands behind the last line break; in a terminal: what was typed and not sent. */
  #rest = '';
  #history: string[] = [];
  #hasEnded = false;
  #busy: Promise<unknown> = Promise.resolve();

  constructor(input: Readable) {
    this.#input = input;
  }

  /** Does the work when all earlier work is done. */
  alone<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const turn = this.#busy.then(() => (signal.throwIfAborted(), work()));
    this.#busy = turn.catch(() => undefined);
    return turn;
  }

  /** The next line; undefined at the end of the input. */
  async next(prompt: string, { signal, output }: LineOptions): Promise<string | undefined> {
    signal.throwIfAborted();
    const isTerminal = this.#input.isTTY === true && (output as { readonly isTTY?: boolean }).isTTY === true;
    if (isTerminal) return this.#typed(prompt, { signal, output });
    output.write(prompt);
    if (this.#waiting.length === 0 && !this.#hasEnded) await this.#arrived(signal);
    return this.#waiting.shift();
  }

  /** A pipe or a file: until a line is whole, or nothing more can come. */
  #arrived(signal: AbortSignal): Promise<void> {
    const input = this.#input;
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void): void => {
        input.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', onError).pause();
        signal.removeEventListener('abort', onAbort);
        settle();
      };
      const onData = (bytes: Buffer | string): void => {
        this.#take(typeof bytes === 'string' ? bytes : this.#decoder.write(bytes));
        if (this.#waiting.length > 0) finish(resolve);
      };
      const onEnd = (): void => {
        this.#hasEnded = true;
        if (this.#rest !== '') this.#waiting.push(this.#rest);
        this.#rest = '';
        finish(resolve);
      };
      const onError = (error: Error): void => finish(() => reject(error));
      const onAbort = (): void => finish(() => reject(signal.reason as Error));
      if (input.readableEnded || input.destroyed) return onEnd();
      signal.addEventListener('abort', onAbort, { once: true });
      input.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onError).resume();
    });
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split(/\r?\n/);
    this.#rest = lines.pop() ?? '';
    this.#waiting.push(...lines);
  }

  /** A terminal: with editing and history, through `readline`, which is closed again after each line, so that nothing keeps the terminal. */
  #typed(prompt: string, { signal, output }: LineOptions): Promise<string | undefined> {
    const ahead = this.#waiting.shift();
    if (ahead !== undefined) return Promise.resolve((output.write(`${prompt}${ahead}\n`), ahead));
    const input = this.#input;
    const readline = createInterface({ input, output, terminal: true, prompt, history: this.#history });
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void): void => {
        readline.off('close', onClose).off('line', onLine);
        input.off('keypress', onKey);
        signal.removeEventListener('abort', onAbort);
        this.#rest = readline.line;
        output.write(PASTE_MARKS_OFF);
        readline.close();
        settle();
      };
      let lines: string[] = [];
      let isPasting = false;
      let isWhole = false;
      const onLine = (line: string): void => {
        lines.push(line);
        if (isPasting || isWhole) return;
        lines = [lines.join('\n')];
        isWhole = true;
        // Further lines that arrived with this one come first; they are for the next question.
        setImmediate(() => finish(() => (this.#waiting.push(...lines.slice(1)), resolve(lines[0]))));
      };
      const onClose = (): void => finish(() => (output.write('\n'), resolve(undefined)));
      const onAbort = (): void => finish(() => (output.write('\n'), reject(signal.reason as Error)));
      const onKey = (_text: string | undefined, { name }: { readonly name?: string } = {}): void => {
        if (name === 'paste-start' || name === 'paste-end') isPasting = name === 'paste-start';
      };
      // What Ctrl-C does where nobody reads keys: it ends the program, or reaches its own handler.
      const onInterrupt = (): void => {
        output.write(PASTE_MARKS_OFF);
        process.kill(process.pid, 'SIGINT');
        output.write(PASTE_MARKS_ON);
      };
      readline.on('line', onLine).on('close', onClose).on('SIGINT', onInterrupt).on('history', (history) => (this.#history = history));
      input.on('keypress', onKey);
      signal.addEventListener('abort', onAbort, { once: true });
      output.write(PASTE_MARKS_ON);
      readline.prompt();
      if (this.#rest !== '') readline.write(this.#rest);
    });
  }
}

/** The terminal marks what is pasted, so that its line breaks are no Enter. */
const PASTE_MARKS_ON = '\u001b[?2004h';
const PASTE_MARKS_OFF = '\u001b[?2004l';
