import type { Tokens } from 'marked';
import { padded, widthOf, wrapped } from './lines.ts';

export interface TableOptions {
  /** Columns the whole may take. */
  readonly width: number;
  inline(cell: Tokens.TableCell): string;
  head(text: string): string;
  rule(text: string): string;
}

const GAP = '  ';
const NARROWEST = 4;

/** A table as lines: columns as wide as they need, narrower ones where the width is short, and cells over several lines then. */
export function tableLines({ header, rows, align }: Tokens.Table, { width, inline, head, rule }: TableOptions): string[] {
  const titles = header.map(inline);
  const cells = rows.map((row) => row.map(inline));
  const widths = fitted(titles.map((title, column) => Math.max(...[title, ...cells.map((row) => row[column] ?? '')].map(longestLine))), width);
  const line = (row: readonly string[], look: (text: string) => string): string[] => rowLines(row, widths, align).map(look);
  const body = cells.flatMap((row) => line(row, (text) => text));
  return [...line(titles, head), rule(widths.map((columns) => '─'.repeat(columns)).join(GAP)), ...body];
}

function longestLine(text: string): number {
  return Math.max(1, ...text.split('\n').map(widthOf));
}

/** The widest columns give first. */
function fitted(wanted: readonly number[], width: number): number[] {
  const widths = [...wanted];
  let over = widths.reduce((sum, each) => sum + each, 0) + GAP.length * (widths.length - 1) - width;
  while (over > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= NARROWEST) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
    over--;
  }
  return widths;
}

function rowLines(row: readonly string[], widths: readonly number[], align: Tokens.Table['align']): string[] {
  const columns = widths.map((width, column) => wrapped(row[column] ?? '', width));
  const height = Math.max(1, ...columns.map((lines) => lines.length));
  return Array.from({ length: height }, (_, at) => widths.map((width, column) => padded(columns[column]?.[at] ?? '', width, align[column] ?? 'left')).join(GAP).trimEnd());
}
