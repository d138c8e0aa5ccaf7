import { expect, test, vi } from 'vitest';
import { playBytes, playServer } from '../../../test/play-server.ts';
import { AgentScopeError } from '../../error/index.ts';
import { Msg } from '../../message/index.ts';
import { ModelRegistry } from '../../registry.ts';
import type { ChatResponse, ModelRequest } from '../../model/index.ts';
import { compatibleBase, nativeUrl } from './address.ts';
import { DashScopeChatFormatter, DashScopeMultiAgentFormatter } from './formatter.ts';
import { DashScopeChatModel } from './model.ts';
import type { DashScopeChatModelOptions } from './options.ts';

const KEY = 'sk-Test0123456789abcdef';
const TEXT = '/api/v1/services/aigc/text-generation/generation';
const MEDIA = '/api/v1/services/aigc/multimodal-generation/generation';
const request: ModelRequest = { messages: [new Msg({ content: 'hi' })] };
const body = { output: { choices: [{ message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }] }, request_id: 'r' };
const answering = playBytes([`id:1\nevent:result\n:HTTP_STATUS/200\ndata:${JSON.stringify(body)}\n\n`]);
const model = (baseUrl: string, options: Partial<DashScopeChatModelOptions> = {}): DashScopeChatModel => new DashScopeChatModel({ modelName: 'qwen-plus', apiKey: KEY, maxRetries: 0, baseUrl, ...options });
const textOf = (response: ChatResponse): string => response.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
const origin = async (player = answering): Promise<{ url: string; requests: Awaited<ReturnType<typeof playServer>>['requests'] }> => {
  const server = await playServer(player);
  return { url: new URL(server.baseUrl).origin, requests: server.requests };
};

async function failure(run: () => Promise<unknown>): Promise<AgentScopeError> {
  const error: unknown = await run().then(() => 'nothing was thrown', (thrown: unknown) => thrown);
  if (AgentScopeError.is(error)) return error;
  throw error;
}

test('S4-044 S4-049 a streamed and a whole answer over HTTP, with the request the API wants; a stream is asked for by a header', async () => {
  const server = await origin();
  const streamed = model(server.url, { headers: { 'x-mine': '1' }, defaultOptions: { temperature: 0, additionalQueryParams: { trace: 'a b' } } });
  expect(textOf(await streamed.call({ ...request, options: { maxTokens: 5, additionalHeaders: { 'x-more': '2' } } }))).toBe('Hello');
  const [sent] = server.requests;
  expect(sent?.url).toBe(`${TEXT}?trace=a+b`);
  expect(sent?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'x-dashscope-sse': 'enable', 'x-mine': '1', 'x-more': '2' });
  expect(JSON.parse(sent?.body ?? '')).toEqual({ model: 'qwen-plus', parameters: { result_format: 'message', incremental_output: true, temperature: 0, max_tokens: 5 }, input: { messages: [{ role: 'user', content: 'hi' }] } });

  const whole = await origin(playBytes([JSON.stringify(body)], { type: 'application/json' }));
  expect(await model(whole.url, { stream: false }).call(request)).toEqual({ id: 'r', content: [{ type: 'text', text: 'Hello' }], finishReason: 'stop', metadata: { providerFinishReason: 'stop', requestId: 'r' } });
  expect(whole.requests[0]?.headers).not.toHaveProperty('x-dashscope-sse');
});

test('a call that thinks is asked for as a stream though the model does not stream, and says the same', async () => {
  const server = await origin();
  expect(textOf(await model(server.url, { stream: false, enableThinking: true }).call(request))).toBe('Hello');
  expect([server.requests[0]?.headers['x-dashscope-sse'], JSON.parse(server.requests[0]?.body ?? '')]).toMatchObject(['enable', { parameters: { enable_thinking: true, incremental_output: true } }]);
});

