import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const tsc = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));
const program = fileURLToPath(new URL('custom-events', import.meta.url));

test('a CUSTOM event is typed by declaration merging on the built package: its value by its name, other names refused', () => {
  let complaints = '';
  try {
    execFileSync(process.execPath, [tsc, '-p', program, '--pretty', 'false'], { encoding: 'utf8' });
  } catch (error) {
    complaints = String((error as { readonly stdout?: unknown }).stdout);
  }
  expect(complaints).toBe('');
});
