import { expect, test } from 'vitest';
import type { ModelRequest } from '../../model/index.ts';
import { validateAnthropicRequest } from '../../testing/validators/anthropic.ts';
import { requestText } from './request.ts';
import type { AnthropicThinking } from './thinking.ts';

type Body = Record<string, unknown>;

const messages = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] as const;
const round = (thinking?: object): object[] => [messages[0], { role: 'assistant', content: [...(thinking === undefined ? [] : [thinking]), { type: 'tool_use', id: 'a', name: 'f', input: {} }] }, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'r' }] }];

function body(request: Partial<ModelRequest>, { thinking, wire = { system: [], messages }, stream = true }: { thinking?: AnthropicThinking; wire?: unknown; stream?: boolean } = {}): Body {
  const value = JSON.parse(requestText({ messages: [], ...request }, { modelName: 'm', stream, thinking, wire })) as Body;
  expect(validateAnthropicRequest(value)).toEqual([]);
  return value;
}
const tools = [{ name: 'a.b', description: '', inputSchema: {} }];

test('S4-044 the smallest request holds nothing that was not asked for', () => {
  expect(body({})).toEqual({ model: 'm', max_tokens: 8192, stream: true, messages });
  expect(body({}, { stream: false, wire: { system: [{ type: 'text', text: 'S' }], messages } })).toEqual({ model: 'm', max_tokens: 8192, stream: false, system: [{ type: 'text', text: 'S' }], messages });
});

test('S4-031 no tools and no choice without tools; with them names made legal, every choice, one call at a time', () => {
  expect(body({ tools: [], toolChoice: 'required', options: { parallelToolCalls: false } })).toEqual(body({}));
  const choice = (request: Partial<ModelRequest>): unknown => body({ tools, ...request })['tool_choice'];
  expect(body({ tools })).toMatchObject({ tools: [{ name: 'a_b', input_schema: { type: 'object' } }] });
  expect([choice({}), choice({ toolChoice: 'auto' }), choice({ toolChoice: 'none' }), choice({ toolChoice: 'required' }), choice({ toolChoice: { tool: 'a.b' } })]).toEqual([undefined, { type: 'auto' }, { type: 'none' }, { type: 'any' }, { type: 'tool', name: 'a_b' }]);
  expect([choice({ options: { parallelToolCalls: false } }), choice({ toolChoice: 'required', options: { parallelToolCalls: false } })]).toEqual([{ type: 'auto', disable_parallel_tool_use: true }, { type: 'any', disable_parallel_tool_use: true }]);
});

test('C090 nothing is forced, and nearly nothing sampled, while the model thinks', () => {
  const asked: Partial<ModelRequest> = { tools, toolChoice: 'required', options: { thinkingBudget: 2000, temperature: 0.5, topK: 3, topP: 0.5 } };
  expect(body(asked)).toEqual({ ...body({ tools, toolChoice: 'auto' }), thinking: { type: 'enabled', budget_tokens: 2000 } });
  expect(body({ options: { topP: 0.99 } }, { thinking: 'adaptive' })).toMatchObject({ thinking: { type: 'adaptive' }, top_p: 0.99 });
});

test('thinking: budget, effort, off; the budget leaves room for an answer', () => {
  expect(body({ options: { thinkingBudget: 10 } })).toMatchObject({ thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 8192 });
  expect(body({ options: { thinkingBudget: 5000, maxTokens: 1000 } })).toMatchObject({ max_tokens: 6000 });
  expect(body({ options: { thinkingBudget: 0 } })['thinking']).toEqual({ type: 'disabled' });
  expect(body({}, { thinking: 'enabled' })['thinking']).toEqual({ type: 'enabled', budget_tokens: 4096 });
  expect(body({ options: { reasoningEffort: 'minimal' } }, { thinking: 'adaptive' })).toMatchObject({ thinking: { type: 'adaptive' }, output_config: { effort: 'low' } });
  expect(body({ options: { reasoningEffort: 'none' } }, { thinking: 'adaptive' })['thinking']).toEqual({ type: 'disabled' });
});

