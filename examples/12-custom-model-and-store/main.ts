// A model provider and a session store of one's own, each from its smallest part: under an agent like any other, then under the
// contracts that every model and every store of the library keeps.
import assert from 'node:assert/strict';
import { defineTool, ModelRegistry, ReActAgent } from '@agentscope/core';
import { modelContract, storeContract } from '@agentscope/core/testing';
import type { StoreTestRunner } from '@agentscope/core/testing';
import './parrot.ts';
import { shelfStore } from './shelf.ts';
import type { Shelf } from './shelf.ts';

const clock = defineTool({
  name: 'clock',
  description: 'Tells the time.',
  input: { type: 'object', properties: { zone: { type: 'string' } }, required: ['zone'] },
  readOnly: true,
  execute: ({ zone }) => `It is noon in ${zone}.`,
});

const shelf: Shelf = new Map();
const agent = new ReActAgent({ name: 'Polly', model: 'parrot:loud', toolkit: [clock], session: shelfStore(shelf) });
const session = agent.session({ sessionId: 'perch' });

for await (const piece of session.streamEvents('hello there').text()) process.stdout.write(`${piece}|`);
process.stdout.write('\n');
const reply = await session.call('what time is it?');
console.log(reply.getTextContent());
assert.equal(reply.getToolCalls()[0]?.result?.state, 'success');
assert.equal(reply.generateReason, 'MODEL_STOP');

// Another object over the same rows, as the next process has one: the conversation goes on.
const next = new ReActAgent({ name: 'Polly', model: 'parrot:calm', session: shelfStore(shelf) }).session({ sessionId: 'perch' });
console.log((await next.call('and again')).getTextContent());
const said = (await next.messages()).map((msg) => msg.getTextContent());
assert.deepEqual(said, ['hello there', 'HELLO THERE', 'what time is it?', 'IT IS NOON IN UTC.', 'and again', 'and again']);

// An abort reaches the model between two words, and what it had said is kept.
const stop = new AbortController();
await assert.rejects(
  async () => {
    for await (const _ of next.streamEvents('on and on '.repeat(1_000), { signal: stop.signal }).text()) stop.abort(new Error('enough'));
  },
  { message: 'enough' },
);
const cut = (await next.messages()).at(-1);
assert.equal(cut?.generateReason, 'INTERRUPTED');
assert.match(cut.getTextContent(), /^on /);

// A name it does not have is said before anything is asked.
await assert.rejects(new ReActAgent({ name: 'Polly', model: 'parrot:shy' }).call('hello'), { code: 'config/invalid' });

// In a test file: storeContract({ describe, test }, …), with the two words of your runner.
const withoutExtras = { lists: false, snapshots: false, prunes: false };
await holds((runner) => storeContract(runner, () => ({ store: shelfStore(new Map()) }), withoutExtras));
console.log('the store keeps the contract');
await holds((runner) => modelContract(runner, async () => ({ model: await ModelRegistry.resolve('parrot:calm') }), { played: false }));
console.log('the model keeps the contract');

/** Runs the tests of a contract one after the other. @throws what the first one that fails throws */
async function holds(register: (runner: StoreTestRunner) => void): Promise<void> {
  const tests: (() => Promise<void>)[] = [];
  register({ describe: (_, body) => body(), test: (_, body) => tests.push(body) });
  assert.ok(tests.length > 0);
  for (const test of tests) await test();
}
