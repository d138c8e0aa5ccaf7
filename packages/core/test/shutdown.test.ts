import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/** The built package, as a program of its own has it. */
const entry = (name: string): string => JSON.stringify(new URL(`../dist/${name}`, import.meta.url).href);

/** Starts a reply (`serve`) or goes on with all (`recover`); SIGTERM shuts it down, and nothing else ends it. Prints what happens. */
const PROGRAM = `
import { appendFileSync } from 'node:fs';
import { defineTool, ReActAgent } from ${entry('index.js')};
import { JsonSession } from ${entry('store/file/index.js')};
import { scriptedModel } from ${entry('testing/index.js')};

const [, , command, graceMs] = process.argv;
const say = (what) => console.log(what);
const tool = (name, effect) => defineTool({
  name, description: name, effect,
  execute: async (_input, { signal }) => {
    appendFileSync('ledger', name + '\\n');
    say('started ' + name);
    await new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, command === 'serve' ? 400 : 0);
      signal.addEventListener('abort', () => (clearTimeout(timer), reject(signal.reason)));
    });
    return name + ' done';
  },
});
const script = command === 'serve' ? [[{ tool: 'once' }, { tool: 'keyed' }], 'Said before the shutdown.'] : ['Said after it.'];
const agent = new ReActAgent({ name: 'F', model: scriptedModel(...script), toolkit: [tool('once', 'once'), tool('keyed', 'keyed')], session: new JsonSession('sessions') });
process.once('SIGTERM', async () => {
  await agent.shutdown({ graceMs: Number(graceMs) });
  say('shut down');
});
if (command === 'serve') agent.call('go', { sessionId: 's' }).then((reply) => say(reply.getTextContent()), (error) => say(error.code));
else {
  const { recovered, skipped } = await agent.recoverAll();
  for (const { reply } of recovered) say(reply.getToolCalls().map(({ result }) => result.state).join() + ' ' + reply.getTextContent());
  for (const { why } of skipped) say(why);
}
`;

interface Ended {
  readonly code: number | null;
  readonly lines: readonly string[];
}

/** Runs the program to its own end, and terminates it when it says so. */
function run(folder: string, args: readonly string[], terminateAt?: string): Promise<Ended> {
  const child = spawn(process.execPath, [join(folder, 'program.mjs'), ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const before = output;
    output += text;
    if (terminateAt !== undefined && !before.includes(terminateAt) && output.includes(terminateAt)) child.kill('SIGTERM');
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, lines: output.trim().split('\n') })));
}

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shutdown-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'program.mjs'), PROGRAM);
  return folder;
}
const ledger = (folder: string): readonly string[] => readFileSync(join(folder, 'ledger'), 'utf8').trim().split('\n');

test('I7 SIGTERM in a tool: it finishes, nothing more starts, the process ends by itself, and the next one goes on', async () => {
  const folder = place();
  expect(await run(folder, ['serve', '10000'], 'started once')).toEqual({ code: 0, lines: ['started once', 'agent/shut-down', 'shut down'] });
  expect(ledger(folder)).toEqual(['once']);
  expect(await run(folder, ['recover', '0'])).toEqual({ code: 0, lines: ['started keyed', 'success,success Said after it.'] });
  expect(ledger(folder)).toEqual(['once', 'keyed']);
});

test('I7 SIGTERM with no time to wait: the once tool is not run again, the keyed one behind it does not start', async () => {
  const folder = place();
  const { code, lines } = await run(folder, ['serve', '0'], 'started once');
  expect([code, lines.toSorted()]).toEqual([0, ['agent/shut-down', 'shut down', 'started once']]);
  expect(await run(folder, ['recover', '0'])).toEqual({ code: 0, lines: ['interrupted,interrupted Said after it.'] });
  expect(ledger(folder)).toEqual(['once']);
});

test('I7 SIGTERM in a keyed tool with no time to wait: it runs again', async () => {
  const folder = place();
  await run(folder, ['serve', '0'], 'started keyed');
  expect(await run(folder, ['recover', '0'])).toEqual({ code: 0, lines: ['started keyed', 'success,success Said after it.'] });
  expect(ledger(folder)).toEqual(['once', 'keyed', 'keyed']);
});
