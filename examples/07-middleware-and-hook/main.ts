// A token meter that stops the reply, addresses taken out of what the model reads and says, and a v1 hook that prints and stops.
import assert from 'node:assert/strict';
import { defineTool, mapText, ReActAgent, stateKey } from '@agentscope/core';
import type { Hook, Middleware } from '@agentscope/core';
import { scriptedModel } from '@agentscope/core/testing';

const spentTokens = stateKey('acme.spent-tokens', 0);

const meter = (limit: number): Middleware => ({
  name: 'meter',
  onAgentEvent(event, { state, requestStop }) {
    if (event.type !== 'MODEL_CALL_END' || !event.usage) return;
    const spent = state.get(spentTokens) + event.usage.inputTokens + event.usage.outputTokens;
    state.set(spentTokens, spent); // journaled: the count survives a restart
    if (spent > limit) requestStop(`over ${limit} tokens`);
  },
});

const ADDRESS = /[\w.+-]+@[\w-]+\.\w+/g;
const redact = (text: string): string => text.replace(ADDRESS, '[address]');

const redactor: Middleware = {
  name: 'redactor',
  order: 10,
  async *onModelCall(input, next) {
    const messages = input.messages.map((msg) => msg.with({ content: msg.content.map((block) => (block.type === 'text' ? { ...block, text: redact(block.text) } : block)) }));
    yield* mapText(next({ ...input, messages }), redact, { lookbehind: 80 });
  },
};

let printed = '';
const printer: Hook = {
  priority: 50,
  onEvent(event) {
    if (event.type === 'REASONING_CHUNK') printed += event.incrementalChunk.getTextContent();
    if (event.type === 'PRE_REASONING') event.generateOptions = { ...event.generateOptions, temperature: 0 };
    if (event.type === 'POST_ACTING' && event.toolResult.state === 'error') event.stopAgent();
  },
};

const lookUp = defineTool({ name: 'look_up', description: 'Looks a person up.', readOnly: true, execute: () => { throw new Error('The directory is closed.'); } });
const model = scriptedModel(
  [{ text: ['I write to an', 'n@exam', 'ple.org.'] }, { usage: { inputTokens: 20, outputTokens: 10 } }],
  [{ tool: 'look_up' }, { usage: { inputTokens: 30, outputTokens: 5 } }],
  [{ text: 'Nobody answers.' }, { usage: { inputTokens: 40, outputTokens: 5 } }],
);
const agent = new ReActAgent({ name: 'Ada', model, toolkit: [lookUp], middleware: [meter(100), redactor], hooks: [printer] });
for (const line of agent.describeMiddleware()) console.log(line);

const first = await agent.call('Write to bob@example.org, please.');
console.log(first.getTextContent());
assert.equal(printed, 'I write to [address].', 'the hook stands outside: it sees what everybody sees');
assert.equal(model.requests[0]?.messages.at(-1)?.getTextContent(), 'Write to [address], please.');
assert.equal(model.requests[0]?.options?.temperature, 0);
assert.equal((await agent.session().messages())[0]?.getTextContent(), 'Write to bob@example.org, please.', 'the conversation keeps what was said');

const stopped = await agent.call('Who is Bob?');
console.log(stopped.generateReason, stopped.getToolCalls()[0]?.result?.state);
assert.equal(stopped.generateReason, 'ACTING_STOP_REQUESTED');

const over = await agent.call(); // goes on; the third model call brings the meter over its limit
console.log(over.generateReason, over.getTextContent());
assert.equal(over.generateReason, 'MIDDLEWARE_STOP_REQUESTED');
