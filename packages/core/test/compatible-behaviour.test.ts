// What only some servers of the compatible family do, each as its provider's model shows it: over HTTP where HTTP matters.
import { describe, expect, test, vi } from 'vitest';
import { AgentScopeError } from '../src/error/index.ts';
import { Msg } from '../src/message/index.ts';
import type { ContentBlock } from '../src/message/index.ts';
import { collectResponse } from '../src/model/index.ts';
import type { ChatResponse, GenerateOptions, ModelRequest } from '../src/model/index.ts';
import { OpenAIChatModel, defineCompatibleProfile } from '../src/provider/openai/index.ts';
import type { CompatibleProfileSpec } from '../src/provider/openai/index.ts';
import { FAMILY } from './compatible-family.ts';
import type { FamilyMember } from './compatible-family.ts';
import { playBytes, playServer, sse } from './play-server.ts';

const member = (id: string): FamilyMember => FAMILY.find((one) => one.id === id) ?? fail(`no provider ${id}`);
const fail = (why: string): never => {
  throw new Error(why);
};
const hello = [new Msg({ content: 'hi' })];
const stopped = (...deltas: readonly object[]): string => sse(...deltas.map((delta) => ({ id: 'r', choices: [{ delta }] })), { id: 'r', choices: [{ delta: {}, finish_reason: 'stop' }] }, '[DONE]');

interface Asked {
  readonly response: ChatResponse | undefined;
  readonly error: AgentScopeError | undefined;
  readonly body: Record<string, any>;
  readonly warnings: readonly string[];
  readonly tries: number;
}

/** One call to a server that says `answer`. */
async function ask(id: string, request: Partial<ModelRequest> = {}, { answer = stopped({ content: 'Hello' }), modelName = member(id).modelName, status = 200, type = 'text/event-stream', maxRetries = 0 }: { answer?: string; modelName?: string; status?: number; type?: string; maxRetries?: number } = {}): Promise<Asked> {
  const server = await playServer(playBytes([answer], { status, type, headers: { 'retry-after': '0' } }));
  const warnings: string[] = [];
  const model = member(id).make({ modelName, apiKey: 'key-0123456789', baseUrl: server.baseUrl, maxRetries, onWarning: (message) => warnings.push(message) });
  let response: ChatResponse | undefined;
  let error: AgentScopeError | undefined;
  try {
    response = await collectResponse(model.stream({ messages: hello, ...request }));
  } catch (thrown) {
    if (!AgentScopeError.is(thrown)) throw thrown;
    error = thrown;
  }
  return { response, error, body: JSON.parse(server.requests[0]?.body ?? '{}') as Record<string, any>, warnings, tries: server.requests.length };
}

const assistant = (content: readonly ContentBlock[]): Msg => Msg.from({ id: 'a', role: 'ASSISTANT', name: null, content, metadata: {}, timestamp: null, usage: null });
const call = (id: string, number: number): ContentBlock[] => [
  { type: 'tool_use', id, name: 'get', input: {}, content: '{}', state: 'finished', metadata: {}, call: number },
  { type: 'tool_result', id, name: 'get', output: [{ type: 'text', text: 'seen' }], state: 'success', metadata: {} },
];
const thought = (thinking: string, number: number, owner: string): ContentBlock => ({ type: 'thinking', thinking, metadata: { [owner]: { reasoning: true } }, call: number });
const said = (text: string, number: number): ContentBlock => ({ type: 'text', text, call: number });

/** Turn 1: thinking, call, thinking, answer; then an answer without thinking; then a call without; then the user again. */
const history = (owner: string): Msg[] => [
  new Msg({ content: 'one' }),
  assistant([thought('r1', 1, owner), ...call('c1', 1), thought('r2', 2, owner), said('first', 2)]),
  new Msg({ content: 'two' }),
  assistant([thought('r3', 1, owner), said('second', 1)]),
  new Msg({ content: 'three' }),
  assistant([...call('c2', 1), said('third', 2)]),
  new Msg({ content: 'four' }),
];
const thinkingIn = ({ body }: Asked): unknown[] => body['messages'].filter(({ role }: { role: string }) => role === 'assistant').map((message: Record<string, unknown>) => message['reasoning_content'] ?? message['reasoning_details']);

