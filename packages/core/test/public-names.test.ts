import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { exportedNames } from './support/exported-names.ts';
import { entries } from './support/package.ts';

test.for(entries())('every name of $specifier is there on purpose', async ({ specifier, file }) => {
  const names = exportedNames(file.replace(/js$/, 'd.ts'));
  await expect(`${names.join('\n')}\n`).toMatchFileSnapshot(`public-names/${specifier.replace('@agentscope/', '').replaceAll('/', '-')}.txt`);
});

test.for(entries())('what $specifier declares is there when it runs, and nothing else', async ({ file }) => {
  const declared = exportedNames(file.replace(/js$/, 'd.ts')).filter((name) => !name.startsWith('type '));
  expect(existsSync(file)).toBe(true);
  const found: object = await import(pathToFileURL(file).href);
  expect(Object.keys(found).sort()).toEqual(declared.sort());
});
