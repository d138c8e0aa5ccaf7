import { expect, test } from 'vitest';
import type { GenerateOptions, ModelRequest } from '../../model/index.ts';
import { validateDashScopeRequest } from '../../testing/validators/dashscope.ts';
import { ignoredIn, isIncremental, requestText } from './request.ts';
import type { RequestSettings } from './request.ts';
import { isStreamed } from './thinking.ts';

type Json = Record<string, unknown>;
const messages = [{ role: 'user', content: 'hi' }];
const tool = { name: 'ns.get', description: 'd', inputSchema: { type: 'object', properties: { a: { type: 'integer' } } } };
const search = { name: 'search', description: '', inputSchema: {} };
const responseFormat = { name: 'my answer', schema: { properties: { n: { type: 'integer' } } } };
const settings = (more: Partial<RequestSettings> = {}): RequestSettings => ({ modelName: 'qwen-plus', stream: true, ...more });
const parameters = (request: Partial<ModelRequest>, more: Partial<RequestSettings> = {}): Json => {
  const body = JSON.parse(requestText({ messages: [], ...request }, settings(more), messages)) as { parameters: Json };
  expect(validateDashScopeRequest(body)).toEqual([]);
  return body.parameters;
};
const ignored = (request: Partial<ModelRequest>, more: Partial<RequestSettings> = {}): readonly string[] => ignoredIn({ messages: [], ...request }, settings(more));

test('S4-044 the smallest request says its form and whether it goes by increments, the messages last', () => {
  expect(requestText({ messages: [] }, settings(), messages)).toBe('{"model":"qwen-plus","parameters":{"result_format":"message","incremental_output":true},"input":{"messages":[{"role":"user","content":"hi"}]}}');
  expect(requestText({ messages: [] }, settings({ stream: false }), 'odd')).toBe('{"model":"qwen-plus","parameters":{"result_format":"message"},"input":{"messages":"odd"}}');
});

test('options by their names, the bounds that are left out moved inside; what has no word is told', () => {
  const options: GenerateOptions = { temperature: 2, topP: 0, topK: 4, maxTokens: 9, seed: 1, presencePenalty: 0.2, frequencyPenalty: 0.1 };
  expect(parameters({ options })).toEqual({ result_format: 'message', incremental_output: true, temperature: 1.99, top_p: 0.01, top_k: 4, max_tokens: 9, seed: 1, presence_penalty: 0.2 });
  expect([ignored({ options }), ignored({ options: { temperature: 2 } })]).toEqual([['frequencyPenalty'], []]);
  expect(parameters({ options: { temperature: 0, topP: 1 } })).toMatchObject({ temperature: 0, top_p: 1 });
});

test('open doors win: a setting by its bare name, whole members merged, another model, other messages', () => {
  const body = (additionalBodyParams: GenerateOptions['additionalBodyParams']): Json => JSON.parse(requestText({ messages: [], options: { temperature: 0, additionalBodyParams: additionalBodyParams ?? {} } }, settings(), messages)) as Json;
  expect(body({ enable_search: true, parameters: { temperature: 1, search_options: { forced_search: true } }, model: 'other' })).toEqual({
    model: 'other',
    parameters: { result_format: 'message', incremental_output: true, temperature: 1, enable_search: true, search_options: { forced_search: true } },
    input: { messages },
  });
  expect(body({ input: { more: 1 } })['input']).toEqual({ more: 1, messages });
  expect(body({ input: { messages: [] } })['input']).toEqual({ messages: [] });
});

test('what the model says in every request', () => {
  expect(parameters({}, { enableSearch: true, preserveThinking: true, incrementalOutput: false })).toEqual({ result_format: 'message', incremental_output: false, enable_search: true, preserve_thinking: true });
  expect([isIncremental({ messages: [] }, settings()), isIncremental({ messages: [] }, settings({ incrementalOutput: false })), isIncremental({ messages: [], options: { additionalBodyParams: { parameters: { incremental_output: false } } } }, settings())]).toEqual([true, false, false]);
});

