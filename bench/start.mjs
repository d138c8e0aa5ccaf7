// How long the terminal program takes to start, whole process, beside a Node that does nothing. Prints; asserts nothing. The least of the
// starts is what the program costs, the median what this machine made of it.
//
//   node bench/start.mjs [--starts 20]
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { median } from './lib/stats.mjs';
import { short, table } from './lib/table.mjs';

const { values: options } = parseArgs({ options: { starts: { type: 'string', default: '20' } } });
const program = fileURLToPath(new URL('../packages/cli/dist/main.js', import.meta.url));
const cwd = mkdtempSync(join(tmpdir(), 'agentscope-start-'));
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(OPENAI|AGENTSCOPE|NODE_OPTIONS)/.test(name)));

/** `until`: the start is over when this is printed, else with the process. */
const STARTS = [
  { title: 'node that does nothing', args: ['-e', '0'] },
  { title: 'agentscope --version', args: [program, '--version'], budgetMs: 60 },
  { title: 'agentscope, to the prompt in a terminal', args: [program], until: '\u001b[?25h', isTerminal: true, budgetMs: 200 },
  { title: 'agentscope -m "what is 2 + 2"', args: [program, '-m', 'what is 2 + 2'] },
];

const times = new Map(STARTS.map(({ title }) => [title, []]));
// In turns, so that a busy moment of the machine is nobody's own.
for (let at = -1; at < Number(options.starts); at++) {
  for (const start of STARTS) {
    const ms = await timeOf(start);
    if (at >= 0) times.get(start.title).push(ms); // the file cache is warm after the first
  }
}
rmSync(cwd, { recursive: true });

const floor = Math.min(...times.get(STARTS[0].title));
console.log(`\nNode ${process.version}, ${options.starts} starts each\n`);
console.log(
  table(
    ['start', 'least ms', 'median ms', 'above nothing', 'budget', 'kept'],
    STARTS.map(({ title, budgetMs }) => {
      const least = Math.min(...times.get(title));
      return [title, short(least), short(median(times.get(title))), short(least - floor), budgetMs === undefined ? '' : `<= ${budgetMs}`, budgetMs === undefined || !Number.isFinite(least) ? '' : least <= budgetMs ? 'yes' : 'OVER'];
    }),
  ),
);

/** Milliseconds; not a number where there is no `script` to make a terminal with. */
async function timeOf({ args, until, isTerminal = false }) {
  const begin = performance.now();
  if (!isTerminal) {
    spawnSync(process.execPath, args, { cwd, env });
    return performance.now() - begin;
  }
  const command = [process.execPath, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', command, '/dev/null'], { cwd, env: { ...env, TERM: 'xterm-256color' } });
  let shownAt = NaN;
  let printed = '';
  child.stdin.on('error', () => undefined); // it has gone already
  child.stdout.setEncoding('utf8').on('data', (text) => {
    printed += text;
    if (!Number.isNaN(shownAt) || !printed.includes(until)) return;
    shownAt = performance.now();
    child.stdin.write('\u0004');
  });
  await new Promise((resolve) => child.on('error', resolve).on('exit', resolve));
  return shownAt - begin;
}
