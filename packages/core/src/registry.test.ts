import { expect, test, vi } from 'vitest';
import { playServer } from '../test/play-server.ts';
import type { Player } from '../test/play-server.ts';
import { AgentScopeError } from './error/index.ts';
import { Msg } from './message/index.ts';
import { ModelRegistry as bare } from './model/index.ts';
import { ModelRegistry } from './registry.ts';

test('the built-in providers are resolved by their ids, in the one registry of the process', async () => {
  expect(ModelRegistry).toBe(bare);
  expect(await ModelRegistry.resolve('openai:gpt-x')).toMatchObject({ provider: 'openai', modelName: 'gpt-x' });
  expect(await ModelRegistry.resolve('openai-responses:gpt-x')).toMatchObject({ provider: 'openai', modelName: 'gpt-x' });
  expect(await ModelRegistry.resolve('anthropic:claude-x')).toMatchObject({ provider: 'anthropic', modelName: 'claude-x' });
  expect(await ModelRegistry.resolve('gemini:gemini-x')).toMatchObject({ provider: 'gemini', modelName: 'gemini-x' });
  expect(await ModelRegistry.resolve('dashscope:qwen-x')).toMatchObject({ provider: 'dashscope', modelName: 'qwen-x' });
  expect(await ModelRegistry.resolve('ollama:qwen3:8b')).toMatchObject({ provider: 'ollama', modelName: 'qwen3:8b' });
  for (const id of ['deepseek', 'glm', 'kimi', 'minimax', 'xai']) expect(await ModelRegistry.resolve(`${id}:m`)).toMatchObject({ provider: id, modelName: 'm' });
  expect((await ModelRegistry.resolve('offline:demo')).provider).toBe('offline');
});

test('an unknown id lists the providers and the variable to set', async () => {
  const error = await ModelRegistry.resolve('gpt-x').catch((thrown: unknown) => String(thrown));
  expect(error).toContain('openai:<name> (key: OPENAI_API_KEY)');
  expect(error).toContain('gemini:<name> (key: GEMINI_API_KEY)');
  expect(error).toContain('dashscope:<name> (key: DASHSCOPE_API_KEY)');
  expect(error).toContain('ollama:<name>,');
  expect(error).toContain('offline:demo');
});

test('an id without a provider, or with a slip in it, names the one that was meant', async () => {
  const meant = async (id: string): Promise<string | undefined> => {
    const error = await ModelRegistry.resolve(id).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'config/invalid', details: { option: 'model' } });
    return /Did you mean "(.*)"\?/.exec(String(error))?.[1];
  };
  const ids: readonly (readonly [string, string | undefined])[] = [
    ['gpt-5.5', 'openai:gpt-5.5'],
    ['gpt5.5', 'openai:gpt-5.5'],
    ['gpt-9-turbo', 'openai:gpt-9-turbo'],
    ['claude-next-2030', 'anthropic:claude-next-2030'],
    ['claude-sonet-5', 'anthropic:claude-sonnet-5'],
    ['gemini-3-pro-previw', 'gemini:gemini-3-pro-preview'],
    ['qwen3:8b', 'ollama:qwen3:8b'],
    ['qwen3:14b', 'ollama:qwen3:14b'],
    ['qwen-plus', 'dashscope:qwen-plus'],
    ['gpt-5.6', 'openai:gpt-5.6'],
    ['opnai:gpt-5.5', 'openai:gpt-5.5'],
    ['Anthropic:claude-sonnet-5', 'anthropic:claude-sonnet-5'],
    ['offline:dem', 'offline:demo'],
    ['somebody/else', undefined],
  ];
  expect(await Promise.all(ids.map(async ([id]) => [id, await meant(id)]))).toEqual(ids);
});

test('the variables of a provider can be asked for: key and address; so can the providers', () => {
  expect(ModelRegistry.variablesOf('openai:gpt-x')).toEqual({ key: 'OPENAI_API_KEY', url: 'OPENAI_BASE_URL' });
  expect(ModelRegistry.variablesOf('gemini:x')).toEqual({ key: 'GEMINI_API_KEY', url: 'GOOGLE_GEMINI_BASE_URL' });
  expect(ModelRegistry.variablesOf('ollama:x')).toEqual({ key: undefined, url: 'OLLAMA_HOST' });
  expect(ModelRegistry.variablesOf('offline:demo')).toEqual({ key: undefined, url: undefined });
  expect(ModelRegistry.variablesOf('nobody:x')).toEqual({ key: undefined, url: undefined });
  expect(ModelRegistry.providers().map(({ id }) => id)).toEqual(expect.arrayContaining(['openai', 'openai-responses', 'anthropic', 'gemini', 'dashscope', 'ollama', 'offline:demo']));
  expect(ModelRegistry.providers().find(({ id }) => id === 'gemini')?.keyVariables).toContain('GOOGLE_API_KEY');
});

test('a credential of the caller goes to the model: key, address and headers of its own, nothing of the environment', async () => {
  vi.stubEnv('OPENAI_API_KEY', 'of-the-environment');
  const server = await playServer((_request, response) => response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"no"}}'));
  for (const id of ['openai:m', 'openai-responses:m', 'anthropic:m', 'gemini:m', 'dashscope:m', 'ollama:m']) {
    const model = await ModelRegistry.resolve(id, { tenant: 't', credential: { apiKey: 'of-the-tenant', baseUrl: server.baseUrl, headers: { 'x-tenant': 't' } } });
    await model.call({ messages: [new Msg({ content: 'hi' })] }).catch(() => undefined);
  }
  vi.unstubAllEnvs();
  expect(server.requests.map(({ headers }) => [headers['x-tenant'], JSON.stringify(headers).includes('of-the-tenant'), JSON.stringify(headers).includes('of-the-environment')])).toEqual(Array.from({ length: 6 }, () => ['t', true, false]));
});

