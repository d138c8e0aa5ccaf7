import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { exportedNames } from './support/exported-names.ts';
import { entries } from './support/package.ts';

test.for(entries())('every name of $specifier is there on purpose', async ({ specifier, declarations }) => {
  const names = exportedNames(declarations);
  await expect(`${names.join('\n')}\n`).toMatchFileSnapshot(`public-names/${specifier.replace('@agentscope/', '').replaceAll('/', '-')}.txt`);
});

test.for(entries())('what $specifier declares is there when it runs, and nothing else', async ({ file, declarations }) => {
  const declared = exportedNames(declarations).filter((name) => !name.startsWith('type '));
  const found: object = await import(pathToFileURL(file).href);
  expect(Object.keys(found).sort()).toEqual(declared.sort());
});
