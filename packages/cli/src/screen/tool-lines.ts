import { shortened, widthOf } from '../markdown/lines.ts';
import { printable } from '../printable.ts';
import type { Style } from '../style.ts';
import type { Folds } from './folds.ts';

export interface FoldOptions {
  readonly width: number;
  readonly style: Style;
  readonly folds: Folds;
}

/** Lines of a result that are shown at once. */
const SHOWN = 3;

/** A call in one line; arguments that do not fit are folded. */
export function callLines(name: string, args: string, { width, style, folds }: FoldOptions): string[] {
  const text = printable(args);
  const head = `→ ${printable(name)} `;
  if (widthOf(head + text) > width || text.includes('\n')) folds.add(`${printable(name)} ${pretty(text)}`);
  return [style('→ ', 'cyan') + style(printable(name), 'bold') + style(shortened(` ${text}`.trimEnd(), Math.max(8, width - widthOf(head))).replace(/^(?=.)/, ' '), 'dim')];
}

/** A result in a few lines; the rest is folded. `name`: where it is not clear which call it belongs to. */
export function resultLines({ text, isFine, name }: { readonly text: string; readonly isFine: boolean; readonly name: string | undefined }, { width, style, folds }: FoldOptions): string[] {
  const lines = printable(text).trimEnd().split('\n');
  const shown = lines.length <= SHOWN + 1 ? lines : lines.slice(0, SHOWN);
  const prefix = name === undefined ? '' : `${printable(name)}: `;
  const mark = isFine ? style('← ', 'green') : style('✗ ', 'red');
  const cut = shown.map((line, i) => shortened(`${i === 0 ? prefix : ''}${line.replace(/^\s+/, (spaces) => '\u00a0'.repeat(Math.min(spaces.length, 20)))}`, width - 2));
  const isWhole = lines.length === shown.length && cut.every((line) => !line.endsWith('…'));
  const hidden = lines.length - shown.length;
  if (isWhole) return cut.map((line, i) => (i === 0 ? mark : '  ') + style(line, 'dim'));
  const number = folds.add(printable(text));
  const more = `  ${hidden > 0 ? `… ${hidden} more lines` : '…'} (Ctrl-O or /show ${number})`;
  return [...cut.map((line, i) => (i === 0 ? mark : '  ') + style(line, 'dim')), style(more, 'dim')];
}

/** What was thought in one line. */
export function thoughtLines(text: string, seconds: number, { width, style, folds }: FoldOptions): string[] {
  const thought = printable(text).trim();
  if (thought === '') return [];
  const number = folds.add(thought);
  const end = ` (/show ${number})`;
  return [style(`${shortened(`∴ thought for ${seconds} s: ${thought}`, width - end.length)}${end}`, 'dim')];
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
