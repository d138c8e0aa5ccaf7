// How many events a second does the fold take, and does that depend on how long the reply is, how it is divided, and how often one looks?
//
//   node bench/fold.mjs [--quick]
import { createFold } from '@agentscope/core';
import { table } from './lib/table.mjs';

const quick = process.argv.includes('--quick');
const sizes = quick ? [1e3, 1e5] : [1e3, 1e5, 1e6];
const shapes = { 'one block': (size) => blocks(size, 1), '1,000 blocks': (size) => blocks(size, 1000), '100 parallel calls': (size) => calls(size, 100) };

const looks = { 'the message at the end': Infinity, 'the message every 100 events': 100, 'a snapshot every 10,000 events': -10_000 };

for (const [how, every] of Object.entries(looks)) {
  const rows = Object.entries(shapes).map(([name, shape]) => {
    const speeds = sizes.map((size) => eventsPerSecond(shape(size), every));
    return [name, ...speeds.map((speed) => `${(speed / 1e6).toFixed(2)} M/s`), `${(speeds[0] / speeds.at(-1)).toFixed(2)}×`];
  });
  console.log(`Events folded a second, and ${how}. The last column: cost of an event in the longest reply ÷ in the shortest.`);
  console.log(table(['deltas', ...sizes.map((size) => size.toLocaleString('en')), 'cost'], rows));
}

/**
 * The fastest of at least five samples in half a second, each of at least ten milliseconds: on a shared machine the others say what
 * the neighbours do. `every` events the message is looked at; a negative number stands for snapshots.
 */
function eventsPerSecond(events, every) {
  let best = 0;
  const end = performance.now() + (quick ? 150 : 500);
  for (let samples = 0; samples < 5 || performance.now() < end; samples++) {
    const start = performance.now();
    let folds = 0;
    do foldOnce(events, every);
    while (++folds * events.length < 1e5 || performance.now() - start < 10);
    best = Math.max(best, (folds * events.length * 1000) / (performance.now() - start));
  }
  return best;
}

function foldOnce(events, every) {
  const fold = createFold();
  let left = Math.abs(every);
  for (const event of events) {
    fold.apply(event);
    if (--left > 0) continue;
    left = Math.abs(every);
    if (every > 0) fold.message();
    else fold.snapshot();
  }
  if (fold.message() === undefined) throw new Error('the fold made no message');
}

function blocks(size, count) {
  const reply = replyOf();
  for (let block = 0; block < count; block++) {
    const blockId = `b${block}`;
    reply.say('TEXT_BLOCK_START', { blockId });
    for (let at = 0; at < size / count; at++) reply.say('TEXT_BLOCK_DELTA', { blockId, delta: 'four' });
    reply.say('TEXT_BLOCK_END', { blockId });
  }
  return reply.end();
}

/** Deltas of all calls in turn: the worst order for a fold that looks at the newest block only. */
function calls(size, count) {
  const reply = replyOf();
  const names = Array.from({ length: count }, (_, at) => ({ toolCallId: `c${at}`, toolCallName: 'add' }));
  const pieces = size / count;
  for (const call of names) reply.say('TOOL_CALL_START', call);
  for (let at = 0; at < pieces; at++) for (const call of names) reply.say('TOOL_CALL_DELTA', { ...call, delta: at === 0 ? '{"a":"' : at === pieces - 1 ? '"}' : 'four' });
  for (const call of names) reply.say('TOOL_CALL_END', call);
  return reply.end();
}

function replyOf() {
  const events = [];
  const createdAt = '2026-01-01T00:00:00.000Z';
  const say = (type, fields) => events.push({ type, id: `r:1:${events.length}`, createdAt, replyId: 'r', ...fields });
  say('AGENT_START', { sessionId: 's', name: 'bench', role: 'ASSISTANT' });
  say('MODEL_CALL_START', { metadata: { call: 1, purpose: 'reason' } });
  const end = () => {
    say('MODEL_CALL_END', { metadata: { finishReason: 'stop' } });
    say('AGENT_END', {});
    return events;
  };
  return { say, end };
}
