import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const repo = fileURLToPath(new URL('..', import.meta.url));
const tree = mkdtempSync(join(tmpdir(), 'lint-'));
afterAll(() => rmSync(tree, { recursive: true }));

const lines = (count: number, line: string): string => Array.from({ length: count }, () => line).join('\n');

/** Rule → a file that breaks it. Each file stands in the core package. */
const faults: Readonly<Record<string, readonly [file: string, code: string]>> = {
  'typescript(no-floating-promises)': ['floating.ts', 'const f = async (): Promise<void> => {};\nf();'],
  'typescript(no-misused-promises)': ['misused.ts', 'const f = async (): Promise<boolean> => true;\nexport const x = f() ? 1 : 2;'],
  'typescript(switch-exhaustiveness-check)': ['switch.ts', `export const f = (x: 'a' | 'b'): void => {\n  switch (x) {\n    case 'a':\n      break;\n  }\n};`],
  'typescript(only-throw-error)': ['throws.ts', `export const f = (): never => {\n  throw 'text';\n};`],
  'typescript(no-explicit-any)': ['any.ts', 'export const x: any = 1;'],
  'typescript(no-non-null-assertion)': ['bang.ts', 'export const f = (x?: string): string => x!;'],
  'typescript(consistent-type-imports)': ['type-import.ts', `export type X = import('./any.ts').X;`],
  'import(no-default-export)': ['default.ts', 'export default 1;'],
  'import(no-cycle)': ['cycle.ts', `import { x } from './cycle-back.ts';\nexport const y = x;`],
  'unicorn(filename-case)': ['camelCase.ts', 'export const x = 1;'],
  'eslint(max-params)': ['params.ts', 'export const f = (a: 1, b: 1, c: 1, d: 1): number => a + b + c + d;'],
  'eslint(max-lines)': ['long.ts', lines(401, 'export {};')],
  'eslint(max-lines-per-function)': ['long-function.ts', `export function f(x: number): number {\n${lines(61, '  x++;')}\n  return x;\n}`],
  'eslint(no-console)': ['console.ts', `console.log('x');`],
};

test.for(Object.entries(faults))('%s finds what is planted for it', ([rule, [file]]) => {
  const found = problems().filter(({ filename }) => filename.endsWith(`/${file}`));
  expect(found.map(({ code }) => code)).toContain(rule);
});

interface Problem {
  readonly code: string;
  readonly filename: string;
}

let once: Problem[] | undefined;

function problems(): Problem[] {
  once ??= lint();
  return once;
}

function lint(): Problem[] {
  for (const [file, code] of Object.values(faults)) write(`packages/core/src/agent/${file}`, code);
  write('packages/core/src/agent/cycle-back.ts', `import { y } from './cycle.ts';\nexport const x = y;`);
  write('packages/core/tsconfig.json', JSON.stringify({ compilerOptions: { strict: true, module: 'nodenext', allowImportingTsExtensions: true, noEmit: true }, include: ['src'] }));
  copyFileSync(join(repo, '.oxlintrc.json'), join(tree, '.oxlintrc.json')); // its paths count from where it stands
  const bin = join(repo, 'node_modules/.bin/oxlint');
  const run = spawnSync(bin, ['--type-aware', '--format', 'json'], { cwd: tree, encoding: 'utf8' });
  return (JSON.parse(run.stdout) as { diagnostics: Problem[] }).diagnostics;
}

function write(path: string, text: string): void {
  const file = join(tree, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
