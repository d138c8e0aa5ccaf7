// What this library adds to a model call, against a hand-written loop over `fetch` in the same run. Prints, writes
// `results/latest.json`, asserts nothing: figures of a shared machine are for reading, ratios within one run are what counts.
//
//   node bench/run.mjs [--only text,drip] [--quick] [--rounds 3]
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { measure, startServer } from './lib/processes.mjs';
import { median } from './lib/stats.mjs';
import { short, table } from './lib/table.mjs';
import { questions } from './questions.mjs';

const { values: options } = parseArgs({
  options: { only: { type: 'string' }, quick: { type: 'boolean', default: false }, rounds: { type: 'string' } },
});
const rounds = Number(options.rounds ?? (options.quick ? 1 : 3));
const asked = pick(options.only?.split(','));

const results = await measureAll();
print(results);
save(results);

function pick(names) {
  const unknown = names?.filter((name) => !questions.some((question) => question.name === name)) ?? [];
  if (unknown.length > 0) {
    console.error(`No question called ${unknown.join(', ')}. There are: ${questions.map(({ name }) => name).join(', ')}.`);
    process.exit(2);
  }
  return questions.filter(({ name }) => names?.includes(name) ?? true);
}

async function measureAll() {
  const server = await startServer();
  const samples = new Map(asked.map(({ name }) => [name, { floor: [], agentscope: [] }]));
  for (let round = 0; round < rounds; round++) {
    for (const question of asked) {
      const order = round % 2 === 0 ? ['floor', 'agentscope'] : ['agentscope', 'floor'];
      for (const side of order.filter((each) => question.imports === undefined || each in question.imports)) {
        samples.get(question.name)[side].push(...(await sampleOrNothing(question, side, server.baseUrl)));
      }
    }
  }
  process.stderr.write('\n');
  server.stop();
  return asked.flatMap((question) => summarise(question, samples.get(question.name)));
}

/** A side that fails is said on stderr and printed as `-`; the other figures are still worth having. */
async function sampleOrNothing(question, side, baseUrl) {
  try {
    return [await sample(question, side, baseUrl)];
  } catch (error) {
    process.stderr.write(`\n${error.message}\n`);
    return [];
  }
}

/** The figures of one fresh process; for import the median of five, since one start costs so little. */
async function sample(question, side, baseUrl) {
  process.stderr.write('.');
  if (question.imports !== undefined) {
    const task = { imports: question.imports[side] };
    const times = [];
    await measure(task); // the file cache is warm after this one
    for (let at = 0; at < 5; at++) times.push((await measure(task)).value);
    return { value: median(times) };
  }
  const { budget: _budget, sides, ...task } = question;
  const scale = options.quick ? 0.3 : 1;
  return measure({ ...task, side: sides?.[side] ?? side, baseUrl, warmMs: task.warmMs * scale, ms: task.ms * scale });
}

function summarise(question, { floor, agentscope }) {
  const { name, title, unit, budget } = question;
  const of = (samples, key) => median(samples.map((each) => each[key]));
  const row = (fields) => ({ name, title, unit, budget, ...fields, ratio: fields.agentscope / fields.floor });
  if (question.growth) {
    const grown = (samples) => median(samples.map(({ early, late }) => late / early));
    const detail = Object.fromEntries([['floor', floor], ['agentscope', agentscope]].map(([side, all]) => [side, { early: of(all, 'early'), late: of(all, 'late') }]));
    return [row({ floor: grown(floor), agentscope: grown(agentscope), detail })];
  }
  const main = row({ floor: of(floor, 'value'), agentscope: of(agentscope, 'value') });
  if (question.streams === undefined) return [main];
  const memory = { floor: of(floor, 'peakMb'), agentscope: of(agentscope, 'peakMb') };
  return [main, { ...row(memory), name: `${name}-memory`, title: `${title}, peak memory`, unit: 'MB', budget: { x: 1.1 } }];
}

function print(rows) {
  console.log(`\nNode ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown CPU'}, median of ${rounds} round(s)\n`);
  const cells = rows.map(({ title, unit, floor, agentscope, ratio, budget }) => {
    const reached = budget.x === undefined ? agentscope : ratio;
    return [title, unit, short(floor), short(agentscope), Number.isFinite(ratio) ? `${ratio.toFixed(2)}x` : '-', limit(budget), verdict(reached, budget.x ?? budget.value)];
  });
  console.log(table(['question', 'unit', 'floor', 'agentscope', 'ratio', 'budget', 'kept'], cells));
  const growth = rows.find(({ detail }) => detail !== undefined);
  if (growth !== undefined) {
    const side = (name) => `${name} ${short(growth.detail[name].early)} -> ${short(growth.detail[name].late)}`;
    console.log(`\nCPU ms per round, round 10 -> 200: ${side('floor')}, ${side('agentscope')}`);
  }
}

function limit({ x, value }) {
  if (x !== undefined) return `<= ${x}x`;
  return value === undefined ? '-' : `<= ${value}`;
}

function verdict(reached, most) {
  if (!Number.isFinite(reached) || most === undefined) return '-';
  return reached <= most ? 'yes' : 'OVER';
}

function save(rows) {
  const folder = new URL('results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  const report = { date: new Date().toISOString(), node: process.version, cpus: cpus().length, rounds, quick: options.quick, rows };
  writeFileSync(new URL('latest.json', folder), `${JSON.stringify(report, null, 2)}\n`);
}
