import { expect, test } from 'vitest';
import { validateGeminiRequest } from './gemini.ts';

type Json = Record<string, unknown>;
const text = (value: string): Json => ({ text: value });
const user = (...parts: readonly Json[]): Json => ({ role: 'user', parts });
const model = (...parts: readonly Json[]): Json => ({ role: 'model', parts });
const call = (name = 'get', more: Json = {}, signature: Json = { thoughtSignature: 'c2ln' }): Json => ({ functionCall: { name, args: { a: 1 }, ...more }, ...signature });
const answer = (name = 'get', more: Json = {}): Json => ({ functionResponse: { name, response: { output: 'x' }, ...more } });
const picture: Json = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } };
const get: Json = { name: 'get', description: 'd', parameters: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] } };
const withSchema = (schema: Json): Json => ({ tools: [{ functionDeclarations: [{ ...get, parameters: { type: 'object', properties: { a: schema } } }] }] });

const good: Json = {
  systemInstruction: { parts: [text('Be brief.')] },
  tools: [{ functionDeclarations: [get, { name: 'ns.now:x', description: '' }] }],
  toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['get'] } },
  generationConfig: { temperature: 2, topP: 1, topK: 1, maxOutputTokens: 5, seed: 1, stopSequences: ['x'], thinkingConfig: { includeThoughts: true, thinkingLevel: 'low' }, responseMimeType: 'application/json', responseSchema: { type: 'string', enum: ['a'] } },
  contents: [
    user(text('hi'), picture, { fileData: { mimeType: 'video/mp4', fileUri: 'https://youtu.be/x' } }),
    model({ text: 'hm', thought: true }, { text: 'so', thoughtSignature: 'c2ln' }, call('get', { id: '1' }), call('ns.now:x', {}, {})),
    user(answer('get', { id: '1', parts: [picture] }), answer('ns.now:x'), text('and?')),
    model(text('ok')),
    user(text('go')),
  ],
};

test('a request with everything Gemini takes has no problem; nor has the smallest one', () => {
  expect(validateGeminiRequest(good)).toEqual([]);
  expect(validateGeminiRequest({ contents: [user(text('hi'))] }, { modelName: 'gemini-2.5-flash' })).toEqual([]);
});

