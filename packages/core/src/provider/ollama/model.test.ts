import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { playBytes, playServer } from '../../../test/play-server.ts';
import { AgentScopeError } from '../../error/index.ts';
import { Msg } from '../../message/index.ts';
import type { ChatResponse, ModelRequest } from '../../model/index.ts';
import { ollamaUrl } from './address.ts';
import { OllamaChatModel } from './model.ts';
import type { OllamaChatModelOptions } from './model.ts';

const KEY = 'ollama-Test-0123456789';
const request: ModelRequest = { messages: [new Msg({ content: 'hi' })] };
const answer = `${JSON.stringify({ model: 'qwen3:8b', message: { role: 'assistant', content: 'Hello' }, done: false })}\n${JSON.stringify({ model: 'qwen3:8b', message: { content: '' }, done: true, done_reason: 'stop' })}\n`;
const answering = playBytes([answer], { type: 'application/x-ndjson' });
const model = (baseUrl: string, options: Partial<OllamaChatModelOptions> = {}): OllamaChatModel => new OllamaChatModel({ modelName: 'qwen3:8b', maxRetries: 0, baseUrl, ...options });
const textOf = (response: ChatResponse): string => response.content.map((block) => (block.type === 'text' ? block.text : '')).join('');

async function failure(run: () => Promise<unknown>): Promise<AgentScopeError> {
  const error: unknown = await run().then(() => 'nothing was thrown', (thrown: unknown) => thrown);
  if (AgentScopeError.is(error)) return error;
  throw error;
}

test('S4-044 S4-049 a streamed and a whole answer over HTTP, with the request the API wants, and no key', async () => {
  vi.stubEnv('OLLAMA_API_KEY', '');
  const server = await playServer(answering);
  const streamed = model(server.baseUrl, { numCtx: 8_192, keepAlive: '1h', headers: { 'x-mine': '1' }, defaultOptions: { temperature: 0, additionalQueryParams: { trace: 'a b' } } });
  expect(textOf(await streamed.call({ ...request, options: { maxTokens: 5, additionalHeaders: { 'x-more': '2' } } }))).toBe('Hello');
  const [sent] = server.requests;
  expect([sent?.url, streamed.contextWindow]).toEqual(['/api/chat?trace=a+b', 8_192]);
  expect(sent?.headers).toMatchObject({ 'content-type': 'application/json', 'x-mine': '1', 'x-more': '2' });
  expect(sent?.headers).not.toHaveProperty('authorization');
  expect(JSON.parse(sent?.body ?? '')).toEqual({ model: 'qwen3:8b', stream: true, keep_alive: '1h', options: { num_predict: 5, temperature: 0, num_ctx: 8_192 }, messages: [{ role: 'user', content: 'hi' }] });

  const whole = await playServer(playBytes([JSON.stringify({ message: { content: 'Hello' }, done: true, done_reason: 'stop' }, null, 2)], { type: 'application/json' }));
  expect(await model(whole.baseUrl, { stream: false }).call(request)).toMatchObject({ content: [{ type: 'text', text: 'Hello' }], finishReason: 'stop', metadata: { providerFinishReason: 'stop' } });
  expect(JSON.parse(whole.requests[0]?.body ?? '')).toMatchObject({ stream: false });
  vi.unstubAllEnvs();
});

test('S4-050 the formatter is the model\'s own unless one is given', async () => {
  const server = await playServer(answering);
  await model(server.baseUrl, { formatter: { format: () => [{ role: 'user', content: 'changed' }] } }).call(request);
  expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({ messages: [{ role: 'user', content: 'changed' }] });
});

