import { expect, test, vi } from 'vitest';
import { playBytes, playServer } from '../../../../test/play-server.ts';
import { AgentScopeError } from '../../../error/index.ts';
import { Msg } from '../../../message/index.ts';
import type { ChatResponse, ModelRequest } from '../../../model/index.ts';
import { OpenAIResponsesFormatter } from './formatter.ts';
import { OpenAIResponsesModel } from './model.ts';
import type { OpenAIResponsesModelOptions } from './model.ts';

const KEY = 'sk-test-0123456789abcdef';
const request: ModelRequest = { messages: [new Msg({ content: 'hi' })] };
const final = { id: 'r', model: 'gpt', status: 'completed', output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hello' }] }] };
const sse = (...events: readonly { type: string }[]): string => events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
const hello = sse({ type: 'response.completed', response: final } as { type: string });
const model = (baseUrl: string, options: Partial<OpenAIResponsesModelOptions> = {}): OpenAIResponsesModel => new OpenAIResponsesModel({ modelName: 'gpt-5.5', apiKey: KEY, maxRetries: 0, baseUrl, ...options });
const textOf = (response: ChatResponse): string => response.content.map((block) => (block.type === 'text' ? block.text : '')).join('');

async function failure(run: () => Promise<unknown>): Promise<AgentScopeError> {
  const error: unknown = await run().then(() => 'nothing was thrown', (thrown: unknown) => thrown);
  if (AgentScopeError.is(error)) return error;
  throw error;
}

test('S4-044 S4-048 a streamed and a whole answer over HTTP, with the request the API wants', async () => {
  const server = await playServer(playBytes([hello]));
  expect(textOf(await model(server.baseUrl, { headers: { 'x-mine': '1' }, defaultOptions: { reasoningEffort: 'low', additionalQueryParams: { v: '1' } }, reasoningSummary: 'auto' }).call({ ...request, options: { maxTokens: 50 } }))).toBe('Hello');
  const [sent] = server.requests;
  expect([sent?.url, sent?.headers]).toMatchObject(['/v1/responses?v=1', { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'x-mine': '1' }]);
  expect(JSON.parse(sent?.body ?? '')).toEqual({
    model: 'gpt-5.5', stream: true, store: false, include: ['reasoning.encrypted_content'], max_output_tokens: 50, reasoning: { effort: 'low', summary: 'auto' }, input: [{ role: 'user', content: 'hi' }],
  });
  const plain = await playServer(playBytes([JSON.stringify(final)], { type: 'application/json', headers: { 'x-request-id': 'q' } }));
  expect(await model(plain.baseUrl, { stream: false, store: true }).call(request)).toEqual({ id: 'r', content: [{ type: 'text', text: 'Hello' }], finishReason: 'stop', metadata: { providerFinishReason: 'completed', requestId: 'q', model: 'gpt' } });
  expect(JSON.parse(plain.requests[0]?.body ?? '')).toMatchObject({ stream: false, store: true });
});

test('S4-050 the formatter is the model\'s own unless one is given', async () => {
  const server = await playServer(playBytes([hello]));
  const own = new OpenAIResponsesFormatter();
  await model(server.baseUrl, { formatter: { format: (messages, options) => own.format(messages, options).map((item) => ({ ...item, content: 'changed' })) } }).call(request);
  expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({ input: [{ content: 'changed' }] });
});

test('reasoning that came with one answer goes back with the next request', async () => {
  const output = [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'enc' }, { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'get', arguments: '{}' }];
  const server = await playServer((incoming, response, number) => playBytes([number === 1 ? sse({ type: 'response.completed', response: { ...final, output } } as { type: string }) : hello])(incoming, response, number));
  const talking = model(server.baseUrl);
  const { content } = await talking.call(request);
  const reply = Msg.from({ id: 'm', role: 'ASSISTANT', name: null, metadata: {}, timestamp: null, usage: null, content: [...content, { type: 'tool_result', id: 'c1', name: 'get', output: [{ type: 'text', text: 'x' }], state: 'success', metadata: {} }] });
  await talking.call({ messages: [...request.messages, reply] });
  expect(JSON.parse(server.requests[1]?.body ?? '')).toMatchObject({
    input: [{ role: 'user' }, { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'enc' }, { type: 'function_call', call_id: 'c1', arguments: '{}' }, { type: 'function_call_output', call_id: 'c1', output: 'x' }],
  });
});

test('C012 the answer is complete with its closing event though the body stays open, and the socket is let go', async () => {
  const server = await playServer((_incoming, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(hello);
  });
  expect(textOf(await model(server.baseUrl).call(request))).toBe('Hello');
  await vi.waitFor(() => expect(server.open()).toBe(0));
});

test('C010 C136 an error in the first event, and a limit with a wait, are tried again; a spent quota is not', async () => {
  const error = (code: string): string => sse({ type: 'error', code, message: 'x', param: null } as { type: string });
  const server = await playServer((incoming, response, number) => {
    if (number === 1) return playBytes([error('server_error')])(incoming, response, number);
    if (number === 2) return playBytes(['{}'], { status: 429, headers: { 'retry-after-ms': '1' } })(incoming, response, number);
    return playBytes([hello])(incoming, response, number);
  });
  expect(textOf(await model(server.baseUrl, { maxRetries: 2 }).call(request))).toBe('Hello');
  const spent = await playServer(playBytes([error('insufficient_quota')]));
  expect(await failure(() => model(spent.baseUrl, { maxRetries: 2 }).call(request))).toMatchObject({ code: 'model/quota', details: { provider: 'openai', retryable: false } });
  expect([server.requests.length, spent.requests.length]).toEqual([3, 1]);
});

test('the address and the key from their variables; strict structured output at OpenAI only', async () => {
  const bodies: string[] = [];
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    bodies.push(init?.body as string);
    return new Response(hello, { headers: { 'content-type': 'text/event-stream' } });
  };
  const asked: ModelRequest = { ...request, responseFormat: { name: 'a', schema: { type: 'object', properties: { n: { type: 'integer' } } } } };
  await new OpenAIResponsesModel({ modelName: 'm', apiKey: KEY, baseUrl: 'https://api.openai.com/v1', fetch }).call(asked);
  await new OpenAIResponsesModel({ modelName: 'm', apiKey: KEY, baseUrl: 'https://other.example/v1', fetch }).call(asked);
  expect(bodies.map((body) => (JSON.parse(body) as { text: { format: { strict: boolean } } }).text.format.strict)).toEqual([true, false]);
  const server = await playServer(playBytes([hello]));
  vi.stubEnv('OPENAI_API_KEY', '');
  try {
    expect(await failure(() => new OpenAIResponsesModel({ modelName: 'm', baseUrl: server.baseUrl }).call(request))).toMatchObject({ code: 'model/auth', details: { variable: 'OPENAI_API_KEY' } });
    vi.stubEnv('OPENAI_API_KEY', KEY);
    vi.stubEnv('OPENAI_BASE_URL', new URL(server.baseUrl).origin);
    await new OpenAIResponsesModel({ modelName: 'm' }).call(request);
    expect([server.requests[0]?.url, server.requests[0]?.headers.authorization]).toEqual(['/v1/responses', `Bearer ${KEY}`]);
  } finally {
    vi.unstubAllEnvs();
  }
});