describe('thinking that goes back', () => {
  test('C039 DeepSeek: with calls and behind results, each its own, empty where there was none; nothing while it does not think', async () => {
    const messages = history('deepseek');
    expect(thinkingIn(await ask('deepseek', { messages }))).toEqual(['r1', 'r2', undefined, '', '']);
    expect(thinkingIn(await ask('deepseek', { messages, options: { reasoningEffort: 'none' } }))).toEqual([undefined, undefined, undefined, undefined, undefined]);
    expect(thinkingIn(await ask('deepseek', { messages, options: { additionalBodyParams: { thinking: { type: 'disabled' } } } }))).toEqual([undefined, undefined, undefined, undefined, undefined]);
    expect(thinkingIn(await ask('deepseek', { messages }, { modelName: 'deepseek-chat' }))).toEqual([undefined, undefined, undefined, undefined, undefined]);
    expect(thinkingIn(await ask('deepseek', { messages }, { modelName: 'deepseek-r1' }))).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });

  test('C039 Kimi: in every message; GLM: with calls and behind results; xAI: never', async () => {
    expect(thinkingIn(await ask('kimi', { messages: history('kimi') }))).toEqual(['r1', 'r2', 'r3', '', '']);
    expect(thinkingIn(await ask('kimi', { messages: history('kimi') }, { modelName: 'moonshot-v1-8k' }))).toEqual([undefined, undefined, undefined, undefined, undefined]);
    expect(thinkingIn(await ask('glm', { messages: history('glm') }))).toEqual(['r1', 'r2', undefined, undefined, undefined]);
    expect(thinkingIn(await ask('xai', { messages: history('xai') }))).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });

  test('thinking of another server stays where it is', async () => {
    for (const { id } of FAMILY) expect(JSON.stringify((await ask(id, { messages: history('another') })).body)).not.toMatch(/"r[123]"/);
  });

  test('MiniMax: the list it came in, put together again and marked with its id, or the tags it stood in', async () => {
    const part = { type: 'reasoning.text', id: 'reasoning-text-1', format: 'MiniMax-response-v1', index: 0 };
    const { response } = await ask('minimax', {}, { answer: stopped(...['So', ' it is'].map((text) => ({ reasoning_content: text, reasoning_details: [{ ...part, text }] })), { content: 'Yes' }) });
    expect(response?.content.map(({ type }) => type)).toEqual(['thinking', 'text']);
    const messages = [...hello, assistant(response?.content ?? []), new Msg({ content: 'sure?' })];
    expect((await ask('minimax', { messages })).body['messages'][1]).toEqual({ role: 'assistant', content: 'Yes', reasoning_details: [{ ...part, text: 'So it is' }] });

    const tagged = await ask('minimax', {}, { answer: stopped({ content: '<think>\nSo it is\n</think>\n\nYes' }) });
    expect((await ask('minimax', { messages: [...hello, assistant(tagged.response?.content ?? []), new Msg({ content: 'sure?' })] })).body['messages'][1]).toEqual({ role: 'assistant', content: '<think>\nSo it is\n</think>\n\nYes' });
  });
});

test('think tags go back letter for letter, however the text was cut', async () => {
  for (const text of ['<think>\nSo\n</think>\n\nYes', '<think>So</think>Yes', ' <think> So  </think>\nYes ', '<think>a < b\n\n</think>\tYes\n\nand no']) {
    for (const size of [1, 2, 3, 5, 100]) {
      const { response } = await ask('minimax', {}, { answer: stopped(...(text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []).map((content) => ({ content }))) });
      expect((await ask('minimax', { messages: [...hello, assistant(response?.content ?? []), new Msg({ content: 'sure?' })] })).body['messages'][1]).toEqual({ role: 'assistant', content: text });
    }
  }
  const { response } = await ask('minimax', {}, { answer: stopped({ content: '<think>So</think>' }, { tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }] }) });
  expect(response?.content.map(({ type }) => type)).toEqual(['thinking', 'tool_use']);
  expect((await ask('minimax', { messages: [...hello, assistant(response?.content ?? [])] })).body['messages'][1]).toMatchObject({ content: '<think>So</think>', tool_calls: [{ id: 'a' }] });
});

