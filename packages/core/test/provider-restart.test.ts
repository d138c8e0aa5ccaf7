// What a provider wants back survives the end of the process: signatures and encrypted reasoning go through events, journal and file.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ReActAgent } from '../src/agent/react-agent.ts';
import type { ChatModel } from '../src/model/index.ts';
import { GeminiChatModel } from '../src/provider/gemini/index.ts';
import { OpenAIResponsesModel } from '../src/provider/openai/index.ts';
import { JsonSession } from '../src/store/file/index.ts';
import { validateGeminiRequest, validateOpenAIResponsesRequest } from '../src/testing/index.ts';
import { defineTool } from '../src/tool/index.ts';
import { playBytes, playServer, sse } from './play-server.ts';

const look = defineTool({ name: 'look', description: 'Looks', readOnly: true, input: { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] }, execute: ({ at }) => `seen ${at}` });

/** Two turns, the second one in an agent and a store of its own over the same folder; the bodies that were sent. */
async function talk(answers: readonly string[], make: (baseUrl: string) => ChatModel): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'agentscope-restart-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const server = await playServer((request, response, number) => playBytes([answers[number - 1] ?? ''])(request, response, number));
  for (const question of ['Look.', 'And now?']) {
    const agent = new ReActAgent({ name: 'Friday', model: make(server.baseUrl), toolkit: [look], session: new JsonSession(folder) });
    await agent.call(question, { sessionId: 's' });
  }
  return server.requests.map(({ body }) => body);
}

test('C038 thought signatures go back on their parts in the loop, and after a restart', async () => {
  const call = (at: string, signature?: string): object => ({ functionCall: { name: 'look', args: { at } }, ...(signature === undefined ? {} : { thoughtSignature: signature }) });
  const answer = (...frames: readonly (readonly object[])[]): string => sse(...frames.map((parts) => ({ responseId: 'r', candidates: [{ content: { role: 'model', parts } }] })), { candidates: [{ finishReason: 'STOP' }] });
  const bodies = await talk(
    [answer([{ text: 'hm', thought: true }], [call('a', 's1aa')], [call('b')]), answer([{ text: 'Two ' }], [{ text: 'things.' }], [{ text: '', thoughtSignature: 's2aa' }]), answer([{ text: 'Bye.' }])],
    (baseUrl) => new GeminiChatModel({ modelName: 'gemini-3-pro', apiKey: 'k', baseUrl }),
  );
  for (const body of bodies) expect(validateGeminiRequest(JSON.parse(body))).toEqual([]);
  const turns = [
    { role: 'user', parts: [{ text: 'Look.' }] },
    { role: 'model', parts: [call('a', 's1aa'), call('b')] },
    { role: 'user', parts: ['a', 'b'].map((at) => ({ functionResponse: { name: 'look', response: { output: `seen ${at}` } } })) },
  ];
  const contents = bodies.map((body) => (JSON.parse(body) as { contents: unknown }).contents);
  expect(contents.slice(1)).toEqual([turns, [...turns, { role: 'model', parts: [{ text: 'Two things.', thoughtSignature: 's2aa' }] }, { role: 'user', parts: [{ text: 'And now?' }] }]]);
  expect(bodies[2]?.startsWith((bodies[1] ?? '').slice(0, -2))).toBe(true); // I11, across the restart too
});

test('encrypted reasoning goes back in its place in the loop, and after a restart', async () => {
  const reasoning = (id: string): object => ({ type: 'reasoning', id, summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: `enc of ${id}` });
  const call = (at: string): object => ({ type: 'function_call', id: `fc_${at}`, call_id: at, name: 'look', arguments: JSON.stringify({ at }) });
  const message = (text: string): object => ({ type: 'message', id: 'msg', role: 'assistant', content: [{ type: 'output_text', text }] });
  const answer = (...output: readonly object[]): string => sse({ type: 'response.completed', response: { id: 'r', status: 'completed', output } });
  const bodies = await talk(
    [answer(reasoning('rs_1'), call('a'), call('b')), answer(reasoning('rs_2'), message('Two things.')), answer(message('Bye.'))],
    (baseUrl) => new OpenAIResponsesModel({ modelName: 'gpt-5.5', apiKey: 'k', baseUrl }),
  );
  for (const body of bodies) expect(validateOpenAIResponsesRequest(JSON.parse(body))).toEqual([]);
  const sent = (at: string): object => ({ type: 'function_call', call_id: at, name: 'look', arguments: JSON.stringify({ at }) });
  const items = [{ role: 'user', content: 'Look.' }, reasoning('rs_1'), sent('a'), sent('b'), ...['a', 'b'].map((at) => ({ type: 'function_call_output', call_id: at, output: `seen ${at}` }))];
  const inputs = bodies.map((body) => (JSON.parse(body) as { input: unknown }).input);
  expect(inputs.slice(1)).toEqual([items, [...items, reasoning('rs_2'), { role: 'assistant', content: [{ type: 'output_text', text: 'Two things.' }] }, { role: 'user', content: 'And now?' }]]);
  expect(bodies[2]?.startsWith((bodies[1] ?? '').slice(0, -2))).toBe(true);
});
