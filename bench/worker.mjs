// One fresh process: one side, one question. Tells the figures over IPC (see `lib/processes.mjs`).
import { median, steps } from './lib/stats.mjs';
import { DELTA_LENGTH } from './lib/scenarios.mjs';

/** Rounds that are looked at around round 10 and at the last one. */
const WINDOW = 16;

const task = JSON.parse(process.argv[2]);

process.send(await answer(), () => process.exit(0));

async function answer() {
  try {
    return task.imports === undefined ? await timeWork() : await timeImport(task.imports);
  } catch (error) {
    return { error: `${task.side ?? 'import'} ${task.model ?? task.imports}: ${error?.stack ?? error}` };
  }
}

async function timeImport(names) {
  const start = performance.now();
  for (const name of names) await import(name);
  return { value: performance.now() - start };
}

async function timeWork() {
  const { cpuMs, stamped, toolRuns } = await import('./sides/task.mjs');
  const { run } = await import(`./sides/${task.side}.mjs`);
  const once = async () => {
    const before = toolRuns();
    check(await run(task.baseUrl, task.model), toolRuns() - before);
  };
  const together = () => Promise.all(Array.from({ length: task.streams ?? 1 }, () => run(task.baseUrl, task.model)));
  const work = task.streams === undefined ? once : async () => (await together()).forEach((seen) => check(seen));

  await repeat(once, { least: task.warmLeast ?? 3, ms: task.warmMs, most: Infinity });
  if (task.growth) return growth(await stamped(once));
  const costs = [];
  await repeat(async () => {
    const before = cpuMs();
    await work();
    costs.push(cpuMs() - before);
  }, { least: task.least ?? 3, ms: task.ms, most: task.most ?? 40 });
  return { value: median(costs) / task.per, peakMb: process.resourceUsage().maxRSS / 1024 };
}

/** By time, so that a fast side is not judged on a handful of calls that are not compiled yet. */
async function repeat(work, { least, ms, most }) {
  const end = performance.now() + ms;
  for (let done = 0; done < least || (performance.now() < end && done < most); done++) await work();
}

/** Nothing is measured that did not do the work. */
function check({ characters, results }, runs = results) {
  const [kind, digits] = task.model.split('-');
  const size = Number(digits);
  const wanted = kind === 'text' || kind === 'drip' ? { characters: size * DELTA_LENGTH, results: 0 } : { characters, results: size };
  if (characters !== wanted.characters || results !== wanted.results || runs !== wanted.results || characters === 0) {
    throw new Error(`saw ${characters} characters, ${results} tool results, ${runs} tool runs; wanted ${JSON.stringify(wanted)}`);
  }
}

/** CPU per round around round 10 and at the last rounds. */
function growth(stamps) {
  const rounds = steps(stamps);
  return { early: median(rounds.slice(2, 2 + WINDOW)), late: median(rounds.slice(-WINDOW)) };
}