test('think tags: however the text is cut, and only at its beginning', async () => {
  const text = ' <think>\n\na < b </th ink> so\n </think>\n\nYes <think>no</think>';
  for (const size of [1, 2, 3, 5, 7, 100]) {
    const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
    const { response } = await ask('minimax', {}, { answer: stopped(...pieces.map((content) => ({ content }))) });
    expect(response?.content.map((block) => (block.type === 'thinking' ? block.thinking : block.type === 'text' ? block.text : ''))).toEqual(['a < b </th ink> so', 'Yes <think>no</think>']);
  }
  const plain = async (content: string): Promise<unknown> => (await ask('minimax', {}, { answer: stopped({ content }) })).response?.content.map((block) => ('text' in block ? block.text : block.type));
  expect(await plain('<thin')).toEqual(['<thin']);
  expect(await plain('a <think>b</think>')).toEqual(['a <think>b</think>']);
  expect((await ask('deepseek', {}, { answer: stopped({ content: '<think>x</think>y' }) })).response?.content).toEqual([{ type: 'text', text: '<think>x</think>y' }]);
});

test('C008 deltas that repeat what was said are read so where the profile says it, and never by a guess', async () => {
  const read = async (deltas: 'new' | 'so far', ...answers: readonly object[]): Promise<unknown> => {
    const server = await playServer(playBytes([stopped(...answers)]));
    const { content } = await new OpenAIChatModel({ modelName: 'm', apiKey: 'k', baseUrl: server.baseUrl, profile: defineCompatibleProfile({ name: 'own', deltas }) }).call({ messages: hello });
    return content.map((block) => (block.type === 'text' ? block.text : block.type === 'tool_use' ? block.content : block.type === 'thinking' ? block.thinking : ''));
  };
  const text = (...pieces: readonly string[]): object[] => pieces.map((content) => ({ content }));
  const pieces = (...list: readonly string[]): object[] => list.map((argument) => ({ tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: argument } }] }));
  expect(await read('so far', ...text('你', '你好', '你好啊'))).toEqual(['你好啊']);
  expect(await read('so far', ...pieces('{"a"', '{"a":1', '{"a":1}'))).toEqual(['{"a":1}']);
  expect(await read('so far', { reasoning_content: 'a' }, { reasoning_content: 'ab' })).toEqual(['ab']);
  expect(await read('new', ...text('ha', 'ha', 'ha'))).toEqual(['hahaha']);
  expect(await read('new', ...text('aa', 'aab'))).toEqual(['aaaab']);
});

test('C040 C021 content stands beside calls in the form the server takes, arguments are a text', async () => {
  const messages = [...hello, assistant([...call('c', 1)])];
  const contents = await Promise.all(FAMILY.map(async ({ id }) => [id, (await ask(id, { messages })).body['messages'][1]] as const));
  expect(contents.map(([id, message]) => [id, message.content, message.tool_calls[0].function.arguments])).toEqual([['deepseek', '', '{}'], ['glm', '', '{}'], ['kimi', null, '{}'], ['minimax', '', '{}'], ['xai', null, '{}']]);
  expect((await ask('glm', { messages: [...hello, assistant([said('so', 1), ...call('c', 1)])] })).body['messages'][1]).toMatchObject({ content: 'so', tool_calls: [{ id: 'c' }] });
});