const contents = (...list: readonly Json[]): Json => ({ contents: list });
const config = (more: Json): Json => ({ generationConfig: more });
const broken: readonly (readonly [string, unknown, { modelName: string }?])[] = [
  ['no body', null],
  ['unknown member', { model: 'x' }],
  ['no contents', { contents: [] }],
  ['contents are text', { contents: 'hi' }],
  ['half a surrogate', contents(user(text('x\ud83d')))],
  ['unknown role', contents({ role: 'assistant', parts: [text('x')] }, user(text('x')))],
  ['no parts', contents(user())],
  ['empty text', contents(user(text('')))],
  ['blank text', contents(user(text(' \n')))],
  ['text is no text', contents(user({ text: 7 }))],
  ['two kinds in one part', contents(user({ ...picture, text: 'x' }))],
  ['a part of nothing', contents(user({}))],
  ['unknown part member', contents(user({ text: 'x', cache_control: {} }))],
  ['the model begins', contents(model(text('x')), user(text('x')))],
  ['the model ends', contents(user(text('x')), model(text('x')))],
  ['a thought of the user', contents(user({ text: 'x', thought: true }))],
  ['signature is no base64', contents(user(text('x')), model({ text: 'x', thoughtSignature: '???' }), user(text('x')))],
  ['signature on the user', contents(user({ text: 'x', thoughtSignature: 'c2ln' }))],
  ['dummy signature before 3', contents(user(text('x')), model(call('get', {}, { thoughtSignature: 'skip_thought_signature_validator' })), user(answer())), { modelName: 'gemini-2.5-pro' }],
  ['first call unsigned on 3', contents(user(text('x')), model(call('get', {}, {})), user(answer()))],
  ['call by the user', contents(user(call()))],
  ['response by the model', contents(user(text('x')), model(call()), model(answer()), user(text('x')))],
  ['call without an answer', contents(user(text('x')), model(call()), user(text('x')))],
  ['call answered too late', contents(user(text('x')), model(call()), user(text('x')), model(text('y')), user(answer()))],
  ['one answer for two calls', contents(user(text('x')), model(call(), call('b', {}, {})), user(answer()))],
  ['two answers for one call', contents(user(text('x')), model(call()), user(answer(), answer()))],
  ['answer without a call', contents(user(answer()))],
  ['call right after the model', contents(user(text('x')), model(text('x')), model(call()), user(answer()))],
  ['answers in another order', contents(user(text('x')), model(call('a'), call('b', {}, {})), user(answer('b'), answer('a')))],
  ['answer without its id', contents(user(text('x')), model(call('get', { id: '1' })), user(answer()))],
  ['answer without a name', contents(user(text('x')), model(call('')), user(answer('')))],
  ['name with a space', contents(user(text('x')), model(call('a b')), user(answer('a b')))],
  ['name begins with a digit', contents(user(text('x')), model(call('1a')), user(answer('1a')))],
  ['arguments are text', contents(user(text('x')), model(call('get', { args: '{}' })), user(answer()))],
  ['response is text', contents(user(text('x')), model(call()), user(answer('get', { response: 'x' })))],
  ['media in a response before 3', contents(user(text('x')), model(call()), user(answer('get', { parts: [picture] }))), { modelName: 'gemini-2.5-pro' }],
  ['empty parts in a response', contents(user(text('x')), model(call()), user(answer('get', { parts: [] })))],
  ['data without a type', contents(user({ inlineData: { data: 'AAAA' } }))],
  ['data that is no base64', contents(user({ inlineData: { mimeType: 'image/png', data: '' } }))],
  ['a file without an address', contents(user({ fileData: { fileUri: 'file:///etc/passwd' } }))],
  ['empty system', { systemInstruction: { parts: [] } }],
  ['blank system', { systemInstruction: { parts: [text(' ')] } }],
  ['system for Gemma', {}, { modelName: 'gemma-3-27b' }],
  ['no tools', { tools: [] }],
  ['no declarations', { tools: [{ functionDeclarations: [] }] }],
  ['two tools of one name', { tools: [{ functionDeclarations: [get, get] }] }],
  ['illegal tool name', { tools: [{ functionDeclarations: [{ ...get, name: '查询' }] }] }],
  ['long tool name', { tools: [{ functionDeclarations: [{ ...get, name: 'n'.repeat(65) }] }] }],
  ['parameters without properties', { tools: [{ functionDeclarations: [{ ...get, parameters: { type: 'object', properties: {} } }] }] }],
  ['parameters without a type', { tools: [{ functionDeclarations: [{ ...get, parameters: { properties: { a: { type: 'string' } } } }] }] }],
  ['$ref', withSchema({ $ref: '#/x' })],
  ['additionalProperties', withSchema({ type: 'object', properties: {}, additionalProperties: false })],
  ['a list of types', withSchema({ type: ['string', 'null'] })],
  ['type null', withSchema({ type: 'null' })],
  ['no type', withSchema({ description: 'x' })],
  ['list without items', withSchema({ type: 'array' })],
  ['enum of numbers', withSchema({ type: 'integer', enum: [1] })],
  ['unknown format', withSchema({ type: 'string', format: 'email' })],
  ['required but missing', withSchema({ type: 'object', properties: { a: { type: 'string' } }, required: ['b'] })],
  ['const', withSchema({ type: 'string', const: 'a' })],
  ['choice of nothing', withSchema({ anyOf: [] })],
  ['choice with a wrong one', withSchema({ anyOf: [{ type: 'string' }, { type: 'null' }] })],
  ['choice of tool without tools', { tools: undefined }],
  ['unknown mode', { toolConfig: { functionCallingConfig: { mode: 'REQUIRED' } } }],
  ['allowed names with AUTO', { toolConfig: { functionCallingConfig: { mode: 'AUTO', allowedFunctionNames: ['get'] } } }],
  ['unknown allowed name', { toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['nope'] } } }],
  ['temperature 3', config({ temperature: 3 })],
  ['topP 2', config({ topP: 2 })],
  ['no output tokens', config({ maxOutputTokens: 0 })],
  ['six stop sequences', config({ stopSequences: ['1', '2', '3', '4', '5', '6'] })],
  ['snake case', config({ max_output_tokens: 5 })],
  ['schema without the mime type', config({ responseSchema: { type: 'string' } })],
  ['JSON beside tools before 3', { contents: [user(text('x'))], generationConfig: { responseMimeType: 'application/json' } }, { modelName: 'gemini-2.0-flash' }],
  ['level and budget', config({ thinkingConfig: { thinkingLevel: 'low', thinkingBudget: 1 } })],
  ['level before 3', { contents: [user(text('x'))], generationConfig: { thinkingConfig: { thinkingLevel: 'low' } } }, { modelName: 'gemini-2.5-pro' }],
  ['unknown level', config({ thinkingConfig: { thinkingLevel: 'none' } })],
  ['budget -2', config({ thinkingConfig: { thinkingBudget: -2 } })],
  ['tools beside a cache', { cachedContent: 'cachedContents/1' }],
];

test.for(broken)('refuses: %s', ([, change, options]) => {
  const body = change === null ? null : { ...good, ...(change as Json) };
  expect(validateGeminiRequest(body, options)).not.toEqual([]);
});

test('each of them breaks few rules, so that each rule is shown by its own request', () => {
  const many = broken.filter(([, change, options]) => change !== null && validateGeminiRequest({ ...good, ...(change as Json) }, options).length > 4).map(([name]) => name);
  expect([broken.length >= 40, many]).toEqual([true, []]);
});
