// Every TypeScript block of README.md and docs/ is compiled, and run as a program of its own on the built package.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GenerateReason } from '@agentscope/core';
import { pagesOf, snippetsIn, snippetsOf } from './snippet-blocks.ts';
import type { Snippet } from './snippet-blocks.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const snippets = snippetsOf(root).map((snippet, number) => ({ ...snippet, file: `${number}-${basename(snippet.page, '.md')}.ts` }));
type Placed = (typeof snippets)[number];

const PROGRAM_MS = 20_000;
let folder: string;
let complaints: readonly string[] = [];

beforeAll(async () => {
  mkdirSync(join(root, 'docs/.snippets'), { recursive: true });
  folder = mkdtempSync(join(root, 'docs/.snippets/run-'));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  for (const snippet of snippets) {
    writeFileSync(join(folder, snippet.file), `${headOf(snippet)}${snippet.code}`);
    writeFileSync(join(folder, setupOf(snippet)), setup(snippet));
  }
  const { output } = await run(join(root, 'node_modules/typescript/bin/tsc'), ['-p', folder, '--pretty', 'false'], root);
  complaints = output.split('\n').filter((line) => line.includes('error TS'));
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('S4-001 the guides are there, and the concepts each with their problem and a snippet', () => {
  for (const guide of ['key-concepts', 'making-an-agent', 'tools']) expect(pagesOf(root)).toContain(`docs/guides/${guide}.md`);
  const concepts = readFileSync(join(root, 'docs/guides/key-concepts.md'), 'utf8').split(/^## /m).slice(1);
  const named = concepts.filter((text) => text.includes('**The problem:**')).map((text) => text.split('\n')[0]);
  expect(named).toEqual(['Message', 'Agent', 'ReActAgent', 'Tool', 'Memory', 'Formatter', 'Hook', 'State and session']);
  for (const text of concepts.filter((each) => each.includes('**The problem:**'))) expect(text).toContain('```ts');
});

describe.for(snippets)('$name', (snippet) => {
  test('compiles', () => {
    expect(complaints.filter((line) => isAbout(line, snippet)).map((line) => atPage(line, snippet))).toEqual([]);
  });
  if (!snippet.runs) return;
  test('runs, ends, and prints what it says', { timeout: PROGRAM_MS + 5_000 }, async () => {
    const place = mkdtempSync(join(folder, 'cwd-'));
    const { code, output, errors } = await run(join(folder, 'out', snippet.file.replace(/ts$/, 'js')), [], place);
    const printed = snippet.prints.length === 0 ? [] : output.trimEnd().split('\n');
    expect({ code, printed, errors: code === 0 ? '' : errors }).toEqual({ code: 0, printed: snippet.prints, errors: '' });
  });
});

test('no complaint of the compiler is lost', () => {
  expect(complaints.filter((line) => !snippets.some((snippet) => isAbout(line, snippet)))).toEqual([]);
});

test('S4-013 the guide on agents has a program with a switch over every reason a reply ends for', () => {
  const [program] = snippets.filter(({ code }) => code.includes('switch (reason)'));
  const words = [...(program?.code.matchAll(/case '([A-Z_]+)'/g) ?? [])].map(([, word]) => word);
  expect(words.toSorted()).toEqual(GENERATE_REASONS.toSorted());
  expect(program?.code).toContain('(reason: GenerateReason): string'); // a missing case would not compile: not every path returns
});

test('a block is read with its mark, its hidden lines, its script and what it prints', () => {
  const page = ['# x', '<!-- script "a" -->', '<!-- hidden', 'const n = 1;', '-->', '```ts no-run', 'console.log(n); // → 1', '```', '```ts', 'f();', '```', '```sh', 'ls', '```', ''];
  const [first, second, ...rest] = snippetsIn('p.md', page.join('\n'));
  expect(first).toEqual({ name: 'p.md:6', page: 'p.md', line: 6, runs: false, code: 'console.log(n); // → 1\n', hidden: 'const n = 1;', script: '"a"', prints: ['1'] });
  expect(second).toMatchObject({ line: 9, runs: true, code: 'f();\n', hidden: '', script: undefined, prints: [] });
  expect(rest).toEqual([]);
  expect(() => snippetsIn('p.md', '```ts maybe\n```\n')).toThrow('unknown mark "maybe"');
});

const GENERATE_REASONS: readonly GenerateReason[] = [
  'MODEL_STOP', 'TOOL_CALLS', 'STRUCTURED_OUTPUT', 'TOOL_SUSPENDED', 'REASONING_STOP_REQUESTED', 'ACTING_STOP_REQUESTED', 'PERMISSION_ASKING',
  'MIDDLEWARE_STOP_REQUESTED', 'ALL_TOOLS_DENIED', 'INTERRUPTED', 'MAX_ITERATIONS',
];

const TSCONFIG = {
  extends: '../../../tsconfig.base.json',
  compilerOptions: {
    composite: false,
    declaration: false,
    isolatedDeclarations: false,
    moduleDetection: 'force',
    noEmitOnError: false,
    types: ['node'],
    rootDir: '.',
    outDir: 'out',
  },
  include: ['*.ts'],
};

/** What stands before the block: the stand-in for the model, then the hidden lines. */
function headOf(snippet: Placed): string {
  return `import './${setupOf(snippet)}';\n${snippet.hidden === '' ? '' : `${snippet.hidden}\n`}`;
}

function setupOf({ file }: Placed): string {
  return file.replace(/ts$/, 'setup.ts');
}

/** Every `openai:` id is answered by the script, else by the offline model: no key, no network. */
function setup({ script }: Snippet): string {
  if (script === undefined) return `import { ModelRegistry } from '@agentscope/core';\nModelRegistry.registerFactory('openai', () => ModelRegistry.resolve('offline:demo'));\n`;
  return [
    `import { AgentScopeError, ModelRegistry } from '@agentscope/core';`,
    `import { scriptedModel } from '@agentscope/core/testing';`,
    `const model = scriptedModel(${script});`,
    `ModelRegistry.registerFactory('openai', () => model);`,
    `export { AgentScopeError };`,
    '',
  ].join('\n');
}

function isAbout(complaint: string, { file }: Placed): boolean {
  return complaint.includes(`/${file}(`) || complaint.includes(`/${file.replace(/ts$/, 'setup.ts')}(`);
}

/** A complaint of the compiler, with the line of the page. */
function atPage(complaint: string, snippet: Placed): string {
  const [, line = '1', message = complaint] = /\((\d+),\d+\): (.*)$/.exec(complaint) ?? [];
  const inBlock = Number(line) - headOf(snippet).split('\n').length + 1;
  return `${snippet.page}:${snippet.line + inBlock} ${message}`;
}

interface Ended {
  readonly code: number | string | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs a program of Node to its end; one that does not end in time is killed and has no exit code of its own. */
function run(program: string, args: readonly string[], cwd: string): Promise<Ended> {
  const { OPENAI_API_KEY: _key, OPENAI_BASE_URL: _url, ...env } = process.env;
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { cwd, env, timeout: PROGRAM_MS }, (error, output, errors) => {
      resolve({ code: error === null ? 0 : (error.code ?? `killed after ${PROGRAM_MS} ms`), output, errors });
    });
  });
}

test('S4-064 the logging hook of the key concepts prints start, chunks and end', () => {
  const [hook] = snippets.filter(({ page, code }) => page.endsWith('key-concepts.md') && code.includes('loggingHook'));
  expect([hook?.runs, hook?.prints]).toEqual([true, ['Agent starting...', 'It is sunny.', 'Completed: It is sunny.']]);
});

test('S4-074 the four pages the concepts lead to are there, each with programs that run', () => {
  for (const guide of ['making-an-agent', 'tools', 'hooks', 'models']) expect([guide, snippets.some(({ page, runs }) => page.endsWith(`${guide}.md`) && runs)]).toEqual([guide, true]);
});
