// Structured output over HTTP: what each provider is asked, and what becomes of recorded answers.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ReActAgent } from '../src/agent/react-agent.ts';
import type { ReActAgentOptions } from '../src/agent/options.ts';
import { AgentScopeError } from '../src/error/index.ts';
import type { ChatModel } from '../src/model/index.ts';
import { AnthropicChatModel } from '../src/provider/anthropic/index.ts';
import { GeminiChatModel } from '../src/provider/gemini/index.ts';
import { OfflineChatModel } from '../src/provider/offline/index.ts';
import { OpenAIChatModel, OpenAIResponsesModel } from '../src/provider/openai/index.ts';
import { validateAnthropicRequest, validateGeminiRequest, validateOpenAIChatRequest, validateOpenAIResponsesRequest } from '../src/testing/index.ts';
import { defineTool } from '../src/tool/index.ts';
import { fixtureRoot, fixturesOf, linesOf } from './fixture-files.ts';
import { playServer, sse } from './play-server.ts';

const Trip = z.object({ city: z.string(), nights: z.int().optional(), note: z.string().nullable() });
const look = defineTool({ name: 'look', description: 'Looks.', input: { type: 'object', properties: { at: { type: 'string' } } }, readOnly: true, execute: () => 'Rome' });
const DATA = { city: 'Rome', note: null };

type Said = { readonly text: string } | { readonly tool: string; readonly input: object };
interface Provider {
  model(baseUrl: string, modelName?: string): ChatModel;
  stream(said: Said, n: number): string;
  readonly validate: (body: unknown) => readonly string[];
  /** What of a body says how the answer is wanted. */
  way(body: Body): unknown;
  /** The text of a body up to the end of its messages. */
  readonly list: string;
}
type Body = Readonly<Record<string, never>> & { readonly tools?: readonly { function?: { name: string }; name?: string }[] };

const chat = (delta: object, finish: string | null = null) => ({ id: 'x', choices: [{ index: 0, delta, finish_reason: finish }] });
const claude = (index: number, block: object, delta: object) => [{ type: 'content_block_start', index, content_block: block }, { type: 'content_block_delta', index, delta }, { type: 'content_block_stop', index }];

