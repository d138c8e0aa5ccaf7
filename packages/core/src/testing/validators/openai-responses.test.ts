import { expect, test } from 'vitest';
import { validateOpenAIResponsesRequest } from './openai-responses.ts';

type Json = Record<string, unknown>;
const user = (content: unknown): Json => ({ role: 'user', content });
const said = (text: string): Json => ({ role: 'assistant', content: [{ type: 'output_text', text }] });
const call = (id = 'c1', more: Json = {}): Json => ({ type: 'function_call', call_id: id, name: 'get', arguments: '{"a":1}', ...more });
const output = (id = 'c1', value: unknown = 'x'): Json => ({ type: 'function_call_output', call_id: id, output: value });
const reasoning = (id = 'rs_1', more: Json = {}): Json => ({ type: 'reasoning', id, summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'enc', ...more });
const picture: Json = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'auto' };
const get: Json = { type: 'function', name: 'get', description: 'd', parameters: { type: 'object', properties: { a: { type: 'integer' } } }, strict: false };
const strict = { type: 'object', properties: { a: { type: 'array', items: { type: 'string' } } }, required: ['a'], additionalProperties: false };

const good: Json = {
  model: 'gpt-5.5',
  stream: true,
  store: false,
  include: ['reasoning.encrypted_content'],
  temperature: 1,
  top_p: 0.5,
  max_output_tokens: 50,
  reasoning: { effort: 'low', summary: 'auto' },
  text: { format: { type: 'json_schema', name: 'answer', schema: strict, strict: true }, verbosity: 'low' },
  tools: [get, { ...get, name: 'now', parameters: strict, strict: true }],
  tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'get' }] },
  parallel_tool_calls: false,
  input: [
    { role: 'system', content: 'Be brief.' },
    user([{ type: 'input_text', text: 'hi' }, picture, { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' }, { type: 'input_file', file_url: 'https://x.example/a.pdf' }]),
    reasoning(),
    said('I look.'),
    call(),
    call('c2'),
    output(),
    output('c2', [{ type: 'input_text', text: 'see' }, picture]),
    reasoning('rs_2', { summary: [] }),
    said('ok'),
    user('go'),
  ],
};

test('a request with everything the Responses API takes has no problem; nor has the smallest one', () => {
  expect(validateOpenAIResponsesRequest(good)).toEqual([]);
  expect(validateOpenAIResponsesRequest({ model: 'm', input: 'hi' })).toEqual([]);
  expect(validateOpenAIResponsesRequest({ model: 'm', input: [user('x'), { type: 'item_reference', id: 'rs_1' }, said('x'), user('y')] })).toEqual([]);
});

const input = (...items: readonly Json[]): Json => ({ input: items });
const tools = (...list: readonly unknown[]): Json => ({ tools: list, tool_choice: undefined });
const broken: readonly (readonly [string, unknown])[] = [
  ['no body', []],
  ['unknown member', { messages: [] }],
  ['stop', { stop: ['x'] }],
  ['seed', { seed: 1 }],
  ['penalties', { frequency_penalty: 1 }],
  ['no model', { model: '' }],
  ['no input', { input: [] }],
  ['blank input', { input: ' ' }],
  ['half a surrogate', input(user('x\ud83d'))],
  ['two ways to go on', { previous_response_id: 'a', conversation: 'b' }],
  ['store is a word', { store: 'no' }],
  ['unknown include', { include: ['reasoning'] }],
  ['temperature 3', { temperature: 3 }],
  ['top_p 2', { top_p: 2 }],
  ['no output tokens', { max_output_tokens: 0 }],
  ['unknown effort', { reasoning: { effort: 'much' } }],
  ['unknown summary', { reasoning: { summary: 'long' } }],
  ['budget', { reasoning: { budget_tokens: 1 } }],
  ['unknown role', input({ role: 'tool', content: 'x' }, user('x'))],
  ['a name', input({ ...user('x'), name: 'Alice' })],
  ['blank content', input(user(' '))],
  ['empty content', input(user([]))],
  ['blank part', input(user([{ type: 'input_text', text: '' }]))],
  ['text part of chat', input(user([{ type: 'text', text: 'x' }]))],
  ['output_text of the user', input(user([{ type: 'output_text', text: 'x' }]))],
  ['input_text of the assistant', input({ role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }, user('x'))],
  ['picture in the system message', input({ role: 'system', content: [picture] }, user('x'))],
  ['picture without data', input(user([{ type: 'input_image', image_url: '' }]))],
  ['picture of a wrong kind', input(user([{ type: 'input_image', image_url: 'data:image/bmp;base64,AAAA' }]))],
  ['picture as an object', input(user([{ type: 'input_image', image_url: { url: 'https://x/y.png' } }]))],
  ['unknown detail', input(user([{ ...picture, detail: 'huge' }]))],
  ['sound', input(user([{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }]))],
  ['file without a name', input(user([{ type: 'input_file', file_data: 'data:application/pdf;base64,AAAA' }]))],
  ['file on this machine', input(user([{ type: 'input_file', file_url: 'file:///etc/passwd' }]))],
  ['unknown item', input({ type: 'tool_result' }, user('x'))],
  ['call without an output', input(user('x'), call(), user('x'))],
  ['output without a call', input(user('x'), output())],
  ['output of another call', input(user('x'), call('a'), output('b'))],
  ['output twice', input(user('x'), call(), output(), output())],
  ['output before its call', input(user('x'), output(), call(), user('x'))],
  ['something between call and output', input(user('x'), call(), user('y'), output())],
  ['call id twice', input(user('x'), call(), output(), call(), output())],
  ['call id empty', input(user('x'), call(''), output(''))],
  ['call id too long', input(user('x'), call('c'.repeat(65)), output('c'.repeat(65)))],
  ['illegal name of a call', input(user('x'), call('c1', { name: 'a b' }), output())],
  ['arguments are an object', input(user('x'), call('c1', { arguments: {} }), output())],
  ['arguments cut off', input(user('x'), call('c1', { arguments: '{"a' }), output())],
  ['arguments empty', input(user('x'), call('c1', { arguments: '' }), output())],
  ['id of a call that was not stored', input(user('x'), call('c1', { id: 'fc_1' }), output())],
  ['empty output', input(user('x'), call(), output('c1', ''))],
  ['output of no parts', input(user('x'), call(), output('c1', []))],
  ['reasoning at the end', input(user('x'), reasoning())],
  ['reasoning before the user', input(user('x'), reasoning(), user('y'))],
  ['reasoning without its id', input(user('x'), reasoning(''), said('x'), user('y'))],
  ['reasoning neither stored nor encrypted', input(user('x'), reasoning('rs_1', { encrypted_content: undefined }), said('x'), user('y'))],
  ['reasoning twice', input(user('x'), reasoning(), said('x'), reasoning(), said('y'), user('y'))],
  ['summary is text', input(user('x'), reasoning('rs_1', { summary: 'hm' }), said('x'), user('y'))],
  ['reference to what was not stored', input(user('x'), { type: 'item_reference', id: 'rs_1' }, said('x'), user('y'))],
  ['the assistant ends', input(user('x'), said('y'))],
  ['no tools', tools()],
  ['tool of chat', tools({ type: 'function', function: { name: 'get' } })],
  ['illegal tool name', tools({ ...get, name: '查询' })],
  ['two tools of one name', tools(get, get)],
  ['strict not said', tools({ ...get, strict: undefined })],
  ['parameters of no type', tools({ ...get, parameters: {} })],
  ['strict and open', tools({ ...get, strict: true })],
  ['list without items', tools({ ...get, parameters: { type: 'object', properties: { a: { type: 'array' } } } })],
  ['choice without tools', { tools: undefined }],
  ['unknown choice', { tool_choice: 'any' }],
  ['choice of chat', { tool_choice: { type: 'function', function: { name: 'get' } } }],
  ['choice of an unknown tool', { tool_choice: { type: 'function', name: 'nope' } }],
  ['allowed tools without a mode', { tool_choice: { type: 'allowed_tools', tools: [{ type: 'function', name: 'get' }] } }],
  ['format of chat', { text: { format: { type: 'json_schema', json_schema: { name: 'a', schema: strict } } } }],
  ['response_format', { response_format: { type: 'json_object' } }],
  ['illegal format name', { text: { format: { type: 'json_schema', name: 'my answer', schema: strict } } }],
  ['strict format that is open', { text: { format: { type: 'json_schema', name: 'a', schema: { type: 'object', properties: { a: { type: 'string' } } }, strict: true } } }],
];

test.for(broken)('refuses: %s', ([, change]) => {
  expect(validateOpenAIResponsesRequest(Array.isArray(change) ? change : { ...good, ...(change as Json) })).not.toEqual([]);
});

test('each of them breaks few rules, so that each rule is shown by its own request', () => {
  const many = broken.filter(([, change]) => !Array.isArray(change) && validateOpenAIResponsesRequest({ ...good, ...(change as Json) }).length > 4).map(([name]) => name);
  expect([broken.length >= 40, many]).toEqual([true, []]);
});
