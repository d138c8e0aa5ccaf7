import { afterEach, expect, test, vi } from 'vitest';
import { playBytes, playServer } from '../../../test/play-server.ts';
import { AgentScopeError } from '../../error/index.ts';
import { Msg } from '../../message/index.ts';
import type { ModelRequest } from '../../model/index.ts';
import { AnthropicChatFormatter } from './formatter.ts';
import { AnthropicChatModel } from './model.ts';

const KEY = 'sk-ant-0123456789abcdef';
const request: ModelRequest = { messages: [new Msg({ content: 'hi' })] };
const whole = JSON.stringify({ id: 'm1', content: [{ type: 'text', text: 'Hello' }], stop_reason: 'end_turn', usage: { input_tokens: 1, output_tokens: 1 } });
const answer = playBytes([whole], { type: 'application/json' });

afterEach(() => void vi.unstubAllEnvs());

test('S4-048 the request goes to the Messages API with its version and key', async () => {
  const server = await playServer(answer);
  const model = new AnthropicChatModel({ modelName: 'claude-x', apiKey: KEY, baseUrl: server.baseUrl, betas: ['a', 'b'], headers: { 'x-mine': '1' }, defaultOptions: { temperature: 0 } });
  await model.call({ ...request, options: { maxTokens: 5, additionalHeaders: { 'x-more': '2' }, additionalQueryParams: { beta: 'true' } } });
  const [sent] = server.requests;
  expect(sent?.url).toBe('/v1/messages?beta=true');
  expect(sent?.headers).toMatchObject({ 'x-api-key': KEY, 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a,b', 'content-type': 'application/json', 'x-mine': '1', 'x-more': '2' });
  expect(JSON.parse(sent?.body ?? '')).toEqual({ model: 'claude-x', max_tokens: 5, stream: true, temperature: 0, messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] });
});

test('the address may be said with or without its version, and come from the environment', async () => {
  const server = await playServer(answer);
  const bare = server.baseUrl.replace('/v1', '');
  for (const baseUrl of [bare, `${bare}/`, `${bare}/v1`, `${bare}/v1/`, `${bare}/v1/messages`, `${bare}/anthropic`, `${bare}/anthropic/v1`]) await new AnthropicChatModel({ modelName: 'm', apiKey: KEY, baseUrl }).call(request);
  expect(server.requests.map(({ url }) => url)).toEqual([...Array.from({ length: 5 }, () => '/v1/messages'), '/anthropic/v1/messages', '/anthropic/v1/messages']);
  vi.stubEnv('ANTHROPIC_BASE_URL', bare);
  await new AnthropicChatModel({ modelName: 'm', apiKey: KEY }).call(request);
  expect(server.requests).toHaveLength(8);
});

test('the key comes from the environment, or a token does; without either the error names the variable', async () => {
  const server = await playServer(answer);
  const model = new AnthropicChatModel({ modelName: 'm', baseUrl: server.baseUrl });
  vi.stubEnv('ANTHROPIC_API_KEY', '');
  vi.stubEnv('ANTHROPIC_AUTH_TOKEN', '');
  const error = await model.call(request).catch((thrown: unknown) => thrown);
  expect(AgentScopeError.is(error, 'model/auth') && error.message).toContain('ANTHROPIC_API_KEY');
  vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'token-1');
  await model.call(request);
  vi.stubEnv('ANTHROPIC_API_KEY', 'key-1');
  await model.call(request);
  expect(server.requests.map(({ headers }) => [headers['x-api-key'], headers.authorization])).toEqual([[undefined, 'Bearer token-1'], ['key-1', undefined]]);
});

test('S4-050 the formatter is the model\'s own unless one is given', async () => {
  const server = await playServer(answer);
  const own = new AnthropicChatFormatter();
  const formatter = { format: (...args: Parameters<typeof own.format>) => ({ ...own.format(...args), system: [{ type: 'text', text: 'mine' }] }) };
  await new AnthropicChatModel({ modelName: 'm', apiKey: KEY, baseUrl: server.baseUrl, formatter }).call(request);
  expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({ system: [{ text: 'mine' }] });
});

test('C137 a spent balance is no rate limit, an overload is', async () => {
  const failing = async (status: number, type: string, message: string): Promise<unknown> => {
    const server = await playServer(playBytes([JSON.stringify({ type: 'error', error: { type, message }, request_id: 'r' })], { status, type: 'application/json' }));
    const error = await new AnthropicChatModel({ modelName: 'm', apiKey: KEY, baseUrl: server.baseUrl, maxRetries: 0 }).call(request).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ details: { provider: 'anthropic', status, providerCode: type, requestId: 'r' } });
    return AgentScopeError.is(error) && [error.code, (error.details as { retryable: boolean }).retryable];
  };
  expect(await failing(429, 'rate_limit_error', 'You have reached your specified API usage limits.')).toEqual(['model/quota', false]);
  expect(await failing(400, 'invalid_request_error', 'Your credit balance is too low to access the API.')).toEqual(['model/quota', false]);
  expect(await failing(429, 'rate_limit_error', 'Number of request tokens has exceeded your rate limit')).toEqual(['model/rate-limit', true]);
  expect(await failing(529, 'overloaded_error', 'Overloaded')).toEqual(['model/overloaded', true]);
  expect(await failing(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum')).toEqual(['model/context-overflow', false]);
});

test('texts at an address are downloaded, pictures are not, and what may not be fetched fails the call', async () => {
  const files = await playServer((_request, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('from the file'));
  const server = await playServer(answer);
  const asked: ModelRequest = { messages: [new Msg({ content: [{ type: 'data', source: { type: 'url', url: `${files.baseUrl}/a.txt`, mediaType: 'text/plain' } }, { type: 'data', source: { type: 'url', url: 'https://x.example/a.png' } }] })] };
  const model = (allowPrivate: boolean): AnthropicChatModel => new AnthropicChatModel({ modelName: 'm', apiKey: KEY, baseUrl: server.baseUrl, media: { allowPrivate } });
  await expect(model(false).call(asked)).rejects.toMatchObject({ code: 'media/blocked' });
  await model(true).call(asked);
  expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({ messages: [{ content: [{ type: 'document', source: { data: 'from the file' } }, { type: 'image', source: { url: 'https://x.example/a.png' } }] }] });
});

test('C079 the whole of an answer may have a limit, whatever comes', async () => {
  const server = await playServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const beat = setInterval(() => response.write(': alive\n\n'), 10);
    response.once('close', () => clearInterval(beat));
  });
  const model = new AnthropicChatModel({ modelName: 'm', apiKey: KEY, baseUrl: server.baseUrl, totalTimeoutMs: 150, maxRetries: 0 });
  await expect(model.call(request)).rejects.toMatchObject({ code: 'model/timeout', message: expect.stringContaining('did not finish its answer within 150 ms') as string });
  await vi.waitFor(() => expect(server.open()).toBe(0));
});
