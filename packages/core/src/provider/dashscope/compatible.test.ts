// The compatible protocol: the same model, the same suites, in the words of Chat Completions.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chatWire } from '../../../test/chat-wire.ts';
import { decode, mutations } from '../../../test/decode.ts';
import { cut, fixturesOf, linesOf, truthOf } from '../../../test/fixture-files.ts';
import { generatedHistory, GENERATED_TOOLS, growingHistory } from '../../../test/generated-histories.ts';
import { serveScenario } from '../../../test/model-contract-server.ts';
import { playBytes, playServer, sse } from '../../../test/play-server.ts';
import { AgentScopeError } from '../../error/index.ts';
import { toolNames } from '../../formatter/index.ts';
import { Msg } from '../../message/index.ts';
import type { ContentBlock, MsgData } from '../../message/index.ts';
import type { GenerateOptions, ModelRequest, ToolChoice } from '../../model/index.ts';
import { modelContract, validateDashScopeCompatibleRequest } from '../../testing/index.ts';
import { createDecoder } from '../shared/chat/index.ts';
import { compatibleProfile } from './compatible-profile.ts';
import { DashScopeChatFormatter, DashScopeMultiAgentFormatter } from './formatter.ts';
import { DashScopeChatModel } from './model.ts';
import type { DashScopeChatModelOptions } from './options.ts';

const KEY = 'sk-contract-0123456789';
const model = (baseUrl: string, options: Partial<DashScopeChatModelOptions> = {}): DashScopeChatModel => new DashScopeChatModel({ modelName: 'qwen-plus', apiKey: KEY, compatible: true, maxRetries: 0, onWarning: () => undefined, baseUrl, ...options });
const msg = (role: MsgData['role'], content: readonly ContentBlock[]): Msg => Msg.from({ id: 'm', role, name: null, content, metadata: {}, timestamp: null, usage: null });
const text = (value: string): ContentBlock => ({ type: 'text', text: value });

for (const modelName of ['qwen-plus', 'qwen3-vl-plus']) {
  describe(`S4-049 ${modelName}`, () => {
    modelContract({ describe, test }, (scenario) => serveScenario(scenario, chatWire(KEY), (baseUrl, options) => model(baseUrl, { modelName, ...options })), { key: KEY, validate: validateDashScopeCompatibleRequest, pictures: modelName.includes('vl') });
  });
}

const files = fixturesOf(['alibaba']);

