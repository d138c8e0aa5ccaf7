import { expect, test, vi } from 'vitest';
import { playBytes, playServer, sse } from '../../../test/play-server.ts';
import type { Player } from '../../../test/play-server.ts';
import { AgentScopeError } from '../../error/index.ts';
import { Msg } from '../../message/index.ts';
import { createCollector } from '../../model/collect.ts';
import type { ChatResponse, ModelRequest } from '../../model/index.ts';
import { OpenAIChatFormatter } from './formatter.ts';
import { OpenAIChatModel } from './model.ts';
import type { OpenAIChatModelOptions } from './model.ts';

const KEY = 'sk-test-0123456789abcdef';
const request: ModelRequest = { messages: [new Msg({ content: 'hi' })] };
const delta = (value: unknown, finish: unknown = null): object => ({ id: 'r', model: 'm', choices: [{ index: 0, delta: value, finish_reason: finish }] });
const hello = sse(delta({ content: 'Hel' }), delta({ content: 'lo' }), delta({}, 'stop'), '[DONE]');
const model = (baseUrl: string, options: Partial<OpenAIChatModelOptions> = {}): OpenAIChatModel => new OpenAIChatModel({ modelName: 'm', apiKey: KEY, maxRetries: 0, baseUrl, ...options });
const textOf = (response: ChatResponse): string => response.content.map((block) => (block.type === 'text' ? block.text : '')).join('');

async function failure(run: () => Promise<unknown>): Promise<AgentScopeError> {
  try {
    await run();
  } catch (error) {
    if (AgentScopeError.is(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** Reads until the end or an error, and keeps what came. */
async function readAll(stream: AsyncIterable<Parameters<ReturnType<typeof createCollector>['add']>[0]>): Promise<{ response: ChatResponse; error: unknown }> {
  const collector = createCollector();
  let error: unknown;
  try {
    for await (const chunk of stream) collector.add(chunk);
  } catch (thrown) {
    error = thrown;
  }
  return { response: collector.response(), error };
}

test('S4-044 a streamed and a whole answer over HTTP, with the request the API wants', async () => {
  const server = await playServer(playBytes([hello]));
  expect(textOf(await model(`${server.baseUrl}/`, { headers: { 'x-mine': '1' }, defaultOptions: { temperature: 0 } }).call({ ...request, options: { maxTokens: 5 } }))).toBe('Hello');
  const [sent] = server.requests;
  expect(sent?.url).toBe('/v1/chat/completions');
  expect(sent?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'x-mine': '1' });
  expect(JSON.parse(sent?.body ?? '')).toEqual({ model: 'm', stream: true, stream_options: { include_usage: true }, temperature: 0, max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] });

  const whole = JSON.stringify({ id: 'w', choices: [{ message: { content: 'Hello' }, finish_reason: 'stop' }] });
  const plain = await playServer(playBytes([whole], { type: 'application/json', headers: { 'x-request-id': 'req-1' } }));
  const { response } = await readAll(model(plain.baseUrl, { stream: false }).stream(request));
  expect(response).toEqual({ id: 'w', content: [{ type: 'text', text: 'Hello' }], finishReason: 'stop', metadata: { providerFinishReason: 'stop', requestId: 'req-1' } });
  expect(JSON.parse(plain.requests[0]?.body ?? '')).toMatchObject({ stream: false });
});

test('S4-050 the formatter is the model\'s own unless one is given', async () => {
  const server = await playServer(playBytes([hello]));
  const own = new OpenAIChatFormatter();
  await model(server.baseUrl, { formatter: { format: (messages, options) => own.format(messages, options).map((one) => ({ ...one, content: 'changed' })) } }).call(request);
  expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({ messages: [{ content: 'changed' }] });
});

test('tool names the API refuses come back as they were', async () => {
  const server = await playServer(playBytes([sse(delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'a_b', arguments: '{}' } }] }), delta({}, 'tool_calls'), '[DONE]')]));
  const { content } = await model(server.baseUrl).call({ ...request, tools: [{ name: 'a.b', description: '', inputSchema: {} }] });
  expect(content).toMatchObject([{ name: 'a.b' }]);
  expect(server.requests[0]?.body).toContain('"a_b"');
});