test('thinking: a budget or an effort of the call wins over the option of the model; it comes in a stream of increments', () => {
  const said = (options: GenerateOptions, more: Partial<RequestSettings> = {}): unknown => {
    const { enable_thinking: on, thinking_budget: budget, reasoning_effort: effort } = parameters({ options }, more);
    return [on, budget, effort].map((one) => one ?? '-').join(' ');
  };
  expect([0, -1, 500].map((thinkingBudget) => said({ thinkingBudget }))).toEqual(['false - -', 'true - -', 'true 500 -']);
  expect(['none', 'low', 'high'].map((reasoningEffort) => said({ reasoningEffort }))).toEqual(['false - -', 'true - low', 'true - high']);
  expect([said({}), said({}, { enableThinking: true }), said({}, { enableThinking: false }), said({ thinkingBudget: 0 }, { enableThinking: true })]).toEqual(['- - -', 'true - -', 'false - -', 'false - -']);
  expect(said({ thinkingBudget: 500, reasoningEffort: 'high' })).toBe('true 500 high');
  expect(parameters({}, { enableThinking: true, stream: false, incrementalOutput: false })).toMatchObject({ enable_thinking: true, incremental_output: true });
  expect([isStreamed({}, settings({ stream: false })), isStreamed({}, settings({ stream: false, enableThinking: true })), isStreamed({ options: { thinkingBudget: 0 } }, settings({ stream: false, enableThinking: true }))]).toEqual([false, true, false]);
});

test('open models that think unasked are asked not to where nothing is streamed; models that always think are never asked not to', () => {
  const on = (modelName: string, more: Partial<RequestSettings> = {}, options: GenerateOptions = {}): unknown => parameters({ options }, { modelName, ...more })['enable_thinking'];
  expect([on('qwen3-8b'), on('qwen3-235b-a22b', { stream: false }), on('qwen3-8b', { stream: false, enableThinking: true })]).toEqual([undefined, false, true]);
  for (const modelName of ['qwq-plus', 'qvq-max', 'qwen3-235b-a22b-thinking-2507']) expect([on(modelName, { stream: false }), on(modelName, { enableThinking: false }), on(modelName, {}, { thinkingBudget: 9 })]).toEqual([undefined, undefined, true]);
  expect([ignored({ options: { reasoningEffort: 'none' } }, { modelName: 'qwq-plus' }), ignored({}, { modelName: 'qwq-plus', enableThinking: false }), ignored({ options: { thinkingBudget: 0 } }, { modelName: 'qwq-plus' })]).toEqual([['reasoningEffort'], ['enableThinking'], ['thinkingBudget']]);
});

test('C026 tools have legal names, none is "search"; a choice by name, of "required" where there is one tool, and never while thinking', () => {
  const chosen = (toolChoice: ModelRequest['toolChoice'], tools = [tool, search], more: Partial<RequestSettings> = {}): unknown => {
    const choice = parameters({ tools, toolChoice }, more)['tool_choice'] as { function?: { name: string } } | string | undefined;
    return [typeof choice === 'object' ? choice.function?.name : choice, ignored({ tools, toolChoice }, more)];
  };
  expect(parameters({ tools: [tool, search], options: { parallelToolCalls: true } })).toMatchObject({
    tools: [{ type: 'function', function: { name: 'ns_get', description: 'd', parameters: tool.inputSchema } }, { type: 'function', function: { name: 'search_2', description: '', parameters: { type: 'object' } } }],
    parallel_tool_calls: true,
  });
  expect([chosen('auto'), chosen('none'), chosen(undefined), chosen({ tool: 'search' }), chosen({ tool: 'nobody' })]).toEqual([['auto', []], ['none', []], [undefined, []], ['search_2', []], ['auto', ['toolChoice']]]);
  expect([chosen('required'), chosen('required', [tool]), chosen({ tool: 'ns.get' }, [tool], { enableThinking: true }), chosen('required', [tool], { modelName: 'qwq-plus' })]).toEqual([['auto', ['toolChoice']], ['ns_get', []], ['auto', ['toolChoice']], ['auto', ['toolChoice']]]);
  expect([parameters({ tools: [], toolChoice: 'required', options: { parallelToolCalls: true } }), ignored({ tools: [], toolChoice: 'required' })]).toEqual([parameters({}), []]);
});

