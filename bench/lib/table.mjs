/** A table in plain text, first column to the left, the others to the right. */
export function table(head, rows) {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const print = (line) => line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  ');
  return [print(head), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(print)].join('\n');
}

/** Three significant digits, no exponent. */
export function short(number) {
  if (!Number.isFinite(number)) return '-';
  const size = Math.abs(number);
  return number.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 4);
}