test('C012 the answer is complete at [DONE] though the body stays open, and the socket is let go', async () => {
  const server = await playServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(hello);
  });
  expect(textOf(await model(server.baseUrl).call(request))).toBe('Hello');
  await vi.waitFor(() => expect(server.open()).toBe(0));
});

test('C079 silence is a time-out and ends the request; slow bytes and comments are life', async () => {
  const first: Player = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(sse(delta({ role: 'assistant', content: '' })));
  };
  const silent = await playServer(first);
  expect(await failure(() => model(silent.baseUrl, { timeoutMs: 60 }).call(request))).toMatchObject({ code: 'model/timeout', details: { provider: 'openai', retryable: true } });
  await vi.waitFor(() => expect(silent.open()).toBe(0));

  const deaf = await playServer(() => undefined);
  expect((await failure(() => model(deaf.baseUrl, { timeoutMs: 60 }).call(request))).code).toBe('model/timeout');

  const slowly = async (piece: string): Promise<string> => {
    const slow = await playServer(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let n = 0; n < 12; n++) {
        response.write(piece);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      response.end(hello);
    });
    return textOf(await model(slow.baseUrl, { timeoutMs: 800 }).call(request));
  };
  expect(await Promise.all([slowly(sse(delta({ content: 'x' }))), slowly(': keep-alive\n\n')])).toEqual([`${'x'.repeat(12)}Hello`, 'Hello']);
});

test('C079 a slow reader is no silent provider', async () => {
  const server = await playServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(sse(delta({ content: 'x' })));
    setTimeout(() => response.end(hello), 700);
  });
  const iterator = model(server.baseUrl, { timeoutMs: 500 }).stream(request)[Symbol.asyncIterator]();
  await iterator.next();
  await new Promise((resolve) => setTimeout(resolve, 900));
  expect((await iterator.next()).value?.content).toHaveLength(2);
  expect((await iterator.next()).done).toBe(true);
});

test('C080 leaving the stream early, also while it waits, ends the request', async () => {
  const endless: Player = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(sse(delta({ content: 'x' })));
  };
  const server = await playServer(endless);
  for await (const chunk of model(server.baseUrl).stream(request)) {
    expect(chunk.content).toHaveLength(1);
    break;
  }
  await vi.waitFor(() => expect(server.open()).toBe(0));

  const iterator = model(server.baseUrl).stream(request)[Symbol.asyncIterator]();
  await iterator.next();
  const waiting = iterator.next();
  await iterator.return?.();
  expect(await waiting).toEqual({ done: true, value: undefined });
  expect(await iterator.next()).toEqual({ done: true, value: undefined });
  await vi.waitFor(() => expect(server.open()).toBe(0));

  const early = model(server.baseUrl).stream(request)[Symbol.asyncIterator]();
  const opening = early.next();
  await early.return?.();
  expect((await opening).done).toBe(true);
});

test('an abort throws its reason, before and during the answer', async () => {
  const server = await playServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(sse(delta({ content: 'x' })));
  });
  const before = new AbortController();
  before.abort('early');
  await expect(model(server.baseUrl).call(request, { signal: before.signal })).rejects.toBe('early');
  expect(server.requests).toHaveLength(0);
  const during = new AbortController();
  const reason = new Error('enough');
  const { response, error } = await readAll((async function* () {
    for await (const chunk of model(server.baseUrl, { maxRetries: 2 }).stream(request, { signal: during.signal })) {
      yield chunk;
      during.abort(reason);
    }
  })());
  expect([textOf(response), error]).toEqual(['x', reason]);
  await vi.waitFor(() => expect(server.open()).toBe(0));
});

test('C073 nothing stays on a signal that outlives many calls, whatever ended them', async () => {
  const server = await playServer((request_, response, number) => (number % 3 === 0 ? playBytes(['no'], { status: 400 }) : playBytes([hello]))(request_, response, number));
  const { signal } = new AbortController();
  const add = vi.spyOn(signal, 'addEventListener');
  const remove = vi.spyOn(signal, 'removeEventListener');
  for (let n = 0; n < 30; n++) {
    const reading = (async () => {
      for await (const _ of model(server.baseUrl).stream(request, { signal })) if (n % 2 === 0) break;
    })();
    const outcome = await reading.then(() => 'model/bad-request', (error: unknown) => (AgentScopeError.is(error) ? error.code : error));
    expect(outcome).toBe('model/bad-request');
  }
  expect(add.mock.calls.length).toBeGreaterThanOrEqual(30);
  expect(remove.mock.calls.length).toBeGreaterThanOrEqual(add.mock.calls.length);
});

