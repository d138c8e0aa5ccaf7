import { expect, test } from 'vitest';
import type { GenerateOptions, ModelRequest } from '../../model/index.ts';
import { validateGeminiRequest } from '../../testing/validators/gemini.ts';
import { requestText } from './request.ts';

const wire = { systemInstruction: { parts: [{ text: 'Be brief.' }] }, contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };
const body = (request: Partial<ModelRequest>, modelName = 'gemini-3-pro'): Record<string, unknown> => {
  const made = JSON.parse(requestText({ messages: [], ...request }, { modelName, wire })) as Record<string, unknown>;
  expect(validateGeminiRequest(made, { modelName })).toEqual([]);
  return made;
};
const tool = { name: '1.b', description: 'd', inputSchema: { type: 'object', properties: { a: { type: ['integer', 'null'] } }, additionalProperties: false } };
const config = (options: GenerateOptions, modelName?: string): unknown => body({ options }, modelName)['generationConfig'];

test('S4-044 the smallest request holds nothing that was not asked for, the contents last', () => {
  expect(requestText({ messages: [] }, { modelName: 'm', wire })).toBe('{"systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[{"role":"user","parts":[{"text":"hi"}]}]}');
  expect(requestText({ messages: [] }, { modelName: 'm', wire: { contents: [] } })).toBe('{"contents":[]}');
});

test('tools with cleaned schemas and legal names, and every tool choice; nothing without tools', () => {
  const chosen = (toolChoice: ModelRequest['toolChoice']): unknown => body({ tools: [tool], toolChoice })['toolConfig'];
  expect(body({ tools: [tool, { name: 'now', description: 'n', inputSchema: {} }] })['tools']).toEqual([
    { functionDeclarations: [{ name: '_1_b', description: 'd', parameters: { type: 'object', properties: { a: { type: 'integer', nullable: true } } } }, { name: 'now', description: 'n' }] },
  ]);
  expect([chosen(undefined), chosen('auto'), chosen('none'), chosen('required'), chosen({ tool: '1.b' })]).toEqual([
    undefined,
    { functionCallingConfig: { mode: 'AUTO' } },
    { functionCallingConfig: { mode: 'NONE' } },
    { functionCallingConfig: { mode: 'ANY' } },
    { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['_1_b'] } },
  ]);
  expect(body({ tools: [], toolChoice: 'required', options: { parallelToolCalls: true } })).toEqual(body({}));
});

test('options by their names; open doors win, the generation config is merged', () => {
  const options = { temperature: 0, topP: 0.5, topK: 4, maxTokens: 9, seed: 1, frequencyPenalty: 0.1, presencePenalty: 0.2, additionalBodyParams: { generationConfig: { temperature: 1, stopSequences: ['x'] }, safetySettings: [] } };
  expect(body({ options })).toMatchObject({
    generationConfig: { temperature: 1, topP: 0.5, topK: 4, maxOutputTokens: 9, seed: 1, frequencyPenalty: 0.1, presencePenalty: 0.2, stopSequences: ['x'] },
    safetySettings: [],
    contents: wire.contents,
  });
  expect(body({ options: { additionalBodyParams: { contents: [{ role: 'user', parts: [{ text: 'other' }] }] } } })['contents']).toEqual([{ role: 'user', parts: [{ text: 'other' }] }]);
});

test('thinking: a budget as it is, an effort as a level from Gemini 3 on, before it as a budget', () => {
  expect(config({ thinkingBudget: 512 })).toEqual({ thinkingConfig: { includeThoughts: true, thinkingBudget: 512 } });
  expect(config({ thinkingBudget: 0, reasoningEffort: 'high' }, 'gemini-2.5-flash')).toEqual({ thinkingConfig: { includeThoughts: false, thinkingBudget: 0 } });
  expect(['none', 'minimal', 'low', 'medium', 'high', 'xhigh'].map((reasoningEffort) => config({ reasoningEffort }))).toEqual(['minimal', 'minimal', 'low', 'medium', 'high', 'high'].map((thinkingLevel) => ({ thinkingConfig: { includeThoughts: true, thinkingLevel } })));
  expect(['none', 'low', 'high', 'odd'].map((reasoningEffort) => config({ reasoningEffort }, 'gemini-2.5-flash'))).toEqual([0, 1_024, 24_576, -1].map((thinkingBudget) => ({ thinkingConfig: { includeThoughts: thinkingBudget !== 0, thinkingBudget } })));
  expect(config({})).toBeUndefined();
});

test('structured output as a schema Gemini takes; beside tools from Gemini 3 on only', () => {
  const responseFormat = { name: 'answer', schema: { type: 'object', properties: { n: { type: 'integer' } }, additionalProperties: false } };
  const wanted = { responseMimeType: 'application/json', responseSchema: { type: 'object', properties: { n: { type: 'integer' } } } };
  expect(body({ responseFormat })['generationConfig']).toEqual(wanted);
  expect(body({ responseFormat: { name: 'any', schema: {} } })['generationConfig']).toEqual({ responseMimeType: 'application/json' });
  expect([body({ responseFormat, tools: [tool] })['generationConfig'], body({ responseFormat, tools: [tool] }, 'gemini-2.5-pro')['generationConfig']]).toEqual([wanted, undefined]);
});

test('with a cache the system instruction and the tools stand there', () => {
  expect(body({ tools: [tool], toolChoice: 'auto', options: { additionalBodyParams: { cachedContent: 'cachedContents/1' } } })).toEqual({ cachedContent: 'cachedContents/1', contents: wire.contents });
});

test('C129 no half surrogate leaves in a description either', () => {
  expect(requestText({ messages: [], tools: [{ ...tool, description: 'x\ud83d' }] }, { modelName: 'gemini-3-pro', wire })).toContain('x\ufffd');
});
