type Piece = readonly [flow: 'thinking' | 'text', text: string];

const OPEN = '<think>';
const CLOSE = '</think>';

/**
 * Thinking out of a text that begins with `<think>`, however it is cut. Only at the beginning: a tag further on is what the model says.
 * Blank space around the thinking belongs to the tags, which are kept as they stood.
 */
export class ThinkTags {
  #state: 'before' | 'thinking' | 'after' | 'text' = 'before';
  #held = '';
  #hasThought = false;
  #open = '';
  #close = '';

  /** Text was held back, or thinking is not over. */
  get isOpen(): boolean {
    return this.#held !== '' || this.#state === 'thinking';
  }

  /** What is being said stood between tags. */
  get isThinking(): boolean {
    return this.#hasThought;
  }

  /** What stood before and behind the thinking, letter for letter, once it has ended. */
  get around(): readonly [open: string, close: string] | undefined {
    return this.#close === '' ? undefined : [this.#open, this.#close];
  }

  read(text: string): readonly Piece[] {
    if (this.#state === 'text') return [['text', text]];
    this.#held += text;
    const pieces: Piece[] = [];
    if (this.#state === 'before') this.#begin(pieces);
    if (this.#state === 'thinking') this.#think(pieces);
    if (this.#state === 'after') this.#skip(pieces);
    return pieces;
  }

  /** No more comes: what waited was meant. */
  end(): readonly Piece[] {
    const held = this.#held;
    const flow = this.#state === 'thinking' ? 'thinking' : 'text';
    this.#held = '';
    this.#state = 'text';
    return held === '' ? [] : [[flow, flow === 'thinking' ? held.trimEnd() : held]];
  }

  #begin(pieces: Piece[]): void {
    const start = this.#held.trimStart();
    if (start.startsWith(OPEN)) {
      this.#open = this.#held.slice(0, this.#held.indexOf(OPEN) + OPEN.length);
      this.#held = start.slice(OPEN.length);
      this.#state = 'thinking';
      this.#hasThought = true;
    } else if (!OPEN.startsWith(start)) {
      pieces.push(['text', this.#held]);
      this.#held = '';
      this.#state = 'text';
    }
  }

  #think(pieces: Piece[]): void {
    if (!this.#started) this.#open += this.#takeBlank();
    const at = this.#held.indexOf(CLOSE);
    const thought = at < 0 ? this.#held.slice(0, this.#held.length - heldBack(this.#held)) : this.#held.slice(0, at).trimEnd();
    if (thought !== '') {
      pieces.push(['thinking', thought]);
      this.#started = true;
    }
    if (at < 0) {
      this.#held = this.#held.slice(thought.length);
      return;
    }
    this.#close = this.#held.slice(thought.length, at + CLOSE.length);
    this.#held = this.#held.slice(at + CLOSE.length);
    this.#state = 'after';
  }

  #started = false;

  #skip(pieces: Piece[]): void {
    this.#close += this.#takeBlank();
    if (this.#held === '') return;
    pieces.push(['text', this.#held]);
    this.#held = '';
    this.#state = 'text';
  }

  /** The blank space what was held begins with, which is held no longer. */
  #takeBlank(): string {
    const rest = this.#held.trimStart();
    const blank = this.#held.slice(0, this.#held.length - rest.length);
    this.#held = rest;
    return blank;
  }
}

/** Characters at the end that may belong to the closing tag, or to the blank space before it. */
function heldBack(text: string): number {
  let tag = 0;
  for (let size = Math.min(CLOSE.length - 1, text.length); size > 0 && tag === 0; size--) if (text.endsWith(CLOSE.slice(0, size))) tag = size;
  const before = text.slice(0, text.length - tag);
  return tag + before.length - before.trimEnd().length;
}