test('C134 nothing is said twice: a try that brought content is the last one', async () => {
  const cut = (frames: string): Player => (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(frames);
    setTimeout(() => response.destroy(), 20);
  };
  for (const begun of [sse(delta({ content: 'The sky is bl' })), sse(delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"a' } }] }))]) {
    const server = await playServer((request_, response, number) => (number === 1 ? cut(begun) : playBytes([hello]))(request_, response, number));
    const { response, error } = await readAll(model(server.baseUrl, { maxRetries: 2 }).stream(request));
    expect(response.content).toHaveLength(1);
    expect(error).toMatchObject({ code: 'model/network' });
    expect(server.requests).toHaveLength(1);
  }
  const server = await playServer((request_, response, number) => (number === 1 ? cut(sse(delta({ role: 'assistant', content: '' }))) : playBytes([hello]))(request_, response, number));
  expect(textOf(await model(server.baseUrl, { maxRetries: 1 }).call(request))).toBe('Hello');
  expect(server.requests).toHaveLength(2);
});

test('C010 C136 an error in the first frame, and a limit with a wait, are tried again', async () => {
  const server = await playServer((request_, response, number) => {
    if (number === 1) return playBytes([sse({ error: { message: 'busy', type: 'overloaded_error' } })], { headers: {} })(request_, response, number);
    if (number === 2) return playBytes(['{}'], { status: 429, headers: { 'retry-after-ms': '1' } })(request_, response, number);
    return playBytes([hello])(request_, response, number);
  });
  expect(textOf(await model(server.baseUrl, { maxRetries: 2 }).call(request))).toBe('Hello');
  expect(server.requests).toHaveLength(3);
});

test('C137 each refusal is a typed error; only those that may pass are retryable; none shows the key', async () => {
  const error = (value: object): string => JSON.stringify({ error: value });
  const rows: readonly (readonly [number, string, string, boolean])[] = [
    [200, '{"code":429,"msg":"busy"}', 'model/rate-limit', true],
    [400, error({ code: 'rate_limit_exceeded', message: 'x' }), 'model/rate-limit', true],
    [529, '', 'model/overloaded', true],
    [500, '<html><h1>oops</h1></html>', 'model/overloaded', true],
    [503, error({ message: 'x' }), 'model/overloaded', true],
    [408, '', 'model/timeout', true],
    [401, error({ message: `Incorrect API key provided: ${KEY}`, type: 'invalid_request_error', code: 'invalid_api_key' }), 'model/auth', false],
    [403, error({ message: 'no', type: 'invalid_request_error' }), 'model/auth', false],
    [402, '{"error":"pay"}', 'model/quota', false],
    [429, error({ code: 'insufficient_quota', message: 'x' }), 'model/quota', false],
    [400, error({ message: `bad field, key ${KEY}`, type: 'invalid_request_error' }), 'model/bad-request', false],
    [404, error({ code: 'model_not_found', message: 'x' }), 'model/bad-request', false],
    [400, error({ code: 'context_length_exceeded', message: 'x' }), 'model/context-overflow', false],
    [400, error({ message: 'This model\'s maximum context length is 8 tokens', type: 'invalid_request_error' }), 'model/context-overflow', false],
    [400, error({ code: 'content_policy_violation', message: 'x' }), 'model/refused', false],
  ];
  for (const [status, body, code, retryable] of rows) {
    const server = await playServer(playBytes([body], { status, type: 'application/json', headers: { 'x-request-id': 'q' } }));
    const thrown = await failure(() => model(server.baseUrl).call(request));
    expect({ body, code: thrown.code, retryable: (thrown.details as { retryable?: boolean }).retryable }).toEqual({ body, code, retryable });
    expect(thrown.details).toMatchObject({ provider: 'openai', status, requestId: 'q' });
    expect(JSON.stringify([thrown.message, thrown.details])).not.toContain(KEY.slice(0, 12));
    expect(thrown.message).not.toContain('<h1>');
  }
});

test('no network names the host', async () => {
  const closed = await playServer(() => undefined);
  const { baseUrl } = closed;
  await closed.close();
  const thrown = await failure(() => model(baseUrl).call(request));
  expect(thrown).toMatchObject({ code: 'model/network', details: { retryable: true, host: new URL(baseUrl).host } });
  expect(thrown.message).toContain(new URL(baseUrl).host);
});

test('the key: from the variable at the first call, from a function, none for an empty text; a missing or wrong one names the variable', async () => {
  const server = await playServer(playBytes([hello]));
  const refusing = await playServer(playBytes(['{}'], { status: 401 }));
  vi.stubEnv('OPENAI_API_KEY', '');
  try {
    const late = new OpenAIChatModel({ modelName: 'm', baseUrl: server.baseUrl });
    const missing = await failure(() => late.call(request));
    expect(missing).toMatchObject({ code: 'model/auth', details: { variable: 'OPENAI_API_KEY', retryable: false } });
    expect(missing.message).toContain('OPENAI_API_KEY');
    vi.stubEnv('OPENAI_API_KEY', `${KEY}\n`);
    await late.call(request);
    await model(server.baseUrl, { apiKey: async () => 'fetched' }).call(request);
    await model(server.baseUrl, { apiKey: '' }).call(request);
    expect(server.requests.map((one) => one.headers.authorization)).toEqual([`Bearer ${KEY}`, 'Bearer fetched', undefined]);
    const wrong = await failure(() => new OpenAIChatModel({ modelName: 'm', baseUrl: refusing.baseUrl }).call(request));
    expect(wrong).toMatchObject({ code: 'model/auth', details: { variable: 'OPENAI_API_KEY', status: 401 } });
    expect(wrong.message).toContain('OPENAI_API_KEY');
    const odd = await failure(() => model(server.baseUrl, { apiKey: 'a\nb' }).call(request));
    expect([odd.code, odd.message.includes('a\nb')]).toEqual(['model/auth', false]);
  } finally {
    vi.unstubAllEnvs();
  }
});

test('the address: from the variable, with its path and query kept; a wrong one is refused', async () => {
  const server = await playServer(playBytes([hello]));
  const host = new URL(server.baseUrl).origin;
  for (const base of [host, `${host}/`, `${host}/v4`, `${host}/openai/d/x?api-version=1`, `${host}/v1/chat/completions`]) await model(base).call(request);
  vi.stubEnv('OPENAI_BASE_URL', `${host}/fromenv/v1`);
  await new OpenAIChatModel({ modelName: 'm', apiKey: KEY }).call(request);
  vi.unstubAllEnvs();
  expect(server.requests.map((one) => one.url)).toEqual(['/v1/chat/completions', '/v1/chat/completions', '/v4/chat/completions', '/openai/d/x/chat/completions?api-version=1', '/v1/chat/completions', '/fromenv/v1/chat/completions']);
  expect((await failure(() => model('nonsense').call(request))).code).toBe('config/invalid');
});

test('OpenAI itself gets the new length field and names, other servers the old one', async () => {
  const bodies: string[] = [];
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    bodies.push(init?.body as string);
    return new Response(hello, { headers: { 'content-type': 'text/event-stream' } });
  };
  const named: ModelRequest = { messages: [new Msg({ name: 'a b', content: 'hi' })], options: { maxTokens: 7 } };
  await new OpenAIChatModel({ modelName: 'm', apiKey: KEY, baseUrl: 'https://api.openai.com/v1', fetch }).call(named);
  await new OpenAIChatModel({ modelName: 'm', apiKey: KEY, baseUrl: 'https://other.example/v1', fetch }).call(named);
  expect(bodies.map((body) => JSON.parse(body) as object)).toMatchObject([{ max_completion_tokens: 7, messages: [{ name: 'a_b' }] }, { max_tokens: 7 }]);
  expect(bodies[1]).not.toContain('a_b');
});

test('a body in odd pieces, and errors in it, end in an answer or a typed error, never a hang', async () => {
  const quota = sse({ error: { message: 'q', code: 'insufficient_quota' } });
  for (const [body, code] of [[hello, undefined], [`${sse(delta({ content: 'x' }))}${quota}`, 'model/quota'], [sse(delta({ content: 'x' })), 'model/bad-stream'], ['', 'model/bad-stream'], [`${sse(delta({ content: 'x' }))}data: {oops\n\n`, 'model/bad-stream']] as const) {
    const server = await playServer(playBytes(body.match(/.{1,7}/gs) ?? []));
    const { error } = await readAll(model(server.baseUrl).stream(request));
    expect(AgentScopeError.is(error) ? error.code : error).toBe(code);
  }
});

test('a page in place of an answer is told as what it is, with its address and without the query', async () => {
  const page = '<!doctype html><title>Sign in</title>';
  for (const [body, type] of [[page, 'text/html; charset=utf-8'], [`\n\n  ${page}`, 'text/html'], [page, 'text/plain'], ['Hello there', 'text/plain'], ['%PDF-1.7', 'application/octet-stream']] as const) {
    const server = await playServer(playBytes(body.match(/.{1,5}/gs) ?? [], { type }));
    const base = new URL(server.baseUrl);
    const thrown = await failure(() => model(`${base.origin}/wrong?api-key=${KEY}`, { maxRetries: 2 }).call(request));
    expect(thrown).toMatchObject({ code: 'model/bad-request', details: { provider: 'openai', retryable: false } });
    expect(thrown.message).toContain(`${base.host}/wrong/chat/completions answered with ${type.split(';')[0]}`);
    expect(thrown.message).not.toContain(KEY);
    expect(thrown.message).not.toContain('Sign in');
    expect(server.requests).toHaveLength(1);
    await vi.waitFor(() => expect(server.open()).toBe(0));
  }
});

test('an answer whose headers say nothing of it is read all the same', async () => {
  const whole = JSON.stringify({ choices: [{ message: { content: 'Hello' }, finish_reason: 'stop' }] });
  for (const body of [hello, `\n\n${hello}`, `: hi\n\n${hello}`, `event: message\n${hello}`, `\ufeff${hello}`, whole, `  ${whole}`]) {
    for (const type of ['text/html', 'text/plain', 'application/octet-stream']) {
      const server = await playServer(playBytes(body.match(/.{1,9}/gs) ?? [], { type }));
      expect(textOf(await model(server.baseUrl).call(request))).toBe('Hello');
    }
  }
  const empty = await playServer(playBytes([], { type: 'text/html' }));
  expect((await failure(() => model(empty.baseUrl).call(request))).code).toBe('model/bad-stream');
});

test('a connection that breaks before an unlabelled answer began is a network error, and silence there is a time-out', async () => {
  const broken = await playServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '100' });
    response.write(' ');
    setTimeout(() => response.destroy(), 20);
  });
  expect((await failure(() => model(broken.baseUrl).call(request))).code).toBe('model/network');
  const silent = await playServer((_request, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).write(' '));
  expect((await failure(() => model(silent.baseUrl, { timeoutMs: 60 }).call(request))).code).toBe('model/timeout');
  await vi.waitFor(() => expect(silent.open()).toBe(0));
});

