import { wrapped } from '../markdown/lines.ts';
import { printable } from '../printable.ts';
import type { Style } from '../style.ts';

/** What a person said, as it stands behind the prompt. */
export function saidLines(text: string, { width, style }: { readonly width: number; readonly style: Style }): string[] {
  return wrapped(printable(text).trimEnd().replaceAll('\t', '    '), width - 2).map((line, i) => style(i === 0 ? '> ' : '  ', 'cyan') + style(line, 'bold'));
}