test('an answer in a schema is not thought about, and says so where that was asked for; a model that always thinks leaves it out', () => {
  const newest = { modelName: 'qwen3.5-max' };
  expect(parameters({ responseFormat }, { ...newest, enableThinking: true })).toEqual({ result_format: 'message', incremental_output: true, enable_thinking: false, response_format: { type: 'json_schema', json_schema: { name: 'my_answer', schema: { type: 'object', properties: { n: { type: 'integer' } } } } } });
  expect([ignored({ responseFormat }, { enableThinking: true }), ignored({ responseFormat, options: { reasoningEffort: 'low' } }), ignored({ responseFormat })]).toEqual([['enableThinking'], ['reasoningEffort'], []]);
  expect([parameters({ responseFormat }, { modelName: 'qwq-plus' })['response_format'], ignored({ responseFormat }, { modelName: 'qwq-plus' })]).toEqual([undefined, ['responseFormat']]);
  expect([parameters({ responseFormat }, { modelName: 'qwen3-8b' })['enable_thinking'], parameters({ responseFormat })['enable_thinking']]).toEqual([false, undefined]);
});

test('a model that takes no schema is told it, last, in the form its endpoint wants, and asked for JSON', () => {
  const body = (wire: unknown, modelName: string): { parameters: Json; input: { messages: { role: string; content: unknown }[] } } => {
    const made = JSON.parse(requestText({ messages: [], responseFormat }, settings({ modelName }), wire)) as ReturnType<typeof body>;
    expect(validateDashScopeRequest(made)).toEqual([]);
    return made;
  };
  const told = 'Answer with one JSON object and nothing else. It obeys this JSON Schema:\n{"properties":{"n":{"type":"integer"}}}';
  expect(body(messages, 'qwen-plus')).toMatchObject({ parameters: { response_format: { type: 'json_object' } }, input: { messages: [...messages, { role: 'user', content: told }] } });
  expect(body([{ role: 'user', content: [{ text: 'hi' }] }], 'qwen-vl-max').input.messages.at(-1)).toEqual({ role: 'user', content: [{ text: told }] });
  expect([body(messages, 'qwen3.5-max').input.messages, body(messages, 'qwq-plus').input.messages]).toEqual([messages, messages]);
});

test('cache marks on request, where content is in parts: the system prompt, the end, and the newest, four in all', () => {
  const mark = { type: 'ephemeral' };
  const parts = (...texts: readonly string[]): Json[] => texts.map((text) => ({ text, ...(text.startsWith('*') ? { cache_control: mark } : {}) }));
  const marked = (list: readonly object[], cacheControl?: GenerateOptions['cacheControl']): unknown => {
    const body = JSON.parse(requestText({ messages: [], ...(cacheControl === undefined ? {} : { options: { cacheControl } }) }, settings(), list)) as { input: { messages: { content: string | { text: string; cache_control?: object }[] }[] } };
    expect(validateDashScopeRequest(body)).toEqual([]);
    return body.input.messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content.flatMap(({ text, cache_control: has }) => (has === undefined ? [] : [text]))));
  };
  const list = [{ role: 'system', content: parts('s', 't') }, { role: 'user', content: parts('*a', 'b') }, { role: 'assistant', content: parts('c') }, { role: 'user', content: parts('*d', '*e') }, { role: 'user', content: parts('f') }];
  expect([marked(list), marked(list, false), marked(list, '1h'), marked(messages, true)]).toEqual([['*a', '*d', '*e'], ['*a', '*d', '*e'], ['t', '*d', '*e', 'f'], []]);
  expect(JSON.stringify(list)).not.toContain('"f","cache_control"');
});

test('C129 no half surrogate leaves in a description either', () => {
  expect(requestText({ messages: [], tools: [{ ...tool, description: 'x\ud83d' }] }, settings(), messages)).toContain('x\ufffd');
});