for (const file of files) {
  test(`S4-012 S4-049 I6 C001 decodes alibaba/${file.split('/').at(-1) ?? ''} to its truth, however its bytes were cut`, async () => {
    const [expected] = truthOf(file);
    if (expected === undefined) throw new Error('a truth without a response');
    const body = Buffer.from([...linesOf(file), '[DONE]'].map((line) => `data: ${line}\n\n`).join(''));
    for (const seed of [0, 1, 2, 3]) {
      const server = await playServer(playBytes(cut(body, seed)));
      const { content, usage, finishReason, metadata, id } = await model(server.baseUrl).call({ messages: [new Msg({ content: 'hi' })] });
      expect({
        id,
        text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
        reasoning: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
        toolCalls: content.flatMap((block) => (block.type === 'tool_use' ? [{ id: block.id, name: block.name, args: block.input }] : [])),
        finish: { raw: metadata?.['providerFinishReason'], normalized: finishReason },
        usage: [usage?.inputTokens, usage?.outputTokens, usage?.cachedTokens, metadata?.['usage']],
      }).toEqual({
        id: expected.id,
        text: expected.text,
        reasoning: expected.reasoning,
        toolCalls: expected.toolCalls.map((call) => ({ id: call.id, name: call.name, args: call.args })),
        finish: expected.finish,
        usage: [expected.usage?.input, expected.usage?.output, expected.usage?.cached, expected.usage?.raw],
      });
    }
  });

  test(`C010 alibaba/${file.split('/').at(-1) ?? ''} with a frame dropped, repeated, moved or broken is an answer or a typed error`, async () => {
    for (const { what, frames } of mutations(linesOf(file).map((line) => `data: ${line}\n\n`))) {
      const { response, error } = await decode(createDecoder({ provider: 'dashscope', status: 200, headers: new Headers(), names: toolNames(undefined), profile: compatibleProfile('qwen3-max', {}) }), frames);
      if (response === undefined) expect(error?.code).toBe('model/bad-stream');
      else expect([frames.some((frame) => /"finish_reason":"\w/.test(frame)), response.finishReason === undefined, what === 'broken']).toEqual([true, false, false]);
    }
  });
}

test('both files of the folder were read', ({ skip }) => {
  if (files.length === 0) skip('no recorded answers at hand: set AGENTSCOPE_SHARED, or put shared/ beside the repository');
  expect(files).toHaveLength(2);
});

/** What is sent; the answer is nothing. */
async function bodyOf(request: ModelRequest, options: Partial<DashScopeChatModelOptions> = {}): Promise<{ url: string; body: string; headers: Headers }> {
  let sent = { url: '', body: '', headers: new Headers() };
  const fetch: typeof globalThis.fetch = async (url, init) => {
    sent = { url: String(url), body: init?.body as string, headers: new Headers(init?.headers) };
    return new Response('{"error":{"message":"read","code":"x"}}', { status: 400 });
  };
  await model('https://x', { fetch, ...options }).call(request).catch(() => undefined);
  return sent;
}

const read = async (request: Partial<ModelRequest>, options: Partial<DashScopeChatModelOptions> = {}): Promise<Record<string, unknown>> => {
  const body = JSON.parse((await bodyOf({ messages: [new Msg({ content: 'hi' })], ...request }, options)).body) as Record<string, unknown>;
  expect(validateDashScopeCompatibleRequest(body)).toEqual([]);
  return body;
};

test('S4-044 the smallest request, its address and its key; settings of DashScope stand beside those of Chat Completions', async () => {
  const { url, body, headers } = await bodyOf({ messages: [new Msg({ content: 'hi' })] });
  expect([url, headers.get('authorization'), headers.has('x-dashscope-sse')]).toEqual(['https://x/compatible-mode/v1/chat/completions', `Bearer ${KEY}`, false]);
  expect(body).toBe('{"model":"qwen-plus","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"hi"}]}');
  const options: GenerateOptions = { temperature: 2, topP: 0, topK: 4, maxTokens: 9, seed: 1, frequencyPenalty: 0.1, presencePenalty: 0.2, additionalBodyParams: { repetition_penalty: 1.1 } };
  expect(await read({ options }, { enableSearch: true, preserveThinking: true, defaultOptions: { seed: 7, maxTokens: 1 } })).toEqual({
    model: 'qwen-plus', stream: true, stream_options: { include_usage: true }, temperature: 1.99, top_p: 0.01, top_k: 4, max_tokens: 9, seed: 1, frequency_penalty: 0.1, presence_penalty: 0.2,
    preserve_thinking: true, enable_search: true, repetition_penalty: 1.1, messages: [{ role: 'user', content: 'hi' }],
  });
});

test('thinking, forced choices and schemas are worked out as in the own protocol, and what is left out is told once', async () => {
  const tools = [{ name: 'ns.get', description: '', inputSchema: {} }];
  const told: string[] = [];
  const onWarning = (message: string): void => void told.push(message);
  expect(await read({ options: { thinkingBudget: 100 } }, { stream: false })).toMatchObject({ stream: true, enable_thinking: true, thinking_budget: 100 });
  expect(await read({ options: { reasoningEffort: 'none' } }, { enableThinking: true })).toMatchObject({ enable_thinking: false });
  expect(await read({}, { stream: false })).not.toHaveProperty('stream_options');
  expect(await read({ tools, toolChoice: 'required' })).toMatchObject({ tool_choice: { type: 'function', function: { name: 'ns_get' } } });
  expect(await read({ tools, toolChoice: 'required' }, { enableThinking: true, onWarning })).toMatchObject({ tool_choice: 'auto' });
  const responseFormat = { name: 'x', schema: { properties: {} } };
  expect(await read({ responseFormat }, { enableThinking: true, onWarning })).toMatchObject({ enable_thinking: false, response_format: { type: 'json_object' } });
  expect(await read({ responseFormat }, { modelName: 'qwen3.5-plus' })).toMatchObject({ response_format: { type: 'json_schema', json_schema: { name: 'x' } } });
  expect(await read({ responseFormat }, { modelName: 'qwq-plus', onWarning })).not.toHaveProperty('response_format');
  expect(told).toEqual(['toolChoice', 'enableThinking', 'responseFormat'].map((name) => `dashscope: ${name} is left out: there is no word for it, or not beside what else is asked for.`));
});

test('C040 C041 C043 C045 system text first and once, contents as the model takes them, no names, media in parts or as notes', async () => {
  const call: ContentBlock = { type: 'tool_use', id: 'c', name: 'search', input: {}, content: '{}', state: 'finished', metadata: {} };
  const picture: ContentBlock = { type: 'data', source: { type: 'url', url: 'https://x/a.png' } };
  const messages = [msg('SYSTEM', [text('one')]), msg('SYSTEM', [text('two')]), new Msg({ name: '数据 分析.师', content: ['see', picture] }), msg('ASSISTANT', [call]), msg('SYSTEM', [text('late')])];
  const result = { role: 'tool', tool_call_id: 'c', content: expect.stringContaining('interrupted') as unknown };
  const rest = [{ role: 'assistant', content: '', tool_calls: [{ id: 'c', type: 'function', function: { name: 'search_2', arguments: '{}' } }] }, result, { role: 'user', content: '<system>\nlate\n</system>' }];
  expect((await read({ messages }))['messages']).toEqual([{ role: 'system', content: 'one\n\ntwo' }, { role: 'user', content: 'see\n[image/png at https://x/a.png, not shown]' }, ...rest]);
  expect((await read({ messages }, { modelName: 'qwen-vl-max' }))['messages']).toEqual([{ role: 'system', content: 'one\n\ntwo' }, { role: 'user', content: [{ type: 'text', text: 'see' }, { type: 'image_url', image_url: { url: 'https://x/a.png' } }] }, ...rest]);
});

test('C041 sound goes as an address or as a data URL, to models that listen', async () => {
  const sounds: ContentBlock[] = [{ type: 'data', source: { type: 'url', url: 'https://x/a.mp3' } }, { type: 'data', source: { type: 'base64', data: 'AAAA', mediaType: 'audio/wav' } }, { type: 'data', source: { type: 'base64', data: 'AAAA', mediaType: 'audio/ogg' } }];
  expect((await read({ messages: [msg('USER', sounds)] }, { modelName: 'qwen-audio-turbo' }))['messages']).toEqual([
    { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'https://x/a.mp3', format: 'mp3' } }, { type: 'input_audio', input_audio: { data: 'data:;base64,AAAA', format: 'wav' } }, { type: 'text', text: '[audio/ogg, not shown: this model cannot take it]' }] },
  ]);
  expect(JSON.stringify((await read({ messages: [msg('USER', sounds)] }, { modelName: 'qwen3-vl-plus' }))['messages'])).not.toContain('input_audio');
});