test('a tool round that another model began, or that lost its thinking, goes on without thinking', () => {
  expect(body({}, { thinking: 'adaptive', wire: { system: [], messages: round() } })).not.toHaveProperty('thinking');
  expect(body({}, { thinking: 'adaptive', wire: { system: [], messages: round({ type: 'thinking', thinking: 'x', signature: 's' }) } })).toHaveProperty('thinking');
  expect(body({}, { thinking: 'adaptive', wire: { system: [], messages: [...round(), { role: 'assistant', content: [{ type: 'text', text: 'x' }] }, messages[0]] } })).toHaveProperty('thinking');
});

test('temperature from 0 to 1, and one of temperature and top_p', () => {
  expect(body({ options: { temperature: 1.7, topP: 0.5, topK: 4, seed: 1, frequencyPenalty: 1 } })).toEqual({ ...body({}), temperature: 1, top_k: 4 });
});

test('structured output in the words the API knows; open doors win', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer', minimum: 1 }, at: { oneOf: [{ type: 'string', format: 'odd' }, { type: 'null' }] } } } as const;
  expect(body({ responseFormat: { name: 'x', schema } })['output_config']).toEqual({
    format: { type: 'json_schema', schema: { type: 'object', properties: { n: { type: 'integer' }, at: { anyOf: [{ type: 'string' }, { type: 'null' }] } }, additionalProperties: false } },
  });
  expect(body({ options: { additionalBodyParams: { max_tokens: 5, metadata: { user_id: 'u' } } } })).toMatchObject({ max_tokens: 5, metadata: { user_id: 'u' } });
});

test('C091 a tool schema whose root is a choice becomes one object; the schema itself stays', () => {
  const inputSchema = { anyOf: [{ type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a', 'b'] }, { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }] } as const;
  const before = JSON.stringify(inputSchema);
  expect(body({ tools: [{ name: 'f', description: 'd', inputSchema }] })['tools']).toEqual([{ name: 'f', description: 'd', input_schema: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a'] } }]);
  expect(JSON.stringify(inputSchema)).toBe(before);
});

test('cacheControl marks the system prompt and the end of the conversation, never more than four marks in all', () => {
  const system = [{ type: 'text', text: 'S' }];
  const mark = { cache_control: { type: 'ephemeral' } };
  expect(body({ options: { cacheControl: true } }, { wire: { system, messages } })).toMatchObject({ system: [{ text: 'S', ...mark }], messages: [{ content: [{ text: 'hi', ...mark }] }] });
  expect(body({ options: { cacheControl: '1h' } }, { wire: { system, messages } })).toMatchObject({ system: [{ cache_control: { ttl: '1h' } }] });
  const many = [{ role: 'user', content: [1, 2, 3, 4, 5, 6].map((n) => ({ type: 'text', text: `${n}`, ...mark })) }];
  const marked = (value: Body): string[] => [...(value['system'] as Body[]), ...(value['messages'] as { content: Body[] }[]).flatMap(({ content }) => content)].filter((block) => 'cache_control' in block).map((block) => String(block['text']));
  expect(marked(body({ options: { cacheControl: true } }, { wire: { system, messages: many } }))).toEqual(['S', '4', '5', '6']);
  expect(marked(body({}, { wire: { system, messages: many } }))).toEqual(['3', '4', '5', '6']);
});

test('a formatter of one\'s own may give the messages alone, or the system prompt as text; C129 no half surrogate leaves', () => {
  expect(body({}, { wire: messages })).toEqual(body({}));
  expect(body({}, { wire: { system: 'S', messages } })['system']).toEqual([{ type: 'text', text: 'S' }]);
  expect(requestText({ messages: [] }, { modelName: 'm', stream: true, thinking: undefined, wire: [{ role: 'user', content: 'x\ud83d' }] })).toContain('x\ufffd');
});
