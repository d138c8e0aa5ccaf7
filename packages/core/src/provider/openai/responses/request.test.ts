import { expect, test } from 'vitest';
import type { ModelRequest } from '../../../model/index.ts';
import { validateOpenAIResponsesRequest } from '../../../testing/validators/openai-responses.ts';
import { requestText } from './request.ts';
import type { RequestBody } from './request.ts';

const input = [{ role: 'user', content: 'hi' }];
const body = (request: Partial<ModelRequest>, more: Partial<RequestBody> = {}): Record<string, unknown> => {
  const made = JSON.parse(requestText({ messages: [], ...request }, { modelName: 'gpt-5.5', stream: true, store: false, strict: { tools: false, format: true }, input, ...more })) as Record<string, unknown>;
  expect(validateOpenAIResponsesRequest(made)).toEqual([]);
  return made;
};
const tool = { name: 'a.b', description: 'd', inputSchema: { type: 'object', properties: { a: { type: 'array' } } } };

test('S4-044 the smallest request is stored nowhere and asks for the reasoning, where the model reasons', () => {
  expect(body({})).toEqual({ model: 'gpt-5.5', stream: true, store: false, include: ['reasoning.encrypted_content'], input });
  expect(body({}, { stream: false, store: true })).toEqual({ model: 'gpt-5.5', stream: false, store: true, input });
  expect(['gpt-4.1-mini', 'gpt-5.1-chat-latest', 'ft:gpt-4o:x', 'o4-mini', 'gpt-5.1-codex-max', 'grok-4'].map((modelName) => 'include' in body({}, { modelName }))).toEqual([false, false, false, true, true, true]);
});

test('tools are flat and say whether they are strict; every tool choice; nothing without tools', () => {
  const loose = { type: 'object', properties: { a: { type: 'array', items: {} } } };
  expect(body({ tools: [tool], options: { parallelToolCalls: false } })).toMatchObject({ tools: [{ type: 'function', name: 'a_b', description: 'd', parameters: loose, strict: false }], parallel_tool_calls: false });
  const closable = { ...tool, inputSchema: { type: 'object', properties: { a: { type: 'string' } } } };
  expect(body({ tools: [tool, { ...closable, name: 'c' }] }, { strict: { tools: true, format: true } })['tools']).toMatchObject([{ strict: false }, { strict: true, parameters: { additionalProperties: false, required: ['a'] } }]);
  expect((['auto', 'none', 'required', { tool: 'a.b' }] as const).map((toolChoice) => body({ tools: [tool], toolChoice })['tool_choice'])).toEqual(['auto', 'none', 'required', { type: 'function', name: 'a_b' }]);
  expect(body({ tools: [], toolChoice: 'required', options: { parallelToolCalls: true } })).toEqual(body({}));
});

test('options by their names, what the API has not left out; open doors win', () => {
  const options = { temperature: 0, topP: 0.5, topK: 4, maxTokens: 9, seed: 1, frequencyPenalty: 0.1, presencePenalty: 0.2, thinkingBudget: 7, reasoningEffort: 'low', additionalBodyParams: { temperature: 1, prompt_cache_key: 'k', include: [] } };
  expect(body({ options }, { reasoningSummary: 'auto' })).toEqual({ model: 'gpt-5.5', stream: true, store: false, include: [], temperature: 1, top_p: 0.5, max_output_tokens: 9, reasoning: { effort: 'low', summary: 'auto' }, prompt_cache_key: 'k', input });
  expect(body({ options: { additionalBodyParams: { input: 'other' } } })['input']).toBe('other');
});

test('structured output with a legal name, strict where its schema can be', () => {
  const format = (schema: ModelRequest['responseFormat'], strict = true): unknown => (body({ responseFormat: schema }, { strict: { tools: false, format: strict } })['text'] as { format: unknown }).format;
  const closable = { name: 'my answer', schema: { type: 'object', properties: { n: { type: 'integer' } } } };
  expect(format(closable)).toMatchObject({ type: 'json_schema', name: 'my_answer', strict: true, schema: { required: ['n'], additionalProperties: false } });
  expect(format(closable, false)).toMatchObject({ strict: false, schema: closable.schema });
  expect(format({ name: '', schema: { type: 'object', additionalProperties: { type: 'string' } } })).toMatchObject({ name: 'answer', strict: false });
});

test('C129 no half surrogate leaves in a description either', () => {
  expect(JSON.stringify(body({ tools: [{ ...tool, description: 'x\ud83d' }] }))).toContain('x\ufffd');
});
