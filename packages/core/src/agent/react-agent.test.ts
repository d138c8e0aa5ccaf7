import { expect, test } from 'vitest';
import { foldEvents } from '../event/index.ts';
import { collect, scriptedModel } from '../testing/index.ts';
import { defineTool } from '../tool/index.ts';
import { ReActAgent } from './react-agent.ts';

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  readOnly: true,
  execute: ({ a, b }) => a + b,
});

test('S4-008 S4-015 an answer without calls is one model call, and the reason is MODEL_STOP', async () => {
  const model = scriptedModel('Hello.');
  const agent = new ReActAgent({ name: 'Friday', model });
  const reply = await agent.call('Hi');
  expect(reply.getTextContent()).toBe('Hello.');
  expect(reply.generateReason).toBe('MODEL_STOP');
  expect(model.requests).toHaveLength(1);
});

test('S0-007 one message spans all rounds, each block knows its model call', async () => {
  const model = scriptedModel({ tool: 'add', input: { a: 1, b: 2 } }, { tool: 'add', input: { a: 3, b: 4 } }, 'Done.');
  const agent = new ReActAgent({ name: 'Friday', model, toolkit: [add] });
  const stream = agent.streamEvents('Add.');
  const events = await collect(stream);
  console.log(events.map((e) => `${e.id} ${e.type} ${JSON.stringify(e.metadata ?? {})}`).join('\n'));
  const reply = await stream.result;
  expect(reply.content.map((block) => block.type)).toEqual(['tool_use', 'tool_result', 'tool_use', 'tool_result', 'text']);
  expect(JSON.stringify(foldEvents(events))).toBe(JSON.stringify(reply));
});
