// An agent on a local model: tools, structured output and a stored conversation, over HTTP.
import { expect, test } from 'vitest';
import { ReActAgent } from '../src/agent/react-agent.ts';
import { OllamaChatModel } from '../src/provider/ollama/index.ts';
import { validateOllamaRequest } from '../src/testing/index.ts';
import { defineTool } from '../src/tool/index.ts';
import { playBytes, playServer } from './play-server.ts';

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
const look = defineTool({ name: 'look', description: 'Looks', readOnly: true, input: { type: 'object', properties: { at: { type: 'string' } } }, execute: ({ at }) => `seen ${String(at)}` });
const say = (message: object): string => `${JSON.stringify({ message: { role: 'assistant', content: '', ...message }, done: false })}\n${JSON.stringify({ message: { content: '' }, done: true, done_reason: 'stop', prompt_eval_count: 3, eval_count: 2 })}\n`;
const call = (name: string, args: object): object => ({ function: { name, arguments: args } });

async function talk(answers: readonly string[], tools: readonly (typeof look)[]) {
  const server = await playServer((request, response, number) => playBytes([answers[number - 1] ?? say({ content: 'too much' })], { type: 'application/x-ndjson' })(request, response, number));
  const agent = new ReActAgent({ name: 'Friday', sysPrompt: 'Be brief.', model: new OllamaChatModel({ modelName: 'qwen3:8b', baseUrl: server.baseUrl, numCtx: 8_192 }), toolkit: [...tools] });
  return { agent, bodies: () => server.requests.map(({ body }) => body) };
}

test('S4-049 C021 I11 parallel calls of one tool, thinking, and a second turn: every request is taken, and begins with the one before', async () => {
  const { agent, bodies } = await talk([say({ thinking: 'hm', tool_calls: [call('look', { at: 'a' }), call('look', { at: 'b' })] }), say({ content: 'Two things.' }), say({ content: 'Bye.' })], [look]);
  const reply = await agent.call('Look around.');
  expect(reply.getToolCalls().map(({ result }) => result?.output)).toMatchObject([[{ text: 'seen a' }], [{ text: 'seen b' }]]);
  expect((await agent.call('Thanks.')).getTextContent()).toBe('Bye.');
  for (const body of bodies()) expect(validateOllamaRequest(JSON.parse(body))).toEqual([]);
  const [first = '', second = '', third = ''] = bodies();
  expect([second.startsWith(first.slice(0, -2)), third.startsWith(second.slice(0, -2)), third.includes('hm')]).toEqual([true, true, false]);
});

test('structured output is a format without tools, and a tool beside them', async () => {
  const alone = await talk([say({ content: '{"city":"Rome"}' })], []);
  expect((await alone.agent.call('Where?', { schema: SCHEMA })).getStructuredData()).toEqual({ city: 'Rome' });
  expect(JSON.parse(alone.bodies()[0] ?? '')).toMatchObject({ format: { type: 'object', required: ['city'] } });
  const beside = await talk([say({ tool_calls: [call('generate_response', { city: 'Rome' })] })], [look]);
  expect((await beside.agent.call('Where?', { schema: SCHEMA })).getStructuredData()).toEqual({ city: 'Rome' });
  const [body = ''] = beside.bodies();
  expect([validateOllamaRequest(JSON.parse(body)), body.includes('"format"'), body.includes('generate_response')]).toEqual([[], false, true]);
});