test('C041 a picture of a tool is shown behind all results where the model sees, else noted in its result', async () => {
  const picture = { type: 'data', source: { type: 'base64', data: 'iVBORw0KGgo=', mediaType: 'image/png' } } as const;
  const pair: ContentBlock[] = ['a', 'b'].map((id) => ({ type: 'tool_use', id, name: 'get', input: {}, content: '{}', state: 'finished', metadata: {}, call: 1 }));
  const result = (id: string, output: ContentBlock[]): ContentBlock => ({ type: 'tool_result', id, name: 'get', output, state: 'success', metadata: {} });
  const messages = [...hello, assistant([...pair, result('a', [{ type: 'text', text: 'look' }, picture]), result('b', [{ type: 'text', text: 'plain' }])])];
  for (const [id, modelName] of [['glm', 'glm-4.6v'], ['kimi', 'kimi-k2.5'], ['minimax', 'MiniMax-M3'], ['xai', 'grok-4']] as const) {
    const { body } = await ask(id, { messages }, { modelName });
    expect(body['messages'].map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user']);
    expect(body['messages'][2].content).toContain('a#1');
    expect(JSON.stringify(body['messages'][4])).toContain('data:image/png;base64,iVBORw0KGgo=');
  }
  const { body } = await ask('deepseek', { messages });
  expect(body['messages'].map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'tool', 'tool']);
  expect(body['messages'][2].content).toContain('not shown');
});

test('C045 names are sent where the server takes them, cleaned and distinct', async () => {
  const messages = [new Msg({ name: '数据 分析.师', content: 'x' }), new Msg({ name: '数据 分析-师', content: 'y' }), new Msg({ name: 'x'.repeat(80), content: 'z' })];
  for (const { id, profile } of FAMILY) {
    const names = (await ask(id, { messages })).body['messages'].map(({ name }: { name?: string }) => name);
    if (profile.names) expect([new Set(names).size, names.every((name: string) => /^[\w-]{1,64}$/.test(name))]).toEqual([3, true]);
    else expect(names).toEqual([undefined, undefined, undefined]);
  }
  expect(messages[0]?.name).toBe('数据 分析.师');
});

const ALL: GenerateOptions = { temperature: 1.5, topP: 0, topK: 4, maxTokens: 9, seed: 1, frequencyPenalty: 0.1, presencePenalty: 0.2, thinkingBudget: 2048, parallelToolCalls: false };
const tools = [{ name: 'get', description: '', inputSchema: { type: 'object', additionalProperties: false, properties: { x: { type: 'string', anyOf: [{ minLength: 1 }] }, t: { type: 'array', items: [{ type: 'string' }] } } } }] as unknown as ModelRequest['tools'] & object;

test('each option is sent, moved into its range, or left out with a warning, once', async () => {
  const seen = await Promise.all(FAMILY.map(async ({ id }) => {
    const { body, warnings } = await ask(id, { options: ALL, tools });
    const { model: _model, stream: _stream, stream_options: _usage, messages: _messages, tools: _tools, ...rest } = body;
    return [id, rest, warnings.map((text) => text.split(' ')[1]).sort()];
  }));
  expect(seen).toEqual([
    ['deepseek', { temperature: 1.5, top_p: 0, max_tokens: 9, frequency_penalty: 0.1, presence_penalty: 0.2, thinking: { type: 'enabled' } }, ['parallelToolCalls', 'seed', 'thinkingBudget', 'topK']],
    ['glm', { temperature: 1, top_p: 0.01, max_tokens: 9, thinking: { type: 'enabled' } }, ['frequencyPenalty', 'parallelToolCalls', 'presencePenalty', 'seed', 'temperature', 'thinkingBudget', 'topK', 'topP']],
    ['kimi', { max_completion_tokens: 9, thinking: { type: 'enabled' } }, ['frequencyPenalty', 'parallelToolCalls', 'presencePenalty', 'seed', 'temperature', 'thinkingBudget', 'topK', 'topP']],
    ['minimax', { temperature: 1, top_p: 0, max_completion_tokens: 9, reasoning_split: true }, ['frequencyPenalty', 'parallelToolCalls', 'presencePenalty', 'seed', 'temperature', 'thinkingBudget', 'topK']],
    ['xai', { temperature: 1.5, top_p: 0, max_completion_tokens: 9, seed: 1, parallel_tool_calls: false }, ['frequencyPenalty', 'presencePenalty', 'thinkingBudget', 'topK']],
  ]);
});