test('an error in a stream that began well names no status; a refusal without words names the address', async () => {
  const server = await playServer(playBytes([sse(delta({ content: 'x' }), { error: { message: 'q', code: 'insufficient_quota' } })]));
  const { error } = await readAll(model(server.baseUrl).stream(request));
  expect((error as Error).message).toMatch(/quota.*It said: q/);
  expect((error as Error).message).not.toContain('HTTP');
  const lost = await playServer(playBytes(['<h1>404</h1>'], { status: 404, type: 'text/html' }));
  const thrown = await failure(() => model(`${lost.baseUrl}?api-key=${KEY}`).call(request));
  expect(thrown.message).toContain(`(HTTP 404). It did not say why. The request went to ${new URL(lost.baseUrl).host}/v1/chat/completions;`);
});

test('of an error no more than 64 KiB is read', async () => {
  const endless = await playServer(async (_request, response) => {
    response.writeHead(503, { 'content-type': 'text/plain' });
    const closed = new Promise((resolve) => response.once('close', resolve));
    while (!response.destroyed) if (!response.write('x'.repeat(16_384))) await Promise.race([new Promise((resolve) => response.once('drain', resolve)), closed]);
  });
  expect((await failure(() => model(endless.baseUrl).call(request))).code).toBe('model/overloaded');
  await vi.waitFor(() => expect(endless.open()).toBe(0));
  const long = await playServer(playBytes([JSON.stringify({ error: { message: 'too many', code: 'rate_limit_exceeded', detail: 'x'.repeat(60_000) } })], { status: 400 }));
  expect((await failure(() => model(long.baseUrl).call(request))).code).toBe('model/rate-limit');
});

