import { expect, test, vi } from 'vitest';
import { playBytes, playServer, sse } from '../../../test/play-server.ts';
import { AgentScopeError } from '../../error/index.ts';
import { Msg } from '../../message/index.ts';
import type { ChatResponse, ModelRequest } from '../../model/index.ts';
import { GeminiChatFormatter } from './formatter.ts';
import { GeminiChatModel } from './model.ts';
import type { GeminiChatModelOptions } from './model.ts';

const KEY = 'AIzaTest-0123456789abcdef';
const request: ModelRequest = { messages: [new Msg({ content: 'hi' })] };
const answer = { responseId: 'r', candidates: [{ content: { parts: [{ text: 'Hello' }] }, finishReason: 'STOP' }] };
const model = (baseUrl: string, options: Partial<GeminiChatModelOptions> = {}): GeminiChatModel => new GeminiChatModel({ modelName: 'gemini-3-pro', apiKey: KEY, maxRetries: 0, baseUrl, ...options });
const textOf = (response: ChatResponse): string => response.content.map((block) => (block.type === 'text' ? block.text : '')).join('');

async function failure(run: () => Promise<unknown>): Promise<AgentScopeError> {
  const error: unknown = await run().then(() => 'nothing was thrown', (thrown: unknown) => thrown);
  if (AgentScopeError.is(error)) return error;
  throw error;
}

test('S4-044 S4-048 a streamed and a whole answer over HTTP, with the request the API wants', async () => {
  const server = await playServer(playBytes([sse(answer)]));
  expect(textOf(await model(server.baseUrl, { headers: { 'x-mine': '1' }, defaultOptions: { temperature: 0, additionalQueryParams: { trace: 'a b' } } }).call({ ...request, options: { maxTokens: 5, additionalHeaders: { 'x-more': '2' } } }))).toBe('Hello');
  const [sent] = server.requests;
  expect(sent?.url).toBe('/v1/models/gemini-3-pro:streamGenerateContent?alt=sse&trace=a+b');
  expect(sent?.headers).toMatchObject({ 'x-goog-api-key': KEY, 'content-type': 'application/json', 'x-mine': '1', 'x-more': '2' });
  expect(JSON.parse(sent?.body ?? '')).toEqual({ generationConfig: { temperature: 0, maxOutputTokens: 5 }, contents: [{ role: 'user', parts: [{ text: 'hi' }] }] });

  const plain = await playServer(playBytes([JSON.stringify(answer)], { type: 'application/json', headers: { 'x-request-id': 'q' } }));
  expect(await model(plain.baseUrl, { stream: false }).call(request)).toEqual({ id: 'r', content: [{ type: 'text', text: 'Hello' }], finishReason: 'stop', metadata: { providerFinishReason: 'STOP', requestId: 'q' } });
  expect(plain.requests[0]?.url).toBe('/v1/models/gemini-3-pro:generateContent');
});

test('S4-050 the formatter is the model\'s own unless one is given', async () => {
  const server = await playServer(playBytes([sse(answer)]));
  const own = new GeminiChatFormatter();
  await model(server.baseUrl, { formatter: { format: (messages, options) => ({ ...own.format(messages, options), contents: [{ role: 'user', parts: [{ text: 'changed' }] }] }) } }).call(request);
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ contents: [{ role: 'user', parts: [{ text: 'changed' }] }] });
});

test('the address: with its path, a name with a path of its own, Vertex; a bare host gets /v1beta; from the variable', async () => {
  const server = await playServer(playBytes([sse(answer)]));
  const { origin } = new URL(server.baseUrl);
  await model(origin).call(request);
  await model(`${origin}/`, { modelName: 'tunedModels/mine' }).call(request);
  await model(`${origin}/v1/projects/p/locations/l/publishers/google`, { apiKey: '', headers: { authorization: 'Bearer t' } }).call(request);
  vi.stubEnv('GOOGLE_GEMINI_BASE_URL', `${origin}/env/v1beta/`);
  await new GeminiChatModel({ modelName: 'models/gemini-3-pro', apiKey: KEY }).call(request);
  vi.unstubAllEnvs();
  expect(server.requests.map(({ url }) => url.replace(':streamGenerateContent?alt=sse', ''))).toEqual(['/v1beta/models/gemini-3-pro', '/v1beta/tunedModels/mine', '/v1/projects/p/locations/l/publishers/google/models/gemini-3-pro', '/env/v1beta/models/gemini-3-pro']);
  expect(server.requests[2]?.headers).toMatchObject({ authorization: 'Bearer t' });
  expect(server.requests[2]?.headers).not.toHaveProperty('x-goog-api-key');
  expect((await failure(() => model('nonsense').call(request))).code).toBe('config/invalid');
});

