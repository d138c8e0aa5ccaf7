import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const repo = fileURLToPath(new URL('..', import.meta.url));
const layers: { root: string; line: string[]; edges: Record<string, string[]> } = JSON.parse(readFileSync(join(repo, 'layers.json'), 'utf8'));
const { root, line } = layers;
const edges = Object.keys(layers.edges);
const tree = mkdtempSync(join(tmpdir(), 'layers-'));
afterAll(() => rmSync(tree, { recursive: true }));

/** One planted fault: the file, the import it holds, and the rule that must find exactly that. */
interface Fault {
  readonly rule: string;
  readonly from: string;
  readonly code: string;
}

const fault = (rule: string, from: string, to: string, code = `import { x } from '${to}';\nexport const y = x;`): Fault => ({
  rule,
  from: `${root}/${from}`,
  code,
});

const faults: Fault[] = [
  ...line.slice(0, -1).map((folder, at) => fault(`line:${folder}`, `${folder}/planted-right.ts`, `../${line[at + 1]}/index.ts`)),
  ...line.map((folder) => fault(`line:${folder}`, `${folder}/planted-edge.ts`, '../provider/index.ts')),
  ...edges.map((edge) => fault(`edge:${edge}`, `${edge}/planted-server.ts`, '../server/index.ts')),
  ...edges.map((edge) => fault(`edge:${edge}`, `${edge}/planted-edge.ts`, `../${edge === 'store' ? 'mcp' : 'store'}/index.ts`)),
  fault('line:message', 'message/planted-type.ts', '../event/index.ts', `import type { X } from '../event/index.ts';\nexport type Y = X;`),
  fault('line:message', 'message/planted-export.ts', '../event/index.ts', `export * from '../event/index.ts';`),
  fault('line:message', 'message/planted-type-export.ts', '../event/index.ts', `export type { X } from '../event/index.ts';`),
  fault('line:message', 'message/planted-dynamic.ts', '../event/index.ts', `export const y = (): Promise<unknown> => import('../event/index.ts');`),
  fault('resolvable', 'error/planted-missing.ts', './nowhere.ts'),
  fault('known-folder', 'utils/planted.ts', '../error/index.ts'),
  fault('composition-root', 'agent/planted-root.ts', '../index.ts'),
  fault('vendor-siblings', 'provider/openai/planted.ts', '../gemini/index.ts'),
  fault('index-only', 'agent/planted-inside.ts', '../tool/inside.ts'),
  fault('index-only-root', 'planted-inside.ts', './tool/inside.ts'),
  fault('node-builtins', 'agent/planted-node.ts', 'node:fs'),
  fault('runtime-dependencies', 'agent/planted-dev.ts', 'dev-only'),
  { ...fault('public-entries', '', '../../core/src/index.ts'), from: 'packages/cli/src/planted.ts' },
];

test('a tree that keeps the import line passes', () => {
  plantCleanTree();
  expect(cruise()).toEqual([]);
});

test('every rule finds the fault planted for it, and nothing else is found', () => {
  plantCleanTree();
  for (const { from, code } of faults) write(from, code);
  write(`${root}/error/planted-cycle-a.ts`, `import { b } from './planted-cycle-b.ts';\nexport const a = b;`);
  write(`${root}/error/planted-cycle-b.ts`, `import { a } from './planted-cycle-a.ts';\nexport const b = a;`);
  const expected = [...faults.map(({ rule, from }) => `${rule} ${from}`), `no-cycle ${root}/error/planted-cycle-a.ts`];
  expect(cruise().map(({ rule, from }) => `${rule} ${from}`).sort()).toEqual(expected.sort());
});

test('there is no rule without a planted fault', () => {
  const config = fileURLToPath(new URL('../.dependency-cruiser.cjs', import.meta.url));
  const run = spawnSync(process.execPath, ['-p', `JSON.stringify(require(${JSON.stringify(config)}).forbidden.map((rule) => rule.name))`], { encoding: 'utf8' });
  const planted = new Set(['no-cycle', ...faults.map(({ rule }) => rule)]);
  expect(JSON.parse(run.stdout).filter((name: string) => !planted.has(name))).toEqual([]);
});

function plantCleanTree(): void {
  for (const folder of [...line, ...edges, 'provider/openai', 'provider/gemini', 'provider/shared', 'store/file']) write(`${root}/${folder}/index.ts`, 'export const x = 1;');
  for (const [at, folder] of line.entries()) if (at > 0) write(`${root}/${folder}/uses-left.ts`, `import { x } from '../${line[at - 1]}/index.ts';\nexport const y = x;`);
  write(`${root}/tool/inside.ts`, 'export const x = 1;');
  write(`${root}/provider/openai/model.ts`, `import { x } from '../../model/index.ts';\nimport { x as z } from '../shared/index.ts';\nexport const y = x + z;`);
  write(`${root}/store/file/open.ts`, `import { readFileSync } from 'node:fs';\nexport const y = readFileSync;`);
  write(`${root}/server/node.ts`, `import { createServer } from 'node:http';\nexport const y = createServer;`);
  write(`${root}/react/use-agent.ts`, `import { x } from '../client/index.ts';\nexport const y = x;`);
  write(`${root}/index.ts`, `import { x } from './agent/index.ts';\nimport { x as z } from './provider/openai/index.ts';\nexport { x, z };`);
  write('packages/core/package.json', JSON.stringify({ name: 'core', type: 'module' }));
  write('package.json', JSON.stringify({ name: 'planted', type: 'module', devDependencies: { 'dev-only': '1.0.0' } }));
  write('node_modules/dev-only/package.json', JSON.stringify({ name: 'dev-only', version: '1.0.0', main: 'index.js' }));
  write('node_modules/dev-only/index.js', 'exports.x = 1;');
  write('node_modules/with-entries/package.json', JSON.stringify({ name: 'with-entries', type: 'module', exports: { './entry': { types: './entry.d.ts', default: './entry.js' } } }));
  write('node_modules/with-entries/entry.js', 'export const x = 1;');
  write('packages/cli/package.json', JSON.stringify({ name: 'cli', type: 'module', dependencies: { 'with-entries': '1.0.0' } }));
  write('packages/cli/src/main.ts', `import { x } from 'with-entries/entry';\nexport const y = x;`);
}

function write(path: string, text: string): void {
  const file = join(tree, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function cruise(): { rule: string; from: string }[] {
  const bin = join(repo, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const config = join(repo, '.dependency-cruiser.cjs');
  const run = spawnSync(process.execPath, [bin, '--config', config, '--output-type', 'json', 'packages'], { cwd: tree, encoding: 'utf8', maxBuffer: 1e9 });
  const { summary } = JSON.parse(run.stdout) as { summary: { violations: { rule: { name: string }; from: string }[] } };
  return summary.violations.map(({ rule, from }) => ({ rule: rule.name, from }));
}