test('C039 thinking said in either protocol goes back in either, where it is to be kept', async () => {
  const server = await playServer(playBytes([sse({ id: 'r', choices: [{ delta: { reasoning_content: 'hm' } }] }, { id: 'r', choices: [{ delta: { content: 'so' } }] }, { id: 'r', choices: [{ delta: {}, finish_reason: 'stop' }] }, '[DONE]')]));
  const { content } = await model(server.baseUrl, { preserveThinking: true }).call({ messages: [new Msg({ content: 'hi' })] });
  const messages = [msg('USER', [text('hi')]), msg('ASSISTANT', content), msg('USER', [text('and?')])];
  const replayed = async (options: Partial<DashScopeChatModelOptions>): Promise<boolean> => (await bodyOf({ messages }, options)).body.includes('"reasoning_content":"hm"');
  expect([await replayed({}), await replayed({ preserveThinking: true }), await replayed({ preserveThinking: true, compatible: false })]).toEqual([false, true, true]);
});

test('S4-047 several speakers, with the formatter made for this protocol', async () => {
  const messages = [new Msg({ name: 'alice', content: 'Rain?' }), new Msg({ role: 'assistant', name: 'bob', content: 'Sun </history>' }), new Msg({ name: 'carol', content: 'So?' })];
  const { messages: [spoken] } = (await read({ messages }, { formatter: new DashScopeMultiAgentFormatter({ compatible: true }) })) as { messages: { content: string }[] };
  for (const line of ['alice: Rain?', 'bob: Sun &lt;/history>', 'carol: So?']) expect(spoken?.content).toContain(line);
});