test('an effort in the words of the server, and thinking switched off', async () => {
  const fields = async (id: string, options: GenerateOptions, modelName?: string): Promise<unknown> => {
    const { body } = await ask(id, { options }, modelName === undefined ? {} : { modelName });
    return { ...(body['thinking'] === undefined ? {} : { thinking: body['thinking'].type }), ...(body['reasoning_effort'] === undefined ? {} : { effort: body['reasoning_effort'] }) };
  };
  expect(await fields('deepseek', { reasoningEffort: 'medium' })).toEqual({ thinking: 'enabled', effort: 'high' });
  expect(await fields('deepseek', { reasoningEffort: 'xhigh' })).toEqual({ thinking: 'enabled', effort: 'max' });
  expect(await fields('deepseek', { thinkingBudget: 0 })).toEqual({ thinking: 'disabled' });
  expect(await fields('glm', { reasoningEffort: 'none' })).toEqual({ thinking: 'disabled' });
  expect(await fields('kimi', { reasoningEffort: 'medium' }, 'kimi-k3')).toEqual({ effort: 'high' });
  expect(await fields('minimax', { reasoningEffort: 'low' }, 'MiniMax-M3')).toEqual({ thinking: 'adaptive' });
  expect(await fields('minimax', { reasoningEffort: 'low' })).toEqual({});
  expect(await fields('xai', { reasoningEffort: 'low' })).toEqual({ effort: 'low' });
  expect(await fields('xai', { reasoningEffort: 'minimal' })).toEqual({ effort: 'low' });
  expect(await fields('xai', { reasoningEffort: 'max' })).toEqual({ effort: 'xhigh' });
});

test('a model that always thinks is not told to stop, and gets its thinking back all the same', async () => {
  for (const [id, modelName] of [['kimi', 'kimi-k3'], ['glm', 'glm-4.1v-thinking-flash'], ['glm', 'glm-z1-air'], ['deepseek', 'deepseek-reasoner']] as const) {
    for (const options of [{ reasoningEffort: 'none' }, { thinkingBudget: 0 }]) {
      const { body, warnings } = await ask(id, { options, messages: history(id) }, { modelName });
      expect([body['thinking'], body['reasoning_effort'], warnings.length]).toEqual([undefined, undefined, 1]);
      expect(body['messages'].filter((one: { tool_calls?: unknown }) => one.tool_calls !== undefined).map((one: { reasoning_content?: string }) => one.reasoning_content)[0]).toBe('r1');
    }
  }
});

test('a forced choice goes where it is taken; where it is not, the model chooses, with a warning', async () => {
  const chosen = async (id: string, toolChoice: ModelRequest['toolChoice'], options: GenerateOptions = {}): Promise<unknown> => {
    const { body, warnings } = await ask(id, { tools, toolChoice, options });
    return [body['tool_choice'], body['tools'] !== undefined, warnings.length];
  };
  expect(await Promise.all(FAMILY.map(({ id }) => chosen(id, 'required')))).toEqual([['auto', true, 1], ['auto', true, 1], ['auto', true, 1], [undefined, true, 1], ['required', true, 0]]);
  // Kimi may be told a tool by its name and no other way, while it does not think
  const two = [...tools, { name: 'put', description: '', inputSchema: {} }];
  const kimi = async (toolChoice: ModelRequest['toolChoice'], offered: ModelRequest['tools'], modelName?: string): Promise<unknown> =>
    (await ask('kimi', { tools: offered, toolChoice, options: { reasoningEffort: 'none' } }, modelName === undefined ? {} : { modelName })).body['tool_choice'];
  const get = { type: 'function', function: { name: 'get' } };
  expect(await Promise.all([kimi({ tool: 'get' }, two), kimi('required', tools), kimi('required', two), kimi('required', two, 'moonshot-v1-8k')])).toEqual([get, get, 'auto', 'auto']);
  expect(await kimi({ tool: 'get' }, two, 'kimi-k3')).toBe('auto');
  expect(await chosen('deepseek', { tool: 'get' }, { reasoningEffort: 'none' })).toEqual([{ type: 'function', function: { name: 'get' } }, true, 0]);
  expect(await Promise.all(FAMILY.map(({ id }) => chosen(id, 'none')))).toEqual([['none', true, 0], [undefined, false, 0], ['none', true, 0], [undefined, false, 0], ['none', true, 0]]);
});

