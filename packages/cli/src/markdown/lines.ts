import stringWidth from 'fast-string-width';
import { wrapAnsi } from 'fast-wrap-ansi';

/** Columns a text takes; wide characters take two, escape sequences and combining marks none. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** Broken at words where that is possible, and in the middle of a word where it is not. What a line is indented by, its further lines are too. */
export function wrapped(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => {
    const indent = /^ */.exec(line)?.[0].slice(0, Math.floor(width / 2)) ?? '';
    return wrapAnsi(line.slice(indent.length), Math.max(1, width - indent.length), { hard: true }).split('\n').map((row) => (indent + row).trimEnd());
  });
}

/** Broken wherever the width ends: every space stays. */
export function broken(text: string, width: number): string[] {
  return wrapAnsi(text, Math.max(1, width), { hard: true, wordWrap: false, trim: false }).split('\n');
}

/** On one line of at most so many columns, with a mark where something was left out. */
export function shortened(text: string, width: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (widthOf(line) <= width) return line;
  const [first = ''] = broken(line, width - 1);
  return `${first}…`;
}

/** Filled up with spaces to so many columns. */
export function padded(text: string, width: number, align: 'left' | 'center' | 'right' | null = 'left'): string {
  const missing = Math.max(0, width - widthOf(text));
  const before = align === 'right' ? missing : align === 'center' ? Math.floor(missing / 2) : 0;
  return ' '.repeat(before) + text + ' '.repeat(missing - before);
}