test('the key: the first of its variables that is set, read at the call; a missing or refused one names it', async () => {
  const server = await playServer(playBytes([sse(answer)]));
  const refusing = await playServer(playBytes([JSON.stringify({ error: { code: 400, message: `API key not valid: ${KEY}`, status: 'INVALID_ARGUMENT', details: [{ reason: 'API_KEY_INVALID' }] } })], { status: 400 }));
  for (const name of ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY']) vi.stubEnv(name, '');
  try {
    const late = new GeminiChatModel({ modelName: 'm', baseUrl: server.baseUrl });
    expect(await failure(() => late.call(request))).toMatchObject({ code: 'model/auth', details: { variable: 'GEMINI_API_KEY' } });
    vi.stubEnv('GOOGLE_API_KEY', `${KEY}\n`);
    await late.call(request);
    expect(server.requests[0]?.headers['x-goog-api-key']).toBe(KEY);
    const wrong = await failure(() => new GeminiChatModel({ modelName: 'm', baseUrl: refusing.baseUrl }).call(request));
    expect(wrong).toMatchObject({ code: 'model/auth', details: { variable: 'GOOGLE_API_KEY', status: 400, providerCode: 'API_KEY_INVALID', retryable: false } });
    const given = await failure(() => model(refusing.baseUrl).call(request));
    expect([given.code, 'variable' in given.details, JSON.stringify([given.message, wrong.message]).includes(KEY)]).toEqual(['model/auth', false, false]);
  } finally {
    vi.unstubAllEnvs();
  }
});

test('C136 C137 each refusal is a typed error; only those that may pass are retryable', async () => {
  const error = (code: number, status: string, details: readonly object[] = [], message = 'x'): string => JSON.stringify({ error: { code, message, status, details } });
  const quota = (quotaId: string): object => ({ '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId }] });
  const wait = (retryDelay: string): object => ({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay });
  const rows: readonly (readonly [number, string, string, boolean, number?])[] = [
    [429, error(429, 'RESOURCE_EXHAUSTED', [quota('GenerateRequestsPerMinutePerProject'), wait('34.4s')]), 'model/rate-limit', true, 34_400],
    [429, error(429, 'RESOURCE_EXHAUSTED', [wait('2s')]), 'model/rate-limit', true, 2_000],
    [429, error(429, 'RESOURCE_EXHAUSTED', [quota('GenerateRequestsPerDayPerProjectPerModel-FreeTier'), wait('20s')]), 'model/quota', false, 20_000],
    [429, `[${error(429, 'RESOURCE_EXHAUSTED', [wait('odd')])}]`, 'model/rate-limit', true],
    [400, error(400, 'INVALID_ARGUMENT'), 'model/bad-request', false],
    [400, error(400, 'INVALID_ARGUMENT', [], 'The input token count exceeds the maximum context length'), 'model/context-overflow', false],
    [403, error(403, 'PERMISSION_DENIED'), 'model/auth', false],
    [404, error(404, 'NOT_FOUND'), 'model/bad-request', false],
    [500, error(500, 'INTERNAL'), 'model/overloaded', true],
    [503, error(503, 'UNAVAILABLE'), 'model/overloaded', true],
    [504, error(504, 'DEADLINE_EXCEEDED'), 'model/overloaded', true],
    [502, '<html>bad gateway</html>', 'model/overloaded', true],
  ];
  for (const [status, body, code, retryable, retryAfterMs] of rows) {
    const server = await playServer(playBytes([body], { status, type: 'application/json' }));
    const thrown = await failure(() => model(server.baseUrl).call(request));
    const details = thrown.details as { status?: number; retryable?: boolean; retryAfterMs?: number };
    expect({ body, code: thrown.code, status: details.status, retryable: details.retryable, wait: details.retryAfterMs }).toEqual({ body, code, status, retryable, wait: retryAfterMs });
  }
});

test('C134 a tool call the provider could not read is asked for again before anything was said', async () => {
  const server = await playServer((incoming, response, number) => playBytes([sse(number === 1 ? { candidates: [{ content: {}, finishReason: 'MALFORMED_FUNCTION_CALL' }] } : answer)])(incoming, response, number));
  expect(textOf(await model(server.baseUrl, { maxRetries: 1 }).call(request))).toBe('Hello');
  expect(server.requests).toHaveLength(2);
});

test('media at an address is sent as bytes, except where Gemini reads it by itself', async () => {
  const server = await playServer(playBytes([sse(answer)]));
  const url = (address: string, mediaType: string) => ({ type: 'data', source: { type: 'url', url: address, mediaType } }) as const;
  const loaded: string[] = [];
  const media = { load: async (address: URL) => (loaded.push(address.href), { bytes: new Uint8Array([1, 2, 3]), mediaType: 'image/png' }) };
  await model(server.baseUrl, { media }).call({ messages: [new Msg({ content: [url('https://pictures.example/a.png', 'image/png'), url('https://www.youtube.com/watch?v=x', 'video/mp4'), url('https://files.example/a.zip', 'application/zip')] })] });
  const [content] = (JSON.parse(server.requests[0]?.body ?? '') as { contents: readonly { parts: readonly object[] }[] }).contents;
  expect([loaded, content?.parts]).toEqual([['https://pictures.example/a.png'], [{ inlineData: { mimeType: 'image/png', data: 'AQID' } }, { fileData: { mimeType: 'video/mp4', fileUri: 'https://www.youtube.com/watch?v=x' } }, { fileData: { mimeType: 'application/zip', fileUri: 'https://files.example/a.zip' } }]]);
});

test('C026 names come back as they were', async () => {
  const server = await playServer(playBytes([sse({ candidates: [{ content: { parts: [{ functionCall: { name: '_1_b' } }] }, finishReason: 'STOP' }] })]));
  const { content } = await model(server.baseUrl).call({ ...request, tools: [{ name: '1.b', description: '', inputSchema: {} }] });
  expect(content).toMatchObject([{ name: '1.b', input: {} }]);
});