test('schemas in the dialect of the server, and a format where it takes none', async () => {
  const schemaOf = async (id: string): Promise<any> => (await ask(id, { tools })).body['tools'][0].function.parameters;
  expect(await schemaOf('xai')).not.toHaveProperty('additionalProperties');
  expect((await schemaOf('kimi')).properties).toEqual({ x: { anyOf: [{ minLength: 1, type: 'string' }] }, t: { type: 'array', prefixItems: [{ type: 'string' }] } });
  const older = [{ name: 'f', description: '', inputSchema: { type: 'object', properties: { x: { $ref: '#/definitions/n' } }, definitions: { n: { type: 'object', properties: { next: { $ref: '#/definitions/n' } } } } } }] as const;
  expect((await ask('kimi', { tools: older })).body['tools'][0].function.parameters).toEqual({ type: 'object', properties: { x: { $ref: '#/$defs/n' } }, $defs: { n: { type: 'object', properties: { next: { $ref: '#/$defs/n' } } } } });
  expect((await ask('xai', { tools: older })).body['tools'][0].function.parameters).toEqual(older[0].inputSchema);
  const responseFormat = { name: 'n', schema: { type: 'object', properties: { n: { type: 'number' } } } } as const;
  const formats = await Promise.all(FAMILY.map(async ({ id }) => (await ask(id, { responseFormat })).body));
  expect(formats.map((body) => [body['response_format']?.type, body['messages'].at(-1).content.includes('JSON Schema')])).toEqual([['json_object', true], ['json_object', true], ['json_schema', false], [undefined, true], ['json_schema', false]]);
});

test('the open doors: body, headers and query of the call win over everything', async () => {
  for (const { id, make, modelName, keyVariable } of FAMILY) {
    const server = await playServer(playBytes([stopped({ content: 'Hello' })]));
    const options = { additionalBodyParams: { temperature: 7, anything: [1] }, additionalHeaders: { 'x-mine': '1' }, additionalQueryParams: { version: '2' } };
    await make({ modelName, apiKey: 'k', baseUrl: server.baseUrl }).call({ messages: hello, options });
    const [sent] = server.requests;
    expect([id, sent?.url, sent?.headers['x-mine'], sent?.headers.authorization]).toEqual([id, '/v1/chat/completions?version=2', '1', 'Bearer k']);
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({ temperature: 7, anything: [1] });
    expect(keyVariable).toMatch(/_API_KEY$/);
  }
});

test('without a key the error names the variable of the provider; key and address come from the environment', async () => {
  for (const { id, make, modelName, keyVariable, urlVariable } of FAMILY) {
    const before = [process.env[keyVariable], process.env[urlVariable]] as const;
    const server = await playServer(playBytes([stopped({ content: 'Hello' })]));
    try {
      delete process.env[keyVariable];
      process.env[urlVariable] = server.baseUrl;
      await expect(make({ modelName }).call({ messages: hello })).rejects.toMatchObject({ code: 'model/auth', details: { provider: id, variable: keyVariable } });
      process.env[keyVariable] = 'of-the-environment';
      await make({ modelName }).call({ messages: hello });
      expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer of-the-environment']);
    } finally {
      for (const [at, name] of [keyVariable, urlVariable].entries()) {
        if (before[at] === undefined) delete process.env[name];
        else process.env[name] = before[at];
      }
    }
  }
});