test('the endpoint takes the form the formatter gave: by the name of the model, by the option, by a formatter of one\'s own', async () => {
  const server = await origin();
  const rows: readonly (readonly [Partial<DashScopeChatModelOptions>, string])[] = [
    [{}, TEXT],
    [{ modelName: 'qwen3-vl-plus' }, MEDIA],
    [{ multimodal: true }, MEDIA],
    [{ modelName: 'qwen3-vl-plus', multimodal: false }, TEXT],
    [{ formatter: new DashScopeMultiAgentFormatter({ multimodal: true }) }, MEDIA],
    [{ formatter: new DashScopeChatFormatter() }, TEXT],
  ];
  for (const [options] of rows) await model(server.url, options).call(request);
  expect(server.requests.map(({ url }) => url)).toEqual(rows.map(([, path]) => path));
});

test('files of DashScope\'s own storage are sent with the header that has them looked up', async () => {
  const server = await origin();
  const picture = (url: string): ModelRequest => ({ messages: [new Msg({ content: [{ type: 'data', source: { type: 'url', url, mediaType: 'image/png' } }] })] });
  for (const url of ['oss://files/a.png', 'https://x/a.png']) await model(server.url, { modelName: 'qwen-vl-max' }).call(picture(url));
  expect(server.requests.map(({ headers }) => headers['x-dashscope-ossresourceresolve'])).toEqual(['enable', undefined]);
});

test('S4-050 the formatter is the model\'s own unless one is given; thinking goes back where it is to be kept', async () => {
  const server = await origin();
  await model(server.url, { formatter: { format: () => [{ role: 'user', content: 'changed' }] } }).call(request);
  const thought = Msg.from({ id: 'm', role: 'ASSISTANT', name: null, content: [{ type: 'thinking', thinking: 'hm', metadata: { dashscope: { reasoning: true } } }, { type: 'text', text: 'so' }], metadata: {}, timestamp: null, usage: null });
  await model(server.url, { preserveThinking: true }).call({ messages: [...request.messages, thought, ...request.messages] });
  const [changed, kept] = server.requests.map(({ body: text }) => JSON.parse(text) as { input: { messages: unknown[] }; parameters: object });
  expect([changed?.input.messages, kept?.input.messages[1], kept?.parameters]).toEqual([[{ role: 'user', content: 'changed' }], { role: 'assistant', content: 'so', reasoning_content: 'hm' }, expect.objectContaining({ preserve_thinking: true })]);
});