test('a blank key in the environment is none', async () => {
  vi.stubEnv('OPENAI_API_KEY', '  ');
  try {
    expect(await failure(() => new OpenAIChatModel({ modelName: 'm', baseUrl: 'http://127.0.0.1:9' }).call(request))).toMatchObject({ code: 'model/auth', message: expect.stringContaining('No key') as string });
  } finally {
    vi.unstubAllEnvs();
  }
});

test('C041 sound and papers at an address are downloaded, pictures are not; what may not be fetched fails the call', async () => {
  const files = await playServer((asked, response) => response.writeHead(200, { 'content-type': asked.url.endsWith('wav') ? 'audio/wav' : 'application/pdf' }).end('abc'));
  const server = await playServer(playBytes([hello]));
  const at = (address: string): { type: 'data'; source: { type: 'url'; url: string } } => ({ type: 'data', source: { type: 'url', url: address } });
  const asked: ModelRequest = { messages: [new Msg({ content: [at(`${files.baseUrl}/a.wav`), at(`${files.baseUrl}/a.pdf`), at('https://x.example/a.png'), at('https://x.example/a.mp4')] })] };
  expect((await failure(() => model(server.baseUrl).call(asked))).code).toBe('media/blocked');
  await model(server.baseUrl, { media: { allowPrivate: true } }).call(asked);
  expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({
    messages: [{
      content: [
        { input_audio: { data: 'YWJj', format: 'wav' } },
        { file: { file_data: 'data:application/pdf;base64,YWJj' } },
        { image_url: { url: 'https://x.example/a.png' } },
        { text: '[video/mp4 at https://x.example/a.mp4, not shown]' },
      ],
    }],
  });
  expect([server.requests.length, files.requests.length]).toEqual([1, 2]);
});

