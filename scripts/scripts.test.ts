import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'scripts-'));
afterAll(() => rmSync(folder, { recursive: true }));

const LEDGER = `# Ledger
| id | promise | form | test | issue |
|---|---|---|---|---|
| S0-001 | kept | \`a \\| b\` | x | line |
| S0-002 | kept together with another | y | z | line |
| S4-003 | skipped | y | z | wire |
| S4-004 | forgotten | y | z | wire |
`;
const CASES = `### C001 Cut bytes\n\n### C002 Nobody tested it\n`;

const report = (tests: readonly (readonly [status: string, title: string, around?: string])[], more: object = {}): string => {
  const file = join(folder, `${Math.random()}.json`);
  const assertionResults = tests.map(([status, title, around]) => ({ status, title, ancestorTitles: around === undefined ? [] : [around] }));
  writeFileSync(file, JSON.stringify({ testResults: [{ status: 'passed', assertionResults, ...more }] }));
  return file;
};
const run = (script: string, args: readonly string[], shared = folder): { status: number | null; stdout: string } =>
  spawnSync(process.execPath, [fileURLToPath(new URL(script, import.meta.url)), ...args], { encoding: 'utf8', env: { ...process.env, AGENTSCOPE_SHARED: shared } });

writeFileSync(join(folder, 'LEDGER.md'), LEDGER);
writeFileSync(join(folder, 'CASES.md'), CASES);
const tests = report([
  ['passed', 'S0-001 S0-002 two rows'],
  ['skipped', 'S4-003 is not run'],
  ['passed', 'says S4-004 too late in its name'],
  ['passed', 'any cut of the bytes', 'C001'],
]);

test('the ledger lists rows without a passing test, by issue, with counts', () => {
  const { status, stdout } = run('ledger.mjs', ['--report', tests]);
  expect(stdout.split('\n').slice(1)).toEqual([
    'line: 2 of 2 done',
    'wire: 0 of 2 done',
    '  S4-003  skipped',
    '  S4-004  forgotten',
    'ledger: 2 of 4 rows have a passing test, 2 have none.',
    '',
  ]);
  expect(status).toBe(0);
});

test('the ledger filters by issue, and fails with --strict while rows are open', () => {
  expect(run('ledger.mjs', ['--report', tests, '--issue', 'line', '--strict']).status).toBe(0);
  expect(run('ledger.mjs', ['--report', tests, '--issue', 'wire', '--strict']).status).toBe(1);
});

test('the ledger does the same for cases, a describe around a test included', () => {
  const { stdout } = run('ledger.mjs', ['--report', tests, '--cases', 'C001,C002']);
  expect(stdout).toContain('cases: 1 of 2 done\n  C002  Nobody tested it\n');
});

test('without a ledger to read it says so and is content', () => {
  const { status, stdout } = run('ledger.mjs', ['--strict'], join(folder, 'nowhere'));
  expect(stdout).toContain('no LEDGER.md');
  expect(status).toBe(0);
});

test('counts passed and failed tests of a report', () => {
  expect(run('count-tests.mjs', [report([['passed', 'a'], ['passed', 'b'], ['failed', 'c'], ['skipped', 'd']], { status: 'failed' }), '1']).stdout).toBe('2 1\n');
});

test('a file that could not be loaded, a run that broke and a missing report count as one failed', () => {
  expect(run('count-tests.mjs', [report([], { status: 'failed' }), '1']).stdout).toBe('0 1\n');
  expect(run('count-tests.mjs', [report([['passed', 'a']]), '1']).stdout).toBe('1 1\n');
  expect(run('count-tests.mjs', [join(folder, 'none.json'), '1']).stdout).toBe('0 1\n');
});