test('a key stands in the first of the provider\'s variables that is set', async () => {
  for (const [id, variable] of [['glm', 'ZHIPUAI_API_KEY'], ['kimi', 'KIMI_API_KEY']] as const) {
    vi.stubEnv(member(id).keyVariable, '');
    vi.stubEnv(variable, 'of-another-variable');
    const server = await playServer(playBytes([JSON.stringify({ error: { message: 'no' } })], { status: 401, type: 'application/json' }));
    const error: unknown = await member(id).make({ modelName: 'm', baseUrl: server.baseUrl }).call({ messages: hello }).catch((thrown: unknown) => thrown);
    vi.unstubAllEnvs();
    expect(server.requests[0]?.headers.authorization).toBe('Bearer of-another-variable');
    expect(error).toMatchObject({ code: 'model/auth', details: { variable } });
  }
});

describe('C137 errors', () => {
  const failing = async (id: string, body: unknown, status = 429): Promise<unknown> => {
    const { error, tries } = await ask(id, {}, { answer: JSON.stringify(body), status, type: 'application/json', maxRetries: 1 });
    return [error?.code, tries];
  };

  test('a limit that passes is tried again, one that somebody has to pay is not', async () => {
    expect(await failing('deepseek', { error: { message: 'Insufficient Balance', type: 'unknown_error', code: null } }, 402)).toEqual(['model/quota', 1]);
    expect(await failing('deepseek', { error: { message: 'busy', type: 'server_error' } }, 503)).toEqual(['model/overloaded', 2]);
    expect(await failing('kimi', { error: { message: 'x', type: 'exceeded_current_quota_error' } })).toEqual(['model/quota', 1]);
    expect(await failing('kimi', { error: { message: 'x', type: 'engine_overloaded_error' } })).toEqual(['model/overloaded', 2]);
    expect(await failing('kimi', { error: { message: 'x', type: 'rate_limit_reached_error' } })).toEqual(['model/rate-limit', 2]);
    expect(await failing('kimi', { error: { message: 'Your request exceeded model token limit: 8192', type: 'invalid_request_error' } }, 400)).toEqual(['model/context-overflow', 1]);
    expect(await failing('xai', { code: 'Some resource', error: 'slow down' })).toEqual(['model/rate-limit', 2]);
    for (const code of ['1302', '1303', '1305', '1312']) expect(await failing('glm', { error: { code, message: 'x' } })).toEqual(['model/rate-limit', 2]);
    for (const code of ['1113', '1304', '1308', '1309', '1310', '1313']) expect(await failing('glm', { error: { code, message: 'x' } })).toEqual(['model/quota', 1]);
    expect(await failing('glm', { error: { code: '1301', message: 'x' } }, 400)).toEqual(['model/refused', 1]);
    expect(await failing('glm', { error: { code: '1234', message: 'x' } }, 500)).toEqual(['model/overloaded', 2]);
  });

  test('MiniMax says errors with status 200, whole and in a stream; GLM and DeepSeek where a finish reason stands', async () => {
    const base = (status_code: number): unknown => ({ id: 'r', choices: null, base_resp: { status_code, status_msg: 'why' } });
    expect(await failing('minimax', base(1002), 200)).toEqual(['model/rate-limit', 2]);
    expect(await failing('minimax', base(1008), 200)).toEqual(['model/quota', 1]);
    expect(await failing('minimax', base(1004), 200)).toEqual(['model/auth', 1]);
    expect(await failing('minimax', base(1039), 200)).toEqual(['model/context-overflow', 1]);
    const inStream = await ask('minimax', {}, { answer: sse({ id: 'r', choices: [{ delta: { content: 'He' } }] }, base(1033)) });
    expect(inStream.error).toMatchObject({ code: 'model/overloaded', details: { providerCode: '1033', retryable: true } });
    const fine = await ask('minimax', {}, { answer: sse({ id: 'r', choices: [{ delta: { content: 'Hi' }, finish_reason: 'stop' }], base_resp: { status_code: 0, status_msg: '' } }) });
    expect(fine.response?.finishReason).toBe('stop');
    for (const [id, word] of [['glm', 'network_error'], ['deepseek', 'insufficient_system_resource']] as const) {
      expect((await ask(id, {}, { answer: sse({ id: 'r', choices: [{ delta: { content: 'He' } }] }, { id: 'r', choices: [{ delta: {}, finish_reason: word }] }, '[DONE]') })).error?.code).toBe('model/overloaded');
    }
    expect((await ask('glm', {}, { answer: sse({ id: 'r', choices: [{ delta: { content: 'He' } }] }, { id: 'r', choices: [{ delta: {}, finish_reason: 'sensitive' }] }, '[DONE]') })).response?.finishReason).toBe('content_filter');
  });

  test('blank lines and comments before an answer are nothing', async () => {
    expect((await ask('deepseek', {}, { answer: `\n\n${JSON.stringify({ id: 'r', choices: [{ message: { content: 'Hello' }, finish_reason: 'stop' }] })}`, type: 'application/json' })).response?.content).toEqual([{ type: 'text', text: 'Hello' }]);
    expect((await ask('deepseek', {}, { answer: `: keep-alive\n\n: keep-alive\n\n${stopped({ content: 'Hello' })}` })).response?.content).toEqual([{ type: 'text', text: 'Hello' }]);
  });
});

