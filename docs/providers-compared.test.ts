// The page that compares providers says what the profiles say. It is read in a process of its own, out of what was built.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

test('the page that compares providers is what the profiles make of it', () => {
  const program = "import { providersPage } from './scripts/providers-page.mjs'; process.stdout.write(providersPage());";
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { cwd: root, encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(readFileSync(`${root}docs/guides/providers-compared.md`, 'utf8')).toBe(stdout);
  expect(stdout.split('\n').filter((line) => line.startsWith('|')).length).toBeGreaterThan(50);
});
