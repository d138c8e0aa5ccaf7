import { widthOf } from '../markdown/lines.ts';
import type { Cursor } from './screen.ts';

/** What the editor looks like: lines that fit, and where the cursor stands in them. */
export interface EditorView {
  readonly lines: readonly string[];
  readonly cursor: Cursor;
}

/** What was written. */
export interface Written {
  readonly text: string;
  readonly shown: string;
}

/** Text above this is shown as one word while it is edited; it is sent whole. */
const LARGE_PASTE = { lines: 8, characters: 1_000 } as const;

/**
 * Text of several lines, edited letter by letter: what a person sees as one letter is one here. Knows what was sent before.
 */
export class Editor {
  #letters: string[] = [];
  #at = 0;
  readonly #history: string[] = [];
  /** Position in the history; its length: what is being written. */
  #shown = 0;
  #draft = '';
  /** Large pastes by the mark that stands for them; a mark is one letter. */
  readonly #pastes = new Map<string, string>();

  /** The whole text, with what was pasted. */
  get text(): string {
    return this.#letters.map((letter) => this.#pastes.get(letter) ?? letter).join('');
  }
  set text(text: string) {
    this.#letters = lettersOf(text);
    this.#at = this.#letters.length;
  }
  get isEmpty(): boolean {
    return this.#letters.length === 0;
  }