describe('a profile of one\'s own', () => {
  test('a server is what its profile says', async () => {
    const server = await playServer(playBytes([stopped({ reasoning: 'hm' }, { content: 'Hello' })]));
    const profile = defineCompatibleProfile({ name: 'mine', options: { seed: false, topP: [0.1, 0.9], topK: 'refused' }, extraBody: { user: 'u' }, replay: { thinking: 'always', field: 'reasoning' }, thinking: { byDefault: true } });
    const warnings: string[] = [];
    const model = new OpenAIChatModel({ modelName: 'm', apiKey: '', baseUrl: server.baseUrl, profile, onWarning: (text) => warnings.push(text) });
    const { content } = await model.call({ messages: hello, options: { seed: 1, topP: 1 } });
    await model.call({ messages: [...hello, assistant(content), new Msg({ content: 'more' })], options: { seed: 1, topP: 1 } });
    expect(JSON.parse(server.requests[1]?.body ?? '')).toMatchObject({ user: 'u', top_p: 0.9, messages: [{}, { role: 'assistant', content: 'Hello', reasoning: 'hm' }, {}] });
    expect(JSON.parse(server.requests[1]?.body ?? '')).not.toHaveProperty('seed');
    expect(warnings).toHaveLength(2);
    await expect(model.call({ messages: hello, options: { topK: 1 } })).rejects.toMatchObject({ code: 'config/invalid', details: { option: 'topK' } });
  });

  const wrong: Readonly<Record<string, Record<string, unknown>>> = {
    name: { name: 'Not A Word' },
    nothing: { nothing: true },
    lengthField: { lengthField: 'max' },
    'options.temperature': { options: { temperature: [2, 1] } },
    'options.heat': { options: { heat: true } },
    strict: { strict: true, format: 'object' },
    structured: { structured: true, format: 'none' },
    media: { content: 'text' },
    'media.imageTypes': { media: { imageTypes: [] } },
    'replay.empty': { replay: { empty: true } },
    noTool: { toolChoice: 'never' },
    'thinking.stops': { thinking: { byDefault: false, stops: false } },
    'thinking.efforts': { thinking: { control: 'none', efforts: { low: 'x' } } },
    maxIdLength: { maxIdLength: 0 },
    'families.models': { families: [{ models: '(' }] },
    'families.nothing': { families: [{ models: 'x', nothing: 1 }] },
    'families[x].strict': { families: [{ models: 'x', strict: true, format: 'object' }] },
  };
  test.for(Object.entries(wrong))('one that contradicts itself is refused, naming %s', ([member, spec]) => {
    const define = (): unknown => defineCompatibleProfile({ name: 'own', ...spec } as unknown as CompatibleProfileSpec);
    expect(define).toThrow(expect.objectContaining({ code: 'config/invalid', details: { option: `profile.${member}` } }) as Error);
    expect(() => new OpenAIChatModel({ modelName: 'm', profile: 'nobody' as 'openai' })).toThrow(expect.objectContaining({ code: 'config/invalid', details: { option: 'profile' } }) as Error);
  });
});
