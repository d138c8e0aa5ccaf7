// What does a turn cost when there were 10, 1,000 or 10,000 before it? And how long does it take to open such a session, or to fork it?
//
//   node bench/growth.mjs [--quick]
//
// One conversation per store, the same turn again and again: a question of 120 characters, an answer of 24 deltas. The model answers at
// once and does not look at what it is sent, so what is measured is the framework. "rewrite" is the same conversation kept as one file
// that is written anew after every turn.
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InMemorySession, ReActAgent } from '@agentscope/core';
import { JsonSession } from '@agentscope/core/store/file';
import { median } from './lib/stats.mjs';
import { table } from './lib/table.mjs';

const quick = process.argv.includes('--quick');
const places = quick ? [10, 100, 1_000] : [10, 1_000, 10_000];
const WINDOW = 100;
const folder = mkdtempSync(join(tmpdir(), 'growth-'));
const words = Array.from({ length: 24 }, (_, at) => `word${at} of it `);
const model = {
  provider: 'bench',
  modelName: 'constant',
  async *stream() {
    for (const text of words) yield { id: 'c', content: [{ index: 0, type: 'text', text }] };
    yield { id: 'c', content: [{ index: 0, type: 'text', text: '', done: true }], usage: { inputTokens: 10, outputTokens: 10 }, finishReason: 'stop' };
  },
};

