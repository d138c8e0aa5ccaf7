import { expect, test } from 'vitest';
import type { GenerateOptions, ModelRequest } from '../../model/index.ts';
import { validateOllamaRequest } from '../../testing/validators/ollama.ts';
import { ignoredIn, requestText } from './request.ts';
import type { RequestBody } from './request.ts';

const messages = [{ role: 'user', content: 'hi' }];
const body = (request: Partial<ModelRequest>, more: Partial<RequestBody> = {}): Record<string, unknown> => {
  const made = JSON.parse(requestText({ messages: [], ...request }, { modelName: 'qwen3:8b', stream: true, messages, ...more })) as Record<string, unknown>;
  expect(validateOllamaRequest(made)).toEqual([]);
  return made;
};
const tool = { name: 'ns.get', description: 'd', inputSchema: { type: 'object', properties: { a: { type: 'integer' } } } };
const now = { name: 'now', description: '', inputSchema: {} };

test('S4-044 the smallest request says whether it streams and nothing that was not asked for, the messages last', () => {
  expect(requestText({ messages: [] }, { modelName: 'm', stream: true, messages })).toBe('{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}');
  expect(requestText({ messages: [] }, { modelName: 'm', stream: false, messages: 'odd' })).toBe('{"model":"m","stream":false,"messages":"odd"}');
});

test('options by their names; the context and the stay in memory; open doors win, options are merged', () => {
  const options = { temperature: 0, topP: 0.5, topK: 4, maxTokens: 9, seed: 1, frequencyPenalty: 0.1, presencePenalty: 0.2, cacheControl: true, additionalBodyParams: { options: { temperature: 1, stop: ['x'], min_p: 0.1 }, keep_alive: -1 } } as const;
  expect(body({ options }, { numCtx: 32_768, keepAlive: '10m' })).toEqual({
    model: 'qwen3:8b',
    stream: true,
    keep_alive: -1,
    options: { num_predict: 9, temperature: 1, top_p: 0.5, top_k: 4, seed: 1, frequency_penalty: 0.1, presence_penalty: 0.2, num_ctx: 32_768, stop: ['x'], min_p: 0.1 },
    messages,
  });
  expect(body({}, { keepAlive: 0 })).toMatchObject({ keep_alive: 0 });
  expect(body({ options: { additionalBodyParams: { messages: [{ role: 'user', content: 'other' }] } } })['messages']).toEqual([{ role: 'user', content: 'other' }]);
});

test('thinking is on or off, or a level where the model has levels; a call wins over the model\'s option', () => {
  const think = (options: GenerateOptions, modelName = 'qwen3:8b', more: Partial<RequestBody> = {}): unknown => body({ options }, { modelName, ...more })['think'];
  expect(['none', 'minimal', 'low', 'high', 'odd'].map((reasoningEffort) => think({ reasoningEffort }))).toEqual([false, true, true, true, true]);
  expect(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'odd'].map((reasoningEffort) => think({ reasoningEffort }, 'gpt-oss:20b'))).toEqual(['low', 'low', 'low', 'medium', 'high', 'high', 'medium']);
  expect([0, -1, 1, 8_000, 64_000].map((thinkingBudget) => think({ thinkingBudget }))).toEqual([false, true, true, true, true]);
  expect([0, -1, 1, 8_000, 64_000].map((thinkingBudget) => think({ thinkingBudget }, 'library/gpt-oss:120b'))).toEqual(['low', 'medium', 'low', 'medium', 'high']);
  expect([think({}), think({}, 'qwen3:8b', { think: true }), think({ reasoningEffort: 'none' }, 'qwen3:8b', { think: true }), think({}, 'gpt-oss', { think: 'high' })]).toEqual([undefined, true, false, 'high']);
});

test('tools have legal names and an object at the root; a choice can only narrow them, and what cannot be said is told', () => {
  const chosen = (toolChoice: ModelRequest['toolChoice']): unknown => {
    const request = { tools: [tool, now], toolChoice };
    const offered = body(request)['tools'] as readonly { function: { name: string } }[] | undefined;
    return [offered?.map((one) => one.function.name), ignoredIn({ messages: [], ...request })];
  };
  expect(body({ tools: [tool, now] })['tools']).toEqual([
    { type: 'function', function: { name: 'ns_get', description: 'd', parameters: tool.inputSchema } },
    { type: 'function', function: { name: 'now', description: '', parameters: { type: 'object' } } },
  ]);
  expect([chosen(undefined), chosen('auto'), chosen('none'), chosen('required'), chosen({ tool: 'ns.get' }), chosen({ tool: 'nobody' })]).toEqual([
    [['ns_get', 'now'], []],
    [['ns_get', 'now'], []],
    [undefined, []],
    [['ns_get', 'now'], ['toolChoice']],
    [['ns_get'], ['toolChoice']],
    [undefined, []],
  ]);
  expect(body({ tools: [], toolChoice: 'required', options: { parallelToolCalls: true } })).toEqual(body({}));
  expect(ignoredIn({ messages: [], tools: [tool], options: { parallelToolCalls: false, thinkingBudget: 100 } })).toEqual(['parallelToolCalls', 'thinkingBudget']);
});

test('structured output is a format, but not beside tools, which it would silence', () => {
  const responseFormat = { name: 'answer', schema: { properties: { n: { type: 'integer' } } } };
  expect(body({ responseFormat })['format']).toEqual({ type: 'object', properties: { n: { type: 'integer' } } });
  expect([body({ responseFormat, tools: [tool] })['format'], ignoredIn({ messages: [], responseFormat, tools: [tool] })]).toEqual([undefined, ['responseFormat']]);
  expect(body({ responseFormat, tools: [tool], toolChoice: 'none' })).toMatchObject({ format: { type: 'object' } });
});

test('C129 no half surrogate leaves in a description either', () => {
  expect(requestText({ messages: [], tools: [{ ...tool, description: 'x\ud83d' }] }, { modelName: 'm', stream: true, messages })).toContain('x\ufffd');
});
