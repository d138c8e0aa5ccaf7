import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { below, isPrivateName } from './below.ts';

let outer = '';
let inner = '';
beforeAll(() => {
  outer = realpathSync(mkdtempSync(join(tmpdir(), 'below-')));
  inner = join(outer, 'inner');
  mkdirSync(join(inner, 'folder'), { recursive: true });
  mkdirSync(join(outer, 'inner-too'));
  for (const file of ['secret', 'inner/file', 'inner/folder/file', 'inner-too/file']) writeFileSync(join(outer, file), file);
  symlinkSync('../secret', join(inner, 'link-out'));
  symlinkSync('..', join(inner, 'folder-out'));
  symlinkSync('file', join(inner, 'link-in'));
  symlinkSync('/', join(inner, 'root'));
  symlinkSync('loop', join(inner, 'loop'));
});
afterAll(() => rmSync(outer, { recursive: true }));

test('whatever the path is made of, nothing outside of the folder is found', async () => {
  const part = fc.constantFrom('..', '.', '', 'folder', 'file', 'link-out', 'folder-out', 'link-in', 'root', 'loop', 'inner', 'inner-too', 'secret', 'etc', 'passwd', '~', '%2e%2e', '..\\..');
  const path = fc.tuple(fc.constantFrom('', '/', './', `${'../'.repeat(20)}`), fc.array(part, { maxLength: 6 })).map(([start, parts]) => start + parts.join('/'));
  let found = 0;
  await fc.assert(
    fc.asyncProperty(fc.oneof(path, path.map((each) => join(outer, each))), async (wanted) => {
      const result = await below(inner, wanted).catch((error: Error) => error);
      if (result instanceof Error) {
        expect(result.message).toMatch(/^There is no|^Only files below|cannot be read/);
        return;
      }
      found++;
      expect(result.path === inner || result.path.startsWith(inner + sep), wanted).toBe(true);
    }),
    { numRuns: 2_000 },
  );
  expect(found).toBeGreaterThan(50); // the rule is no wall
});

test.each([
  ['file', 'file'],
  ['./folder/../link-in', 'file'],
  ['', '.'],
  ['folder-out/inner/folder/file', 'folder/file'],
] as const)('%j is %j', async (wanted, name) => {
  expect((await below(inner, wanted)).name).toBe(name);
});

test('a path outside says so, whether or not it is there; NUL is no path', async () => {
  for (const wanted of ['../secret', '../nothing', 'link-out', 'root/etc', '/etc/passwd', '../inner-too/file']) await expect(below(inner, wanted)).rejects.toThrow('Only files below');
  await expect(below(inner, 'a\0b')).rejects.toThrow('no path');
});

test('names that may hold keys', () => {
  expect(['.env', 'a/.git/config', 'id_rsa', 'server.pem', 'my-secrets.txt', '.ssh'].filter((name) => !isPrivateName(name))).toEqual([]);
  expect(['README.md', 'src/main.ts', '.', '..', '../a', 'keys.md'].filter(isPrivateName)).toEqual([]);
});