  /** Text that can be fetched again with `up`. */
  remember(text: string): void {
    if (text.trim() !== '' && this.#history.at(-1) !== text) this.#history.push(text);
    this.#shown = this.#history.length;
  }

  /** Gives the text, and what it looked like with large pastes as one word; remembers it, and begins anew. */
  take(): Written {
    const written = { text: this.text, shown: this.#letters.join('') };
    this.remember(written.text);
    this.clear();
    return written;
  }
  clear(): void {
    this.text = '';
    this.#pastes.clear();
    this.#shown = this.#history.length;
  }

  /** What belongs to the letter before, as a further part of an emoji, joins it. */
  insert(text: string): void {
    const before = this.#letters[this.#at - 1];
    if (before === undefined || this.#pastes.has(before)) return this.#put(lettersOf(text));
    this.#cut(this.#at - 1, this.#at);
    this.#put(lettersOf(before + text));
  }
  paste(text: string): void {
    const lines = text.split('\n').length;
    if (lines <= LARGE_PASTE.lines && text.length <= LARGE_PASTE.characters) return this.insert(text);
    const mark = `[pasted ${this.#pastes.size + 1}: ${lines > 1 ? `${lines} lines` : `${text.length} characters`}]`;
    this.#pastes.set(mark, text);
    this.#put([mark]);
  }

  /** Does what the key means; false for a key that means nothing here. */
  press(name: string): boolean {
    const action = ACTIONS[name];
    if (action === undefined) return false;
    this.#act(action);
    return true;
  }

  view({ prompt, width, height }: { readonly prompt: string; readonly width: number; readonly height: number }): EditorView {
    const rows: string[] = [''];
    let cursor: Cursor = { row: 0, column: 0 };
    const indent = ' '.repeat(widthOf(prompt));
    rows[0] = prompt;
    const note = (): void => void (cursor = { row: rows.length - 1, column: widthOf(rows.at(-1) ?? '') });
    for (const [i, letter] of [...this.#letters, ''].entries()) {
      const isBreak = letter === '\n';
      if (!isBreak && widthOf((rows.at(-1) ?? '') + letter) >= width && rows.at(-1) !== indent) rows.push(indent);
      if (i === this.#at) note();
      if (isBreak) rows.push(indent);
      else rows[rows.length - 1] += letter;
    }
    const from = Math.max(0, Math.min(cursor.row - height + 1, rows.length - height));
    return { lines: rows.slice(from, from + height), cursor: { row: cursor.row - from, column: cursor.column } };
  }

  // oxlint-disable-next-line complexity -- one line a key
  #act(action: Action): void {
    switch (action) {
      case 'left': return this.#move(this.#at - 1);
      case 'right': return this.#move(this.#at + 1);
      case 'word-left': return this.#move(this.#wordStart());
      case 'word-right': return this.#move(this.#wordEnd());
      case 'line-start': return this.#move(this.#lineStart());
      case 'line-end': return this.#move(this.#lineEnd());
      case 'delete-left': return this.#cut(this.#at - 1, this.#at);
      case 'delete-right': return this.#cut(this.#at, this.#at + 1);
      case 'delete-word': return this.#cut(this.#wordStart(), this.#at);
      case 'delete-to-start': return this.#cut(this.#lineStart(), this.#at);
      case 'delete-to-end': return this.#cut(this.#at, this.#lineEnd());
      case 'newline': return this.insert('\n');
      case 'up': return this.#vertical(-1);
      case 'down': return this.#vertical(1);
    }
  }

  #put(letters: readonly string[]): void {
    this.#letters.splice(this.#at, 0, ...letters);
    this.#at += letters.length;
  }
  #move(to: number): void {
    this.#at = Math.max(0, Math.min(this.#letters.length, to));
  }
  #cut(from: number, to: number): void {
    const start = Math.max(0, from);
    this.#letters.splice(start, Math.max(0, to - start));
    this.#at = start;
  }

  #lineStart(): number {
    return this.#at === 0 ? 0 : this.#letters.lastIndexOf('\n', this.#at - 1) + 1;
  }
  #lineEnd(): number {
    const end = this.#letters.indexOf('\n', this.#at);
    return end < 0 ? this.#letters.length : end;
  }
  #wordStart(): number {
    let at = this.#at;
    while (at > 0 && !isWord(this.#letters[at - 1])) at--;
    while (at > 0 && isWord(this.#letters[at - 1])) at--;
    return at;
  }
  #wordEnd(): number {
    let at = this.#at;
    while (at < this.#letters.length && !isWord(this.#letters[at])) at++;
    while (at < this.#letters.length && isWord(this.#letters[at])) at++;
    return at;
  }

  /** To the line above or below; at the first and the last one to what was sent before. */
  #vertical(step: -1 | 1): void {
    const start = this.#lineStart();
    const column = this.#at - start;
    if (step < 0 && start === 0) return this.#fetch(-1);
    if (step > 0 && this.#lineEnd() === this.#letters.length) return this.#fetch(1);
    this.#at = step < 0 ? start - 1 : this.#lineEnd() + 1;
    this.#at = Math.min(this.#lineStart() + column, this.#lineEnd());
  }

  #fetch(step: -1 | 1): void {
    const to = this.#shown + step;
    if (to < 0 || to > this.#history.length) return;
    if (this.#shown === this.#history.length) this.#draft = this.text;
    this.#shown = to;
    this.text = '';
    this.paste(this.#history[to] ?? this.#draft);
  }
}

type Action =
  | 'left' | 'right' | 'word-left' | 'word-right' | 'line-start' | 'line-end' | 'up' | 'down' | 'newline'
  | 'delete-left' | 'delete-right' | 'delete-word' | 'delete-to-start' | 'delete-to-end';

const ACTIONS: Readonly<Record<string, Action>> = {
  left: 'left', right: 'right', up: 'up', down: 'down', home: 'line-start', end: 'line-end', backspace: 'delete-left', delete: 'delete-right', newline: 'newline',
  'ctrl-b': 'left', 'ctrl-f': 'right', 'ctrl-p': 'up', 'ctrl-n': 'down', 'ctrl-a': 'line-start', 'ctrl-e': 'line-end', 'ctrl-h': 'delete-left', 'ctrl-w': 'delete-word',
  'ctrl-u': 'delete-to-start', 'ctrl-k': 'delete-to-end', 'ctrl-left': 'word-left', 'ctrl-right': 'word-right', 'meta-left': 'word-left', 'meta-right': 'word-right',
  'meta-b': 'word-left', 'meta-f': 'word-right', 'meta-backspace': 'delete-word', 'meta-return': 'newline', 'meta-enter': 'newline',
};

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Without control characters; a tab is four spaces. */
function lettersOf(text: string): string[] {
  // oxlint-disable-next-line no-control-regex -- these are what is meant
  const clean = text.replaceAll('\t', '    ').replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, '');
  return Array.from(graphemes.segment(clean), ({ segment }) => segment);
}

function isWord(letter: string | undefined): boolean {
  return letter !== undefined && /[\p{L}\p{N}\p{M}_]/u.test(letter);
}