test('parameters may be added to the address', async () => {
  const server = await playServer(playBytes([hello]));
  await model(`${server.baseUrl}?a=1`).call({ ...request, options: { additionalQueryParams: { 'api-version': '2025' } } });
  expect(server.requests[0]?.url).toBe('/v1/chat/completions?a=1&api-version=2025');
});

test('C090 a forced choice that is refused while the model thinks is left free, once and for later calls; other refusals are not swallowed', async () => {
  for (const message of ['The tool_choice parameter does not support being set to required or object in thinking mode', 'only "auto" is supported']) {
    const server = await playServer((asked, response) => {
      if ((JSON.parse(asked.body) as { tool_choice: unknown }).tool_choice === 'auto') response.writeHead(200, { 'content-type': 'text/event-stream' }).end(hello);
      else response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message, type: 'invalid_request_error' } }));
    });
    const thinking = model(server.baseUrl);
    const forced: ModelRequest = { ...request, tools: [{ name: 'f', description: '', inputSchema: {} }], toolChoice: { tool: 'f' } };
    expect([textOf(await thinking.call(forced)), textOf(await thinking.call({ ...forced, toolChoice: 'required' }))]).toEqual(['Hello', 'Hello']);
    expect(server.requests.map(({ body }) => (JSON.parse(body) as { tool_choice: unknown }).tool_choice)).toEqual([{ type: 'function', function: { name: 'f' } }, 'auto', 'auto']);
  }
  const strict = await playServer(playBytes([JSON.stringify({ error: { message: 'tool schema is invalid', type: 'invalid_request_error' } })], { status: 400, type: 'application/json' }));
  expect((await failure(() => model(strict.baseUrl).call({ ...request, tools: [{ name: 'f', description: '', inputSchema: {} }], toolChoice: 'required' }))).code).toBe('model/bad-request');
  expect(strict.requests).toHaveLength(1);
});
