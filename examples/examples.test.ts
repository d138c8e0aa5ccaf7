// Each example is a program that checks itself: it is compiled against the built package and run as a user would run it.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const here = fileURLToPath(new URL('.', import.meta.url));
const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
const examples = readdirSync(here).filter((name) => existsSync(join(here, name, 'main.ts')));
const PROGRAM_MS = 20_000;
let place: string;

beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'agentscope-examples-'));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** Rows of the ledger that a program shows. */
const ROWS: Readonly<Record<string, string>> = { '04-approve-a-tool': 'S0-068 ', '14-ported-from-java-v1': 'S4-043 S4-070 ', '15-ported-from-java-v2': 'S0-027 S0-079 ' };

describe.for(examples)('%s', (name) => {
  test(`${ROWS[name] ?? ''}compiles, runs, ends, and prints what its output.txt says`, { timeout: 2 * PROGRAM_MS + 5_000 }, async () => {
    const compiled = await run([tsc, '-p', join(here, name), '--pretty', 'false'], here);
    expect(compiled).toEqual({ code: 0, output: '', errors: '' });
    const ended = await run([join(here, name, 'dist/main.js')], place);
    expect(ended).toEqual({ code: 0, output: readFileSync(join(here, name, 'output.txt'), 'utf8'), errors: '' });
  });
});

test('nothing is left behind in the folder an example was started in', () => {
  expect(readdirSync(place)).toEqual([]);
});

interface Ended {
  readonly code: number | string;
  readonly output: string;
  readonly errors: string;
}

/** Runs Node without a key, so that the scripts answer; a program that does not end in time is killed and has no exit code of its own. */
function run(args: readonly string[], cwd: string): Promise<Ended> {
  const { OPENAI_API_KEY: _key, OPENAI_BASE_URL: _url, ...env } = process.env;
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd, env, timeout: PROGRAM_MS }, (error, output, errors) => {
      resolve({ code: error === null ? 0 : (error.code ?? `killed after ${PROGRAM_MS} ms`), output, errors });
    });
  });
}