test('the address: an option, else a variable of Java\'s or of Ollama\'s own, in every way those are written, else this machine', () => {
  for (const name of ['OLLAMA_BASE_URL', 'OLLAMA_HOST']) vi.stubEnv(name, '');
  try {
    expect(ollamaUrl(undefined, 'chat')).toBe('http://127.0.0.1:11434/api/chat');
    const written: readonly (readonly [string, string])[] = [
      ['gpu.local', 'http://gpu.local:11434/api/chat'],
      ['gpu.local:8080', 'http://gpu.local:8080/api/chat'],
      ['gpu.local:80', 'http://gpu.local/api/chat'],
      [':8080', 'http://127.0.0.1:8080/api/chat'],
      ['0.0.0.0', 'http://127.0.0.1:11434/api/chat'],
      ['http://0.0.0.0:11434', 'http://127.0.0.1:11434/api/chat'],
      ['[::]:11434', 'http://[::1]:11434/api/chat'],
      ['https://ollama.com', 'https://ollama.com/api/chat'],
      ['https://ollama.com/api/', 'https://ollama.com/api/chat'],
      ['https://ollama.com/api/chat', 'https://ollama.com/api/chat'],
      ['http://x/proxy?team=a', 'http://x/proxy/api/chat?team=a'],
      ['http://127.0.0.1:11434/v1', 'http://127.0.0.1:11434/api/chat'],
    ];
    for (const [text, url] of written) {
      vi.stubEnv('OLLAMA_HOST', text);
      expect([text, ollamaUrl(undefined, 'chat'), ollamaUrl(text, 'tags')]).toEqual([text, url, url.replace('/api/chat', '/api/tags')]);
    }
    vi.stubEnv('OLLAMA_BASE_URL', 'http://java:1');
    expect(ollamaUrl(undefined, 'chat')).toBe('http://java:1/api/chat');
    for (const bad of ['ftp://x', 'not a host', 'http://']) expect(() => ollamaUrl(bad, 'chat')).toThrow(expect.objectContaining({ code: 'config/invalid', details: { option: 'baseUrl' } }) as Error);
    vi.stubEnv('OLLAMA_BASE_URL', 'a b');
    expect(() => ollamaUrl(undefined, 'chat')).toThrow(/OLLAMA_BASE_URL/);
  } finally {
    vi.unstubAllEnvs();
  }
});

test('a key is sent where there is one, and a refusal names where it came from', async () => {
  const server = await playServer(answering);
  const refusing = await playServer(playBytes([JSON.stringify({ error: `unauthorized ${KEY}` })], { status: 401, type: 'application/json' }));
  await model(server.baseUrl, { apiKey: () => KEY }).call(request);
  vi.stubEnv('OLLAMA_API_KEY', `${KEY}\n`);
  try {
    await model(server.baseUrl).call(request);
    const wrong = await failure(() => model(refusing.baseUrl).call(request));
    expect(wrong).toMatchObject({ code: 'model/auth', details: { variable: 'OLLAMA_API_KEY', status: 401, retryable: false } });
    expect([wrong.message.includes('OLLAMA_API_KEY'), wrong.message.includes(KEY)]).toEqual([true, false]);
  } finally {
    vi.unstubAllEnvs();
  }
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`]);
});

test('a server that is not running says how to start it, and where it was looked for', async () => {
  const port = await freePort();
  const thrown = await failure(() => model(`http://127.0.0.1:${port}`).call(request));
  expect(thrown).toMatchObject({ code: 'model/network', details: { provider: 'ollama', retryable: true, host: `127.0.0.1:${port}`, providerCode: 'not_running' } });
  expect(thrown.message).toMatch(/ollama serve.*OLLAMA_HOST/);
  expect(thrown.cause).toBeInstanceOf(Error);
});

test('a model that was never pulled says how to get it; another 404 is what it is', async () => {
  const missing = await playServer(playBytes([JSON.stringify({ error: 'model "qwen3:8b" not found, try pulling it first' })], { status: 404, type: 'application/json' }));
  const thrown = await failure(() => model(missing.baseUrl, { maxRetries: 3 }).call(request));
  expect(thrown).toMatchObject({ code: 'model/bad-request', details: { provider: 'ollama', retryable: false, status: 404, providerCode: 'model_not_found' } });
  expect([thrown.message.includes('ollama pull qwen3:8b'), missing.requests.length]).toEqual([true, 1]);
  const page = await playServer(playBytes(['404 page not found'], { status: 404, type: 'text/plain' }));
  const other = await failure(() => model(page.baseUrl).call(request));
  expect([other.code, other.message.includes('pull'), other.message.includes('/api/chat')]).toEqual(['model/bad-request', false, true]);
});