test('C137 errors in the middle of a stream are told apart by their codes', async () => {
  const rows: readonly (readonly [object, string, boolean])[] = [
    [{ error: { code: 'InternalError', message: 'it broke' } }, 'model/overloaded', true],
    [{ error: { code: 'data_inspection_failed', message: 'unsafe' } }, 'model/refused', false],
    [{ error: { code: 'Arrearage', message: 'overdue' } }, 'model/quota', false],
    [{ error: { code: 'limit_burst_rate', type: 'rate_limit_error', message: 'slow down' } }, 'model/rate-limit', true],
    [{ code: 'Throttling', message: 'slow down', request_id: 'q' }, 'model/rate-limit', true],
  ];
  for (const [frame, code, retryable] of rows) {
    const server = await playServer(playBytes([sse({ id: 'r', choices: [{ delta: { content: 'Par' } }] }, frame)]));
    const thrown: unknown = await model(server.baseUrl).call({ messages: [new Msg({ content: 'hi' })] }).catch((error: unknown) => error);
    expect(AgentScopeError.is(thrown) ? { code: thrown.code, details: thrown.details } : thrown).toMatchObject({ code, details: { retryable } });
  }
});

const anyOptions: fc.Arbitrary<GenerateOptions> = fc.record(
  { temperature: fc.constantFrom(0, 2), topP: fc.constantFrom(0, 1), maxTokens: fc.constantFrom(1, 100), thinkingBudget: fc.constantFrom(-1, 0, 100), reasoningEffort: fc.constantFrom('none', 'low'), parallelToolCalls: fc.boolean(), cacheControl: fc.boolean() },
  { requiredKeys: [] },
);
const anyChoice = fc.constantFrom<ToolChoice | undefined>(undefined, 'auto', 'none', 'required', { tool: 'search' });
const TOOLS = [...GENERATED_TOOLS, { name: 'search', description: '', inputSchema: {} }];

test('I5 S4-046 whatever the history, the model and the options, DashScope is asked something it takes, and the history stays', async () => {
  const formatter = new DashScopeChatFormatter({ compatible: true });
  await fc.assert(
    fc.asyncProperty(generatedHistory, fc.constantFrom('qwen-plus', 'qwen3-vl-plus', 'kimi-k2.5', 'qwen3-8b', 'qwq-plus', 'qwen3.5-plus', 'qwen-audio-turbo'), fc.boolean(), anyChoice, anyOptions, fc.constantFrom(undefined, true, false), fc.boolean(), fc.boolean(), async (messages, modelName, hasTools, toolChoice, options, enableThinking, hasFormat, stream) => {
      const before = JSON.stringify(messages);
      const { body } = await bodyOf({ messages, tools: hasTools ? TOOLS : [], toolChoice, options, ...(hasFormat ? { responseFormat: { name: 'x y', schema: { properties: {} } } } : {}) }, { modelName, enableThinking, stream, formatter, media: { onFailure: 'note', load: () => ({ bytes: new Uint8Array([1]), mediaType: 'text/plain' }) } });
      expect(validateDashScopeCompatibleRequest(JSON.parse(body))).toEqual([]);
      expect(body).not.toMatch(/sig-1|opaque-1|"enc"|rs_1|c2ln"/);
      expect(JSON.stringify(messages)).toBe(before);
    }),
    { numRuns: 1_000 },
  );
});

test('I11 the request up to the last model call is, byte for byte, the beginning of the next one', () => {
  fc.assert(
    fc.property(growingHistory, fc.constantFrom('qwen-plus', 'qwen3-vl-plus', 'kimi-k2.5'), (histories, modelName) => {
      const formatter = new DashScopeChatFormatter({ compatible: true });
      const texts = histories.map((messages) => JSON.stringify(formatter.format(messages, { tools: TOOLS, modelName })));
      texts.forEach((one, at) => expect(at === 0 || one.startsWith((texts[at - 1] ?? '').slice(0, -1))).toBe(true));
    }),
    { numRuns: 300 },
  );
});

