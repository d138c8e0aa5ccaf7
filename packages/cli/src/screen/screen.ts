import { widthOf } from '../markdown/lines.ts';

/** Where the cursor stands inside the area, both from 0. */
export interface Cursor {
  readonly row: number;
  readonly column: number;
}

/** The part of a terminal's stream that is needed here. */
export interface ScreenStream {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

/**
 * The terminal in two parts: what is printed stays and scrolls away as usual, so nothing is ever lost; below it stands an area that is
 * painted anew whenever it changes (what is being written, the prompt). Each change is one write.
 */
export class Screen {
  readonly #stream: ScreenStream;
  #area: readonly string[] = [];
  #cursor: Cursor = { row: 0, column: 0 };

  constructor(stream: ScreenStream) {
    this.#stream = stream;
  }

  get width(): number {
    return this.#stream.columns || 80;
  }
  get height(): number {
    return this.#stream.rows || 24;
  }

  /** Prints lines above the area, and paints that anew. A line must fit the width. */
  update(printed: readonly string[], area: readonly string[], cursor: Cursor): void {
    if (printed.length === 0 && sameLines(area, this.#area) && cursor.row === this.#cursor.row && cursor.column === this.#cursor.column) return;
    const below = area.length - 1 - cursor.row;
    const lines = [...printed, ...area].join('\n');
    this.#stream.write(`${HIDE}${this.#home()}${lines}${below > 0 ? `\u001b[${below}A` : ''}\r${cursor.column > 0 ? `\u001b[${cursor.column}C` : ''}${SHOW}`);
    this.#area = area;
    this.#cursor = cursor;
  }

  /** Takes the area away: what is written next stands where it began. */
  clear(): void {
    this.#stream.write(`${this.#home()}${SHOW}`);
    this.#area = [];
    this.#cursor = { row: 0, column: 0 };
  }

  /** To the beginning of the area, which is emptied. A terminal that has become narrower has broken its lines. */
  #home(): string {
    const { row, column } = this.#cursor;
    const rowsOf = (width: number): number => Math.max(1, Math.ceil(width / this.width));
    const above = this.#area.slice(0, row).reduce((sum, line) => sum + rowsOf(widthOf(line)), 0) + rowsOf(column + 1) - 1;
    return `${above > 0 ? `\u001b[${above}A` : ''}\r\u001b[J`;
  }
}

const HIDE = '\u001b[?25l';
const SHOW = '\u001b[?25h';

function sameLines(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, i) => line === b[i]);
}