test('C136 each refusal is a typed error in the server\'s words; only those that may pass are retryable', async () => {
  const rows: readonly (readonly [number, string, string, boolean])[] = [
    [400, '"llama2" does not support tools', 'model/bad-request', false],
    [400, '"llama3.2" does not support thinking', 'model/bad-request', false],
    [429, 'usage limit', 'model/rate-limit', true],
    [500, 'model runner has unexpectedly stopped', 'model/overloaded', true],
    [502, 'upstream', 'model/overloaded', true],
    [503, 'server busy, please try again. maximum pending requests exceeded', 'model/overloaded', true],
  ];
  for (const [status, error, code, retryable] of rows) {
    const server = await playServer(playBytes([JSON.stringify({ error })], { status, type: 'application/json' }));
    const thrown = await failure(() => model(server.baseUrl).call(request));
    expect({ code: thrown.code, details: thrown.details, says: thrown.message.includes(error) }).toMatchObject({ code, details: { status, retryable }, says: true });
  }
});

test('C134 an error line before anything was said is asked again', async () => {
  const server = await playServer((incoming, response, number) => playBytes([number === 1 ? '{"error":"loading failed"}\n' : answer], { type: 'application/x-ndjson' })(incoming, response, number));
  expect(textOf(await model(server.baseUrl, { maxRetries: 1 }).call(request))).toBe('Hello');
  expect(server.requests).toHaveLength(2);
});

test('an abort throws its reason, not that no server runs', async () => {
  const reason = new Error('enough');
  const controller = new AbortController();
  const fetch: typeof globalThis.fetch = async (_input, init) => {
    controller.abort(reason);
    throw init?.signal?.reason;
  };
  await expect(model('http://127.0.0.1:1', { fetch }).call(request, { signal: controller.signal })).rejects.toBe(reason);
});

test('pictures at an address are sent as bytes; what is no picture is not downloaded', async () => {
  const server = await playServer(answering);
  const url = (address: string, mediaType?: string) => ({ type: 'data', source: { type: 'url', url: address, ...(mediaType === undefined ? {} : { mediaType }) } }) as const;
  const loaded: string[] = [];
  const media = { load: async (address: URL) => (loaded.push(address.href), { bytes: new Uint8Array([1, 2, 3]), mediaType: 'image/png' }) };
  await model(server.baseUrl, { media }).call({ messages: [new Msg({ content: [url('https://pictures.example/a.png'), url('https://pictures.example/unknown'), url('https://files.example/a.mp4', 'video/mp4')] })] });
  const [message] = (JSON.parse(server.requests[0]?.body ?? '') as { messages: readonly object[] }).messages;
  expect([loaded, message]).toEqual([['https://pictures.example/a.png', 'https://pictures.example/unknown'], { role: 'user', content: '[video/mp4 at https://files.example/a.mp4, not shown]', images: ['AQID', 'AQID'] }]);
});

test('C026 names come back as they were, and what Ollama has no word for is said beside the answer', async () => {
  const server = await playServer(playBytes([`${JSON.stringify({ message: { content: '', tool_calls: [{ function: { name: 'ns_get', arguments: {} } }] }, done: true, done_reason: 'stop' })}\n`]));
  const { content, metadata } = await model(server.baseUrl).call({ ...request, tools: [{ name: 'ns.get', description: '', inputSchema: {} }], toolChoice: { tool: 'ns.get' } });
  expect([content, metadata?.['ignored']]).toMatchObject([[{ name: 'ns.get', input: {} }], ['toolChoice']]);
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