test('every provider has cards: a recommended one first, with what it takes and how much', async () => {
  for (const { id } of ModelRegistry.providers().filter((one) => !one.id.includes(':'))) {
    const cards = await ModelRegistry.listModels(id);
    expect(cards.length).toBeGreaterThan(1);
    for (const card of cards) expect([card.input?.includes('text'), card.output?.includes('text'), (card.contextWindow ?? 0) > 1_000]).toEqual([true, true, true]);
    expect(new Set(cards.map(({ modelName }) => modelName)).size).toBe(cards.length);
    expect(await ModelRegistry.resolve(`${id}:${cards[0]?.modelName ?? ''}`)).toMatchObject({ provider: cards[0]?.provider });
  }
  expect(await ModelRegistry.listModels('offline:demo')).toEqual([]);
  await expect(ModelRegistry.listModels('nobody')).rejects.toMatchObject({ code: 'config/invalid', details: { option: 'provider' } });
});

const json = (body: (url: string) => unknown): Player => (request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body(request.url)));

test('asked live, a provider lists what it has, page by page, with what its cards know', async () => {
  const listed = async (provider: string, body: (url: string) => unknown) => {
    const server = await playServer(json(body));
    const models = await ModelRegistry.listModels(provider, { live: true, credential: { apiKey: 'key-0123456789', baseUrl: server.baseUrl } });
    return { models, urls: server.requests.map(({ url }) => url), keys: server.requests.every(({ headers }) => JSON.stringify(headers).includes('key-0123456789')) };
  };
  const openai = await listed('openai', () => ({ data: [{ id: 'gpt-5.5' }, { id: 'new-one' }, { id: 7 }, null] }));
  expect(openai).toMatchObject({ urls: ['/v1/models'], keys: true, models: [{ provider: 'openai', modelName: 'gpt-5.5', contextWindow: 1_050_000 }, { provider: 'openai', modelName: 'new-one' }] });
  const anthropic = await listed('anthropic', (url) => (url.includes('after_id') ? { data: [{ id: 'b' }], has_more: false, last_id: 'b' } : { data: [{ id: 'claude-opus-5', display_name: 'Opus' }], has_more: true, last_id: 'claude-opus-5' }));
  expect(anthropic).toMatchObject({ urls: ['/v1/models?limit=1000', '/v1/models?limit=1000&after_id=claude-opus-5'], keys: true, models: [{ modelName: 'claude-opus-5', label: 'Opus', maxOutputTokens: 128_000 }, { modelName: 'b' }] });
  const gemini = await listed('gemini', (url) => (url.includes('pageToken') ? { models: [{ name: 'models/embed', supportedGenerationMethods: ['embedContent'] }] } : { models: [{ name: 'models/gemini-x', displayName: 'X', inputTokenLimit: 5, outputTokenLimit: 6, supportedGenerationMethods: ['generateContent'] }], nextPageToken: 'n' }));
  expect(gemini).toMatchObject({ urls: ['/v1/models?pageSize=1000', '/v1/models?pageSize=1000&pageToken=n'], keys: true });
  expect(gemini.models).toEqual([{ provider: 'gemini', modelName: 'gemini-x', label: 'X', contextWindow: 5, maxOutputTokens: 6 }]);
  const ollama = await listed('ollama', () => ({ models: [{ name: 'qwen3:8b', size: 1 }, { name: 'mine:latest' }] }));
  expect(ollama).toMatchObject({ urls: ['/api/tags'], models: [{ provider: 'ollama', modelName: 'qwen3:8b', input: ['text'] }, { provider: 'ollama', modelName: 'mine:latest' }] });
});

test('a list that cannot be had is a typed error, without the key; a slow one a time-out, an abort its reason', async () => {
  const failing = async (play: Player, more: object = {}, provider = 'openai'): Promise<AgentScopeError> => {
    const server = await playServer(play);
    const error: unknown = await ModelRegistry.listModels(provider, { live: true, credential: { apiKey: 'key-0123456789', baseUrl: server.baseUrl }, ...more }).catch((thrown: unknown) => thrown);
    if (!AgentScopeError.is(error)) throw error;
    expect(`${error.message}${JSON.stringify(error.details)}`).not.toContain('key-0123456789');
    return error;
  };
  const said = (status: number, text: string): Player => (_request, response) => response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  expect((await failing(said(401, '{"error":{"message":"bad key-0123456789"}}'))).code).toBe('model/auth');
  expect((await failing(said(500, 'x'))).code).toBe('model/overloaded');
  expect((await failing(said(200, '<html>'))).code).toBe('model/bad-stream');
  expect((await failing(() => undefined, { timeoutMs: 30 })).code).toBe('model/timeout');
  const gone = await playServer(() => undefined);
  await gone.close();
  expect((await failing(said(200, '{}'), { credential: { baseUrl: gone.baseUrl } }, 'ollama')).message).toContain('ollama serve');
  const reason = new Error('enough');
  await expect(failing(() => undefined, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  vi.stubEnv('OPENAI_API_KEY', '');
  await expect(ModelRegistry.listModels('openai', { live: true })).rejects.toMatchObject({ code: 'model/auth', details: { variable: 'OPENAI_API_KEY' } });
  vi.unstubAllEnvs();
});