const PROVIDERS: Readonly<Record<string, Provider>> = {
  'OpenAI chat': {
    model: (baseUrl, modelName = 'gpt-5.5') => new OpenAIChatModel({ modelName, apiKey: 'k', baseUrl, profile: 'openai', maxRetries: 0 }),
    stream: (said, n) =>
      'text' in said
        ? sse(chat({ content: said.text }, 'stop'), '[DONE]')
        : sse(chat({ tool_calls: [{ index: 0, id: `c${n}`, function: { name: said.tool, arguments: JSON.stringify(said.input) } }] }, 'tool_calls'), '[DONE]'),
    validate: validateOpenAIChatRequest,
    way: (body) => body['response_format'],
    list: '"messages":[',
  },
  'OpenAI Responses': {
    model: (baseUrl, modelName = 'gpt-5.5') => new OpenAIResponsesModel({ modelName, apiKey: 'k', baseUrl, nativeStructuredOutput: true, maxRetries: 0 }),
    stream: (said, n) => {
      const item =
        'text' in said
          ? { type: 'message', id: `m${n}`, role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: said.text, annotations: [] }] }
          : { type: 'function_call', id: `f${n}`, call_id: `c${n}`, name: said.tool, arguments: JSON.stringify(said.input), status: 'completed' };
      const frames = [{ type: 'response.created', response: { id: `r${n}` } }, { type: 'response.output_item.added', output_index: 0, item }, { type: 'response.output_item.done', output_index: 0, item }, { type: 'response.completed', response: { id: `r${n}`, status: 'completed', output: [item], usage: { input_tokens: 1, output_tokens: 1 } } }];
      return frames.map((frame, i) => `event: ${frame.type}\ndata: ${JSON.stringify({ ...frame, sequence_number: i })}\n\n`).join('');
    },
    validate: validateOpenAIResponsesRequest,
    way: (body) => (body['text'] as { format?: unknown } | undefined)?.format,
    list: '"input":[',
  },
  Anthropic: {
    model: (baseUrl, modelName = 'claude-sonnet-5') => new AnthropicChatModel({ modelName, apiKey: 'k', baseUrl, maxRetries: 0 }),
    stream: (said, n) => {
      const start = { type: 'message_start', message: { id: `m${n}`, type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } } };
      const block = 'text' in said ? claude(0, { type: 'text', text: '' }, { type: 'text_delta', text: said.text }) : claude(0, { type: 'tool_use', id: `c${n}`, name: said.tool, input: {} }, { type: 'input_json_delta', partial_json: JSON.stringify(said.input) });
      const end = [{ type: 'message_delta', delta: { stop_reason: 'text' in said ? 'end_turn' : 'tool_use', stop_sequence: null }, usage: { output_tokens: 2 } }, { type: 'message_stop' }];
      return [start, ...block, ...end].map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`).join('');
    },
    validate: validateAnthropicRequest,
    way: (body) => (body['output_config'] as { format?: unknown } | undefined)?.format,
    list: '"messages":[',
  },
  Gemini: {
    model: (baseUrl, modelName = 'gemini-3-pro') => new GeminiChatModel({ modelName, apiKey: 'k', baseUrl, maxRetries: 0 }),
    stream: (said) => sse({ candidates: [{ content: { role: 'model', parts: ['text' in said ? { text: said.text } : { functionCall: { name: said.tool, args: said.input } }] }, finishReason: 'STOP' }] }),
    validate: (body) => validateGeminiRequest(body),
    way: (body) => (body['generationConfig'] as { responseMimeType?: unknown } | undefined)?.responseMimeType,
    list: '"contents":[',
  },
};

/** An agent against a server that says these things, and what it was asked. */
async function served(provider: Provider, said: readonly Said[], { modelName, ...options }: Partial<ReActAgentOptions> & { modelName?: string } = {}) {
  const server = await playServer((_request, response, number) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(provider.stream(said[number - 1] ?? { text: 'too much' }, number));
  });
  const agent = new ReActAgent({ name: 'F', model: provider.model(server.baseUrl, modelName), toolkit: [look], ...options });
  return { agent, bodies: () => server.requests.map(({ body }) => body) };
}

describe.for(Object.entries(PROVIDERS))('%s', ([, provider]) => {
  test('native, beside a tool: the format in every request, each a byte-equal beginning of the next one (I11), mended by the ladder', async () => {
    const { agent, bodies } = await served(provider, [{ tool: 'look', input: { at: 'x' } }, { tool: 'look', input: { at: 'y' } }, { text: '{"city":"Rome","nights":null,"note":null}' }]);
    const reply = await agent.call('Where to?', { schema: Trip });
    expect([reply.generateReason, reply.getStructuredData()]).toEqual(['STRUCTURED_OUTPUT', DATA]);
    for (const body of bodies()) {
      expect(provider.validate(JSON.parse(body))).toEqual([]);
      expect(provider.way(JSON.parse(body) as Body)).toBeDefined();
      expect(body).not.toContain('generate_response');
    }
    expectPrefixes(bodies(), provider);
  });

  test('by the tool: the same tools in every request, each a byte-equal beginning of the next one (I11), also after a wrong answer', async () => {
    const { agent, bodies } = await served(provider, [{ tool: 'look', input: { at: 'x' } }, { tool: 'generate_response', input: { city: 7, note: null } }, { tool: 'generate_response', input: { city: 'Rome', note: null } }], { structuredOutput: 'tool' });
    const reply = await agent.call('Where to?', { schema: Trip });
    expect([reply.generateReason, reply.getStructuredData()]).toEqual(['STRUCTURED_OUTPUT', DATA]);
    for (const body of bodies()) {
      expect(provider.validate(JSON.parse(body))).toEqual([]);
      expect([provider.way(JSON.parse(body) as Body), body.includes('"generate_response"')]).toEqual([undefined, true]);
    }
    expectPrefixes(bodies(), provider);
  });

  test('down the whole ladder every request is one that the API takes, and so is what a later call in words sends', async () => {
    const { agent, bodies } = await served(provider, [{ text: 'a' }, { text: 'b' }, { tool: 'generate_response', input: {} }, { text: '{"city":"Rome","note":null}' }, { text: 'Bye.' }], { toolkit: [] });
    expect((await agent.call('Where to?', { schema: Trip })).getStructuredData()).toEqual(DATA);
    expect((await agent.call('Thanks.')).getTextContent()).toBe('Bye.');
    expect(bodies()).toHaveLength(5);
    for (const body of bodies()) expect(provider.validate(JSON.parse(body))).toEqual([]);
  });
});

/** The text of a request, without the brackets that close its last list, begins the next one. */
function expectPrefixes(bodies: readonly string[], { list }: Provider): void {
  expect(bodies.every((body) => body.includes(list) && body.endsWith(']}'))).toBe(true);
  for (const [i, body] of bodies.entries()) expect(body.startsWith((bodies[i - 1] ?? '').slice(0, -2))).toBe(true);
}

test('C089 OpenAI: strict where the schema can be, and the nulls of what is optional are gone again', async () => {
  const [provider] = Object.values(PROVIDERS);
  if (!provider) throw new Error('no provider');
  const { agent, bodies } = await served(provider, [{ text: '{"city":"Rome","nights":null,"note":null}' }], { toolkit: [] });
  expect((await agent.call('Where to?', { schema: Trip })).getStructuredData()).toEqual(DATA);
  const format = (JSON.parse(bodies()[0] ?? '') as { response_format: { json_schema: { strict: boolean; schema: { required: string[]; additionalProperties: boolean; properties: Record<string, { type: unknown }> } } } }).response_format.json_schema;
  expect([format.strict, format.schema.required, format.schema.additionalProperties, format.schema.properties['nights']?.type]).toEqual([true, ['city', 'nights', 'note'], false, ['integer', 'null']]);
  const loose = await served(provider, [{ text: '{"sights":{"a":1}}' }], { toolkit: [] });
  await loose.agent.call('Where to?', { schema: z.object({ sights: z.record(z.string(), z.number()) }) });
  expect(loose.bodies()[0]).not.toContain('"strict":true');
});

test('a server that does not know the format: one 400, then the tool, for later calls too', async () => {
  const [provider] = Object.values(PROVIDERS);
  if (!provider) throw new Error('no provider');
  const server = await playServer((_request, response, number) => {
    response.writeHead(number === 1 ? 400 : 200, { 'content-type': number === 1 ? 'application/json' : 'text/event-stream' });
    response.end(number === 1 ? '{"error":{"message":"Invalid parameter: \'response_format\' of type \'json_schema\' is not supported with this model.","type":"invalid_request_error"}}' : provider.stream({ tool: 'generate_response', input: DATA }, number));
  });
  const agent = new ReActAgent({ name: 'F', model: provider.model(server.baseUrl) });
  for (const text of ['Where to?', 'And then?']) expect((await agent.call(text, { schema: Trip })).getStructuredData()).toEqual(DATA);
  expect(server.requests.map(({ body }) => body.includes('response_format'))).toEqual([true, false, false]);
});

test('who keeps to a schema: known by server and name, and the option says otherwise', () => {
  const openai = (modelName: string, more = {}) => new OpenAIChatModel({ modelName, ...more }).nativeStructuredOutput;
  expect(['gpt-5.5', 'gpt-4o', 'gpt-4.1', 'gpt-4', 'gpt-4-turbo', 'gpt-3.5-turbo', 'o1-mini'].map((name) => openai(name))).toEqual([true, true, true, false, false, false, false]);
  expect([openai('gpt-5.5', { baseUrl: 'http://localhost/v1' }), openai('q', { baseUrl: 'http://localhost/v1', nativeStructuredOutput: true })]).toEqual([false, true]);
  expect([new OpenAIResponsesModel({ modelName: 'gpt-5.5' }), new OpenAIResponsesModel({ modelName: 'x', baseUrl: 'http://localhost/v1' })].map((model) => model.nativeStructuredOutput)).toEqual([true, false]);
  const claudes = ['claude-sonnet-5', 'claude-opus-4-5-20251101', 'claude-haiku-4-5', 'claude-opus-4-1-20250805', 'claude-sonnet-4-20250514', 'claude-3-5-sonnet-latest', 'MiniMax-M2'];
  expect(claudes.map((modelName) => new AnthropicChatModel({ modelName }).nativeStructuredOutput)).toEqual([true, true, true, false, false, false, false]);
  const geminis = ['gemini-3-pro', 'gemini-flash-latest', 'gemini-2.5-pro', 'gemma-3-27b-it'];
  expect(geminis.map((modelName) => new GeminiChatModel({ modelName }).nativeStructuredOutput)).toEqual([true, true, 'without-tools', false]);
  expect(new AnthropicChatModel({ modelName: 'claude-sonnet-5', nativeStructuredOutput: false }).nativeStructuredOutput).toBe(false);
});

test('the offline model answers by a schema too, with tools and without', async () => {
  for (const toolkit of [[], [look]]) {
    const reply = await new ReActAgent({ name: 'F', model: new OfflineChatModel(), toolkit }).call('A trip to Rome for 3 nights', { schema: { type: 'object', properties: { city: { type: 'string' }, nights: { type: 'integer' } }, required: ['city', 'nights'] } });
    expect([reply.generateReason, Object.keys(reply.getStructuredData()).sort()]).toEqual(['STRUCTURED_OUTPUT', ['city', 'nights']]);
  }
});

describe('recorded answers', () => {
  const recorded = fixturesOf(['anthropic', 'openai-chat'], (name) => ['anthropic-json-tool.2.chunks.txt', 'anthropic-refusal.chunks.txt', 'made-refusal.sse'].includes(name));
  const asked = z.object({ elements: z.array(z.object({ location: z.string(), temperature: z.number(), condition: z.string() })) });
  const anthropicBody = (name: string): string => linesOf(join(fixtureRoot, 'anthropic', name)).map((line) => `event: ${(JSON.parse(line) as { type: string }).type}\ndata: ${line}\n\n`).join('');
  const play = async (provider: Provider | undefined, body: string) => {
    const server = await playServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(body);
    });
    return new ReActAgent({ name: 'F', model: provider?.model(server.baseUrl) as ChatModel, structuredOutput: 'auto' });
  };

  test('Claude calls the tool of the answer, words before it', async ({ skip }) => {
    if (recorded.length === 0) skip('no recorded answers at hand: set AGENTSCOPE_SHARED, or put shared/ beside the repository');
    const agent = (await play(PROVIDERS['Anthropic'], anthropicBody('anthropic-json-tool.2.chunks.txt').replace('"name":"json"', '"name":"generate_response"'))).with({ structuredOutput: 'tool' });
    const reply = await agent.call('The weather?', { schema: asked });
    expect([reply.generateReason, reply.getStructuredData(), reply.getTextContent()]).toEqual([
      'STRUCTURED_OUTPUT',
      { elements: [{ location: 'San Francisco', temperature: 58, condition: 'sunny' }] },
      "I'll invoke the JSON response tool.",
    ]);
  });

  test('Claude refuses, and so does an OpenAI model: typed, and not asked again', async ({ skip }) => {
    if (recorded.length === 0) skip('no recorded answers at hand: set AGENTSCOPE_SHARED, or put shared/ beside the repository');
    const refusals = [await play(PROVIDERS['Anthropic'], anthropicBody('anthropic-refusal.chunks.txt')), await play(PROVIDERS['OpenAI chat'], readFileSync(join(fixtureRoot, 'openai-chat', 'made-refusal.sse'), 'utf8'))];
    for (const agent of refusals) {
      const error: unknown = await agent.call('The weather?', { schema: asked }).then(() => undefined, (thrown: unknown) => thrown);
      expect([AgentScopeError.is(error, 'model/refused'), (await agent.session().messages()).length]).toEqual([true, 2]);
    }
  });
});
