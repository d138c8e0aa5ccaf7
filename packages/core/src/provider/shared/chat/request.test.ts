import { expect, test } from 'vitest';
import type { ModelRequest } from '../../../model/index.ts';
import { COMPATIBLE } from './profile.ts';
import type { CompatibleProfile } from './profile.ts';
import { requestText } from './request.ts';

const OPENAI: CompatibleProfile = { ...COMPATIBLE, lengthField: 'max_completion_tokens', options: { ...COMPATIBLE.options, topK: false }, names: true, maxIdLength: 40, strict: true, structured: true };
const messages = [{ role: 'user', content: 'hi' }];
const body = (request: Partial<ModelRequest>, profile = OPENAI, stream = true): Record<string, unknown> =>
  JSON.parse(requestText({ messages: [], ...request }, { modelName: 'm', stream, profile, messages })) as Record<string, unknown>;
const tool = { name: 'a.b', description: 'd', inputSchema: { type: 'object' } };

test('S4-044 the smallest request holds nothing that was not asked for', () => {
  expect(body({})).toEqual({ model: 'm', stream: true, stream_options: { include_usage: true }, messages });
  expect(body({}, OPENAI, false)).toEqual({ model: 'm', stream: false, messages });
});

test('no tools, no choice and no parallel switch without tools', () => {
  expect(body({ tools: [], toolChoice: 'required', options: { parallelToolCalls: true } })).toEqual(body({}));
});

test('tools, a named choice and the parallel switch, names made legal', () => {
  expect(body({ tools: [tool], toolChoice: { tool: 'a.b' }, options: { parallelToolCalls: false } })).toMatchObject({
    tools: [{ type: 'function', function: { name: 'a_b', description: 'd', parameters: { type: 'object' } } }],
    tool_choice: { type: 'function', function: { name: 'a_b' } },
    parallel_tool_calls: false,
  });
  expect(body({ tools: [tool], toolChoice: 'none' })['tool_choice']).toBe('none');
});

test('options by their names; the length field by the profile; open doors win', () => {
  const options = { temperature: 0, topP: 0.5, topK: 4, maxTokens: 9, seed: 1, frequencyPenalty: 0.1, presencePenalty: 0.2, reasoningEffort: 'low', additionalBodyParams: { temperature: 1, verbosity: 'low' } };
  expect(body({ options })).toMatchObject({ temperature: 1, top_p: 0.5, max_completion_tokens: 9, seed: 1, frequency_penalty: 0.1, presence_penalty: 0.2, reasoning_effort: 'low', verbosity: 'low' });
  expect(body({ options })).not.toHaveProperty('top_k');
  expect(body({ options }, COMPATIBLE)).toMatchObject({ max_tokens: 9, top_k: 4 });
  expect(body({ options: { additionalBodyParams: { messages: [] } } })['messages']).toEqual([]);
});

test('a response format with a legal name; strict at OpenAI, where the schema can be', () => {
  const responseFormat = { name: 'my answer', schema: { type: 'object', properties: { n: { type: 'number' } } } } as const;
  expect(body({ responseFormat }, COMPATIBLE)['response_format']).toEqual({ type: 'json_schema', json_schema: { name: 'my_answer', schema: responseFormat.schema } });
  expect(body({ responseFormat })['response_format']).toEqual({
    type: 'json_schema',
    json_schema: { name: 'my_answer', strict: true, schema: { type: 'object', properties: { n: { type: ['number', 'null'] } }, required: ['n'], additionalProperties: false } },
  });
  const loose = { name: 'x', schema: { type: 'object', additionalProperties: true } } as const;
  expect(body({ responseFormat: loose })['response_format']).toEqual({ type: 'json_schema', json_schema: { name: 'x', schema: loose.schema } });
});

test('C089 strict tools only where asked for, and only those that can be', () => {
  const tools = [{ name: 'a', description: '', inputSchema: { type: 'object', properties: { x: { type: 'string' } } } }, { name: 'b', description: '', inputSchema: { properties: { list: { type: 'array' } } } }] as const;
  const field = (strict: boolean): unknown => (JSON.parse(requestText({ messages: [], tools }, { modelName: 'm', stream: true, profile: OPENAI, strict, messages })) as { tools: unknown }).tools;
  const loose = { type: 'function', function: { name: 'b', description: '', parameters: { type: 'object', properties: { list: { type: 'array', items: {} } } } } };
  expect(field(false)).toEqual([{ type: 'function', function: { name: 'a', description: '', parameters: tools[0].inputSchema } }, loose]);
  expect(field(true)).toEqual([{ type: 'function', function: { name: 'a', description: '', strict: true, parameters: { type: 'object', properties: { x: { type: ['string', 'null'] } }, required: ['x'], additionalProperties: false } } }, loose]);
});

test('C129 no half surrogate leaves in a description either', () => {
  expect(requestText({ messages: [], tools: [{ ...tool, description: 'x\ud83d' }] }, { modelName: 'm', stream: true, profile: OPENAI, messages })).toContain('x\ufffd');
});