try {
  for (const side of [memoryStore(), fileStore()]) await converse({ name: 'warm-up', ...side }, [300]);
  const sides = [{ name: 'memory', ...memoryStore() }, { name: 'file', ...fileStore() }];
  const rows = [];
  for (const side of sides) rows.push(...(await converse(side, places)));
  if (!quick) rows.push(...rewrite(places.map((turn) => Math.min(turn, 2_000))));
  console.log(table(['', ...places.map((turn) => `turn ${turn.toLocaleString('en')}`), 'last ÷ first'], rows));
  const opened = [];
  for (const side of sides) opened.push(...(await openAndFork(side)));
  console.log(table([`after ${places.at(-1).toLocaleString('en')} turns`, 'best ms', 'median ms', 'CPU ms'], opened));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** CPU and journal bytes a turn in a window that begins near each place, and all bytes there. */
async function converse(side, at) {
  const agent = new ReActAgent({ name: 'A', model, session: side.store });
  const session = agent.session({ sessionId: 's' });
  const cpu = [];
  const bytes = [];
  const total = [];
  let turn = 0;
  for (const place of at) {
    for (; turn < place - 5; turn++) await session.call(question(turn));
    globalThis.gc?.();
    const before = await side.journalBytes();
    const each = [];
    for (const end = turn + WINDOW; turn < end; turn++) {
      const start = process.cpuUsage();
      await session.call(question(turn));
      const { user, system } = process.cpuUsage(start);
      each.push(user + system);
    }
    cpu.push(median(each));
    const after = await side.journalBytes();
    bytes.push((after - before) / WINDOW);
    total.push((after + side.snapshotBytes()) / after);
  }
  return [
    [`${side.name}: CPU a turn, median`, ...cpu.map((us) => `${us.toFixed(0)} µs`), ratio(cpu)],
    [`${side.name}: journal bytes a turn`, ...bytes.map((count) => count.toFixed(0)), ratio(bytes)],
    [`${side.name}: all bytes ever written ÷ journal`, ...total.map((factor) => `${factor.toFixed(2)}×`), ''],
  ];
}

/** Each time as another process would: a store object of its own. The floor is to parse the newest snapshot, which is read whole. */
async function openAndFork(side) {
  const rows = new Map();
  const measure = async (name, task) => {
    const cpu = process.cpuUsage();
    const start = performance.now();
    const result = await task();
    const { user, system } = process.cpuUsage(cpu);
    const row = rows.get(name) ?? { ms: [], cpu: [] };
    rows.set(name, row);
    row.ms.push(performance.now() - start);
    row.cpu.push((user + system) / 1000);
    return result;
  };
  const key = { sessionId: 's' };
  const sessionOf = () => new ReActAgent({ name: 'A', model, session: side.another() }).session(key);
  for (let round = 0; round < 9; round++) {
    globalThis.gc?.();
    const messages = await measure('open and read the context', () => sessionOf().messages());
    const session = sessionOf();
    await measure('open, and the first turn', () => session.call(question(round)));
    await measure('fork now', () => session.fork());
    const asked = messages.findLast((msg) => msg.role === 'USER');
    await measure('fork before the last question', () => session.fork({ before: asked.id }));
    const text = JSON.stringify(await side.store.loadSnapshot(key));
    await measure('floor: parse the newest snapshot', () => JSON.parse(text));
  }
  return [...rows].map(([name, { ms, cpu }]) => [`${side.name}: ${name}`, Math.min(...ms).toFixed(1), median(ms).toFixed(1), median(cpu).toFixed(1)]);
}

/** What most frameworks do: all messages written again after each turn. */
function rewrite(at) {
  const messages = [];
  const cpu = [];
  const bytes = [];
  for (const place of at) {
    while (messages.length < 2 * place) messages.push(plain('user', question(messages.length)), plain('assistant', words.join('')));
    const each = [];
    for (let turn = 0; turn < 10; turn++) {
      messages.push(plain('user', question(turn)), plain('assistant', words.join('')));
      const start = process.cpuUsage();
      writeFileSync(join(folder, 'rewritten.json'), JSON.stringify(messages));
      const { user, system } = process.cpuUsage(start);
      each.push(user + system);
    }
    cpu.push(median(each));
    bytes.push(statSync(join(folder, 'rewritten.json')).size);
  }
  const scale = (value, i) => (value * places[i]) / at[i]; // linear, so the last one is not waited for
  const cpus = cpu.map(scale);
  const sizes = bytes.map(scale);
  return [
    ['rewrite: CPU a turn for the writing alone', ...cpus.map((us) => `${us.toFixed(0)} µs`), ratio(cpus)],
    ['rewrite: bytes written a turn', ...sizes.map((count) => count.toFixed(0)), ratio(sizes)],
  ];
}

function memoryStore() {
  const inner = new InMemorySession();
  return counted(inner, { another: () => passOn(inner), journalBytes: bytesRead(inner) });
}

function fileStore() {
  const place = mkdtempSync(join(folder, 'sessions-'));
  return counted(new JsonSession(place), { another: () => new JsonSession(place), journalBytes: () => journalFiles(place) });
}

/** Snapshots are weighed between the turns that are measured. */
function counted(inner, rest) {
  const waiting = [];
  let bytes = 0;
  const store = passOn(inner, {
    saveSnapshot: (key, seq, state) => {
      waiting.push(state);
      return inner.saveSnapshot(key, seq, state);
    },
  });
  return {
    ...rest,
    store,
    snapshotBytes: () => {
      for (const state of waiting.splice(0)) bytes += JSON.stringify(state).length;
      return bytes;
    },
  };
}

/** Another object over the same data: what another process has of a store. */
function passOn(inner, changes = {}) {
  return new Proxy(inner, {
    get(target, name) {
      const value = changes[name] ?? Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function bytesRead(inner) {
  let bytes = 0;
  let next = 1;
  return async () => {
    for await (const entry of inner.read({ sessionId: 's' }, { fromSeq: next })) {
      if (entry.seq < next) continue;
      bytes += JSON.stringify(entry).length + 1;
      next = (entry.to ?? entry.seq) + 1;
    }
    return bytes;
  };
}

function journalFiles(place) {
  const path = join(place, 'nobody', 's-s');
  return readdirSync(path)
    .filter((name) => name.endsWith('.jsonl'))
    .reduce((sum, name) => sum + statSync(join(path, name)).size, 0);
}

function plain(role, text) {
  return { id: crypto.randomUUID(), role, name: null, content: [{ type: 'text', text }], metadata: {}, timestamp: '2026-01-01 00:00:00.000', usage: null };
}

function question(turn) {
  return `Question ${turn}: ${'and what about that one, '.repeat(5)}`.slice(0, 120);
}

function ratio(values) {
  return `${(values.at(-1) / values[0]).toFixed(2)}×`;
}
