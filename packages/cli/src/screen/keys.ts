import { emitKeypressEvents } from 'node:readline';

/** What a person does at the keyboard. */
export type KeyPress =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'paste'; readonly text: string }
  /** `name` as Node names keys, with `ctrl-`, `meta-` or `shift-` before it. */
  | { readonly type: 'key'; readonly name: string };

interface NodeKey {
  readonly name?: string | undefined;
  readonly sequence?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly meta?: boolean | undefined;
  readonly shift?: boolean | undefined;
}

const PASTE_MARKS_ON = '\u001b[?2004h';
const PASTE_MARKS_OFF = '\u001b[?2004l';

/** Reads single keys of a terminal, between `open` and `close`. What is pasted comes as one. */
export class Keys {
  readonly #input: NodeJS.ReadStream;
  readonly #output: NodeJS.WriteStream;
  readonly #onPress: (press: KeyPress) => void;
  #pasted: string | undefined;

  constructor({ input, output, onPress }: { readonly input: NodeJS.ReadStream; readonly output: NodeJS.WriteStream; onPress(press: KeyPress): void }) {
    this.#input = input;
    this.#output = output;
    this.#onPress = onPress;
  }

  open(): void {
    this.#input.off('keypress', this.#onKey);
    emitKeypressEvents(this.#input);
    this.#input.setRawMode(true);
    this.#input.on('keypress', this.#onKey).resume();
    this.#output.write(PASTE_MARKS_ON);
  }
  /** The terminal is as it was, and nothing keeps the process alive. */
  close(): void {
    this.#output.write(PASTE_MARKS_OFF);
    this.#input.off('keypress', this.#onKey).pause();
    this.#input.setRawMode(false);
  }

  readonly #onKey = (text: string | undefined, key: NodeKey = {}): void => {
    if (key.name === 'paste-start') this.#pasted = '';
    else if (key.name === 'paste-end') this.#endPaste();
    else if (this.#pasted !== undefined) this.#pasted += key.name === 'return' || key.name === 'enter' ? '\n' : (text ?? key.sequence ?? '');
    else this.#onPress(pressOf(text, key));
  };

  #endPaste(): void {
    const text = (this.#pasted ?? '').replace(/\r\n?/g, '\n');
    this.#pasted = undefined;
    if (text !== '') this.#onPress({ type: 'paste', text });
  }
}

function pressOf(text: string | undefined, { name, ctrl = false, meta = false, shift = false }: NodeKey): KeyPress {
  // oxlint-disable-next-line no-control-regex -- these are keys, not text
  const isText = text !== undefined && !ctrl && !meta && !/[\u0000-\u001f\u007f]/.test(text);
  if (isText) return { type: 'text', text };
  // Ctrl-J, which many terminals also send for Shift-Enter.
  if (name === 'enter') return { type: 'key', name: 'newline' };
  return { type: 'key', name: `${ctrl ? 'ctrl-' : ''}${meta ? 'meta-' : ''}${shift ? 'shift-' : ''}${name ?? ''}` };
}