test('the address: a host, the base of either protocol, an endpoint, a proxy; from the option, else the variable, else Alibaba Cloud', () => {
  vi.stubEnv('DASHSCOPE_HTTP_BASE_URL', '');
  try {
    expect([nativeUrl(undefined, 'aigc/text-generation/generation'), compatibleBase(undefined)]).toEqual([`https://dashscope.aliyuncs.com${TEXT}`, 'https://dashscope.aliyuncs.com/compatible-mode/v1']);
    const rows: readonly (readonly [string, string, string])[] = [
      ['https://dashscope-intl.aliyuncs.com', `https://dashscope-intl.aliyuncs.com${TEXT}`, 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1'],
      ['https://x/api/v1/', `https://x${TEXT}`, 'https://x/compatible-mode/v1'],
      ['https://x/compatible-mode/v1', `https://x${TEXT}`, 'https://x/compatible-mode/v1'],
      [`https://x${MEDIA}`, `https://x${TEXT}`, 'https://x/compatible-mode/v1'],
      ['https://x/proxy?team=a', 'https://x/proxy/services/aigc/text-generation/generation?team=a', 'https://x/proxy?team=a'],
    ];
    for (const [base, native, compatible] of rows) {
      vi.stubEnv('DASHSCOPE_HTTP_BASE_URL', base);
      expect([nativeUrl(base, 'aigc/text-generation/generation'), nativeUrl(undefined, 'aigc/text-generation/generation'), compatibleBase(base)]).toEqual([native, native, compatible]);
    }
    expect(() => nativeUrl('no address', 'aigc/text-generation/generation')).toThrow(expect.objectContaining({ code: 'config/invalid', details: { option: 'baseUrl' } }) as Error);
  } finally {
    vi.unstubAllEnvs();
  }
});

test('the key: from its variable, read at the call; a missing or refused one names it and is never shown', async () => {
  const server = await origin();
  const refusing = await origin(playBytes([JSON.stringify({ code: 'InvalidApiKey', message: `Invalid API-key ${KEY}`, request_id: 'q' })], { status: 401, type: 'application/json' }));
  vi.stubEnv('DASHSCOPE_API_KEY', '');
  try {
    expect(await failure(() => new DashScopeChatModel({ modelName: 'qwen-plus', baseUrl: server.url }).call(request))).toMatchObject({ code: 'model/auth', details: { variable: 'DASHSCOPE_API_KEY' } });
    vi.stubEnv('DASHSCOPE_API_KEY', `${KEY}\n`);
    vi.stubEnv('DASHSCOPE_HTTP_BASE_URL', `${server.url}/api/v1`);
    expect(textOf(await (await ModelRegistry.resolve('dashscope:qwen-plus')).call(request))).toBe('Hello');
    const wrong = await failure(() => new DashScopeChatModel({ modelName: 'qwen-plus', baseUrl: refusing.url, maxRetries: 0 }).call(request));
    expect(wrong).toMatchObject({ code: 'model/auth', details: { variable: 'DASHSCOPE_API_KEY', status: 401, retryable: false, providerCode: 'InvalidApiKey', requestId: 'q' } });
    expect(wrong.message).not.toContain(KEY);
  } finally {
    vi.unstubAllEnvs();
  }
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`]);
});

test('C136 C137 each refusal is a typed error in DashScope\'s words with its code and request id; a 429 that only money ends is not tried again', async () => {
  const rows: readonly (readonly [number, string, string, string, boolean])[] = [
    [400, 'InvalidParameter', 'parameter.enable_thinking must be set to false for non-streaming calls', 'model/bad-request', false],
    [400, 'InternalError.Algo.InvalidParameter', 'bad value', 'model/bad-request', false],
    [400, 'InvalidParameter', 'Range of input length should be [1, 30720]', 'model/context-overflow', false],
    [400, 'DataInspectionFailed', 'Input data may contain inappropriate content.', 'model/refused', false],
    [400, 'Arrearage', 'Access denied, account overdue', 'model/quota', false],
    [403, 'Model.AccessDenied', 'no access', 'model/auth', false],
    [404, 'ModelNotFound', 'Model not exist.', 'model/bad-request', false],
    [429, 'Throttling', 'slow down', 'model/rate-limit', true],
    [429, 'Throttling.RateQuota', 'slow down', 'model/rate-limit', true],
    [429, 'Throttling.BurstRate', 'slow down', 'model/rate-limit', true],
    [429, 'Throttling.AllocationQuota', 'slow down', 'model/rate-limit', true],
    [429, 'Throttling.Concurrency', 'slow down', 'model/rate-limit', true],
    [429, 'CommodityNotPurchased', 'buy first', 'model/quota', false],
    [429, 'PrepaidBillOverdue', 'pay first', 'model/quota', false],
    [429, 'BudgetLimitExceeded', 'spent', 'model/quota', false],
    [403, 'AllocationQuota.FreeTierOnly', 'the free tier is used up', 'model/quota', false],
    [400, 'data_inspection_failed', 'unsafe', 'model/refused', false],
    [500, 'InternalError', 'it broke', 'model/overloaded', true],
    [500, 'RequestTimeOut', 'too slow', 'model/timeout', true],
    [503, 'ModelUnavailable', 'later', 'model/overloaded', true],
    [503, 'ModelServingError', 'busy', 'model/overloaded', true],
  ];
  for (const [status, word, message, code, retryable] of rows) {
    for (const said of [{ code: word, message, request_id: 'q' }, { error: { code: word, message, type: word, param: null }, request_id: 'q' }]) {
      const server = await origin(playBytes([JSON.stringify(said)], { status, type: 'application/json' }));
      const thrown = await failure(() => model(server.url).call(request));
      expect({ code: thrown.code, details: thrown.details }).toMatchObject({ code, details: { provider: 'dashscope', status, retryable, providerCode: word, requestId: 'q' } });
      if (code !== 'model/auth') expect(thrown.message).toContain(message);
    }
  }
  const page = await origin(playBytes(['<html>busy</html>'], { status: 502, type: 'text/html' }));
  expect(await failure(() => model(page.url).call(request))).toMatchObject({ code: 'model/overloaded', details: { status: 502, retryable: true } });
});

test('a model that is served at the other endpoint says which option helps', async () => {
  const server = await origin(playBytes([JSON.stringify({ code: 'InvalidParameter', message: 'url error, please check url!', request_id: 'q' })], { status: 400, type: 'application/json' }));
  const thrown = await failure(() => model(server.url, { maxRetries: 2 }).call(request));
  expect(thrown).toMatchObject({ code: 'model/bad-request', details: { retryable: false, status: 400, providerCode: 'InvalidParameter', requestId: 'q' } });
  expect([thrown.message.includes('"multimodal"'), server.requests.length]).toEqual([true, 1]);
});

test('C134 an error frame before anything was said is asked again', async () => {
  const bad = `event:error\n:HTTP_STATUS/429\ndata:${JSON.stringify({ code: 'Throttling', message: 'slow down', request_id: 'q' })}\n\n`;
  const server = await origin((incoming, response, number) => (number === 1 ? playBytes([bad]) : answering)(incoming, response, number));
  expect(textOf(await model(server.url, { maxRetries: 1 }).call(request))).toBe('Hello');
  expect(server.requests).toHaveLength(2);
});

test('files of text at an address are read into the message; pictures go as their address', async () => {
  const server = await origin();
  const at = (url: string, mediaType: string) => ({ type: 'data', source: { type: 'url', url, mediaType } }) as const;
  const loaded: string[] = [];
  const media = { load: async (address: URL) => (loaded.push(address.href), { bytes: new TextEncoder().encode('read me'), mediaType: 'text/plain' }) };
  await model(server.url, { modelName: 'qwen-vl-max', media }).call({ messages: [new Msg({ content: [at('https://x/a.png', 'image/png'), at('https://x/b.txt', 'text/plain')] })] });
  expect([loaded, (JSON.parse(server.requests[0]?.body ?? '') as typeof body & { input: object }).input]).toEqual([['https://x/b.txt'], { messages: [{ role: 'user', content: [{ image: 'https://x/a.png' }, { text: 'read me' }] }] }]);
});

test('native structured output by what is known of the model, unless the option says it', () => {
  const native = (modelName: string, options: Partial<DashScopeChatModelOptions> = {}): unknown => new DashScopeChatModel({ modelName, ...options }).nativeStructuredOutput;
  expect([native('qwen-plus'), native('qwen3.5-plus'), native('qwq-plus'), native('qwen-plus', { nativeStructuredOutput: true })]).toEqual([false, 'without-tools', false, true]);
});

test('C026 names come back as they were, and what DashScope has no word for is said beside the answer', async () => {
  const called = { output: { choices: [{ message: { content: '', tool_calls: [{ index: 0, id: 'c', function: { name: 'search_2', arguments: '{}' } }] }, finish_reason: 'tool_calls' }] }, request_id: 'r' };
  const server = await origin(playBytes([`data:${JSON.stringify(called)}\n\n`]));
  const { content, metadata } = await model(server.url).call({ ...request, tools: ['search', 'other'].map((name) => ({ name, description: '', inputSchema: {} })), toolChoice: 'required' });
  expect([content, metadata?.['ignored']]).toMatchObject([[{ name: 'search', input: {} }], ['toolChoice']]);
});
