import type { Token } from 'marked';
import { blockLines, blocksOf } from './render.ts';
import type { RenderOptions } from './render.ts';

/** What a growing text looks like now. */
export interface Grown {
  /** Lines that stay as they are; given once. */
  readonly done: readonly string[];
  /** The block that is still being written: it may look different with the next piece. */
  readonly open: readonly string[];
}

/** From here on an open paragraph or code block is cut at a line's end, so that a step costs the same however long the text gets. */
const LONG_BLOCK = 8_000;

/** A line that is only signs so far: `4` may become the next item of the list above, `*` an item or something bold. */
const UNDECIDED = /(?<![^\n])[-+*>#`~|=_ ]*(?:\d{1,9}[.)]? ?)?$/;

/**
 * Markdown as it comes. Whole blocks are given for good; the last one is given anew until the next one begins. Of an open block that
 * is taller than it may be, the upper lines are given for good as they look then.
 */
export class MarkdownFlow {
  #source = '';
  #isFirst = true;
  /** Lines of the open block that were given for good. */
  #given = 0;

  /** Text without control characters. */
  push(text: string): void {
    this.#source += text.replaceAll('\t', '    ');
  }

  /** `height`: lines the open block may have. */
  grow(options: RenderOptions, height: number): Grown {
    const tokens = blocksOf(this.#source.replace(UNDECIDED, ''));
    const last = tokens.findLastIndex(({ type }) => type !== 'space');
    const closed = tokens.slice(0, Math.max(0, last));
    const done = closed.flatMap((token) => this.#close(token, options));
    // What is left is cut from the source itself: the raw text of an open block lacks the spaces at its end.
    this.#source = this.#source.slice(closed.reduce((length, { raw }) => length + raw.length, 0));
    const open = tokens[last];
    if (open === undefined) return { done, open: [] };
    done.push(...this.#cutLong(open, options));
    const lines = this.#linesOf(blocksOf(this.#source.replace(UNDECIDED, '')).find(({ type }) => type !== 'space') ?? open, options);
    const over = Math.max(this.#given, lines.length - height);
    done.push(...lines.slice(this.#given, over));
    this.#given = over;
    return { done, open: lines.slice(over) };
  }

  /** The rest, for good; the next text begins anew, behind an empty line. */
  end(options: RenderOptions): readonly string[] {
    const lines = blocksOf(this.#source).flatMap((token) => this.#close(token, options));
    this.#source = '';
    this.#isFirst = true;
    return lines;
  }

  #close(token: Token, options: RenderOptions): string[] {
    const lines = this.#linesOf(token, options);
    const rest = lines.slice(this.#given);
    this.#given = 0;
    if (lines.length > 0) this.#isFirst = false;
    return rest;
  }

  #linesOf(token: Token, options: RenderOptions): string[] {
    const lines = blockLines(token, options);
    return lines.length === 0 || this.#isFirst ? lines : ['', ...lines];
  }

  /** Gives the finished lines of a long block and goes on with a new block of the same kind. */
  #cutLong(token: Token, options: RenderOptions): string[] {
    const end = this.#source.lastIndexOf('\n', this.#source.length - 2) + 1;
    const fence = token.type === 'code' ? /^ {0,3}(?:`{3,}|~{3,})[^\n]*\n/.exec(this.#source)?.[0] : '';
    if (this.#source.length < LONG_BLOCK || end <= (fence?.length ?? 0) || fence === undefined || !['code', 'paragraph', 'text'].includes(token.type)) return [];
    const [before] = blocksOf(this.#source.slice(0, end)).filter(({ type }) => type !== 'space');
    const lines = before === undefined ? [] : this.#close(before, options);
    this.#source = fence + this.#source.slice(end);
    // The block goes on: no empty line stands before its next part.
    this.#isFirst = true;
    return lines;
  }
}
