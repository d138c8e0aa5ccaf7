import { expect, test } from 'vitest';
import { validateDashScopeRequest } from './dashscope.ts';

type Json = Record<string, unknown>;
const user = (content: unknown = 'hi', more: Json = {}): Json => ({ role: 'user', content, ...more });
const call = (id: unknown = 'a', more: Json = {}): Json => ({ id, type: 'function', function: { name: 'get', arguments: '{"a":1}', ...more } });
const calling = (...calls: readonly Json[]): Json => ({ role: 'assistant', content: '', tool_calls: calls });
const result = (id: unknown = 'a', content: unknown = 'r'): Json => ({ role: 'tool', tool_call_id: id, content });
const tool = (more: Json = {}): Json => ({ type: 'function', function: { name: 'get', description: 'd', parameters: { type: 'object', properties: {} }, ...more } });
const format = (json_schema: unknown, type = 'json_schema'): Json => ({ response_format: { type, json_schema }, tools: undefined });
const seen = (part: Json): Json => ({ input: { messages: [user([part])] } });

const good: Json = {
  model: 'qwen-plus',
  parameters: { result_format: 'message', incremental_output: true, temperature: 1.9, top_p: 1, top_k: 1, max_tokens: 5, seed: 1, presence_penalty: -2, repetition_penalty: 1.1, enable_thinking: true, thinking_budget: 100, stop: ['x'], tools: [tool(), tool({ name: 'now' })], tool_choice: 'auto', parallel_tool_calls: true },
  input: {
    messages: [
      { role: 'system', content: 'Be brief.' },
      user(),
      { ...calling(call('a'), call('b')), reasoning_content: 'hm' },
      result('b'),
      result('a'),
      { role: 'assistant', content: 'ok' },
      user('and?'),
      user('json'),
    ],
  },
};
const goodInParts: Json = {
  model: 'qwen-vl-max',
  parameters: { result_format: 'message' },
  input: {
    messages: [
      { role: 'system', content: [{ text: 'x', cache_control: { type: 'ephemeral' } }] },
      user([{ text: 'see' }, { image: 'https://example.com/a.png', min_pixels: 4 }, { image: 'data:image/png;base64,AAAA' }, { audio: 'oss://files/a.wav' }, { video: ['https://example.com/1.png', 'data:image/jpeg;base64,AAAA'], fps: 2 }]),
      { role: 'assistant', content: [{ text: '' }], tool_calls: [call()] },
      result('a', [{ text: 'r' }]),
    ],
  },
};

test('requests with everything either endpoint takes have no problem; nor has the smallest one', () => {
  expect(validateDashScopeRequest(good)).toEqual([]);
  expect(validateDashScopeRequest(goodInParts)).toEqual([]);
  expect(validateDashScopeRequest({ model: 'm', parameters: { result_format: 'message' }, input: { messages: [user()] } })).toEqual([]);
  expect(validateDashScopeRequest({ ...good, parameters: { result_format: 'message', ...format({ name: 'x', schema: { type: 'object' } }) } })).toEqual([]);
  expect(validateDashScopeRequest({ ...good, parameters: { result_format: 'message', response_format: { type: 'json_object' } } })).toEqual([]);
});

const parameters = (more: Json): Json => ({ parameters: { ...(good['parameters'] as Json), ...more } });
const messages = (...list: readonly unknown[]): Json => ({ input: { messages: list } });
const unthinking = { enable_thinking: undefined, thinking_budget: undefined };
const broken: readonly (readonly [string, unknown])[] = [
  ['no body', null],
  ['unknown member', { stream: true }],
  ['messages beside the input', { messages: [user()] }],
  ['no model', { model: ' ' }],
  ['no parameters', { parameters: undefined }],
  ['unknown parameter', parameters({ frequency_penalty: 1 })],
  ['a stream asked for in the body', parameters({ stream: true })],
  ['result as text', parameters({ result_format: 'text' })],
  ['no result format', parameters({ result_format: undefined })],
  ['increments as a word', parameters({ incremental_output: 'yes' })],
  ['temperature at its bound', parameters({ temperature: 2 })],
  ['temperature is text', parameters({ temperature: '1' })],
  ['top_p of nothing', parameters({ top_p: 0 })],
  ['top_p above one', parameters({ top_p: 1.1 })],
  ['half a token', parameters({ max_tokens: 1.5 })],
  ['no tokens', parameters({ max_tokens: 0 })],
  ['a seed of text', parameters({ seed: 'x' })],
  ['a penalty out of range', parameters({ presence_penalty: 3 })],
  ['an empty effort', parameters({ reasoning_effort: '' })],
  ['thinking without increments', parameters({ incremental_output: false })],
  ['thinking where nothing is streamed', parameters({ incremental_output: undefined })],
  ['a budget without thinking', parameters({ enable_thinking: false })],
  ['a tool forced while thinking', parameters({ tool_choice: { type: 'function', function: { name: 'get' } } })],
  ['a format while thinking', parameters(format({ name: 'x', schema: { type: 'object' } }))],
  ['required', parameters({ ...unthinking, tool_choice: 'required' })],
  ['a choice nobody offers', parameters({ ...unthinking, tool_choice: { type: 'function', function: { name: 'other' } } })],
  ['a choice without tools', parameters({ tools: undefined, parallel_tool_calls: undefined })],
  ['the parallel switch without tools', parameters({ tools: undefined, tool_choice: undefined })],
  ['no tools', parameters({ tools: [] })],
  ['two answers beside tools', parameters({ n: 2 })],
  ['a tool that is none', parameters({ tools: [7] })],
  ['a tool called search', parameters({ tools: [tool({ name: 'search' })] })],
  ['a name with a dot', parameters({ tools: [tool({ name: 'ns.get' })] })],
  ['a name that is too long', parameters({ tools: [tool({ name: 'n'.repeat(65) })] })],
  ['a tool twice', parameters({ tools: [tool(), tool()] })],
  ['strict tools', parameters({ tools: [tool({ strict: true })] })],
  ['parameters without a root', parameters({ tools: [tool({ parameters: {} })] })],
  ['a format of another type', parameters({ ...unthinking, ...format({}, 'xml') })],
  ['a format without a name', parameters({ ...unthinking, ...format({ schema: { type: 'object' } }) })],
  ['a format without a root', parameters({ ...unthinking, ...format({ name: 'x', schema: {} }) })],
  ['json without the word', { ...parameters({ ...unthinking, response_format: { type: 'json_object' } }), ...messages(user('hi')) }],
  ['no input', { input: undefined }],
  ['a prompt', { input: { prompt: 'hi' } }],
  ['no messages', messages()],
  ['messages are text', { input: { messages: 'hi' } }],
  ['only a system message', messages({ role: 'system', content: 'x' })],
  ['a late system message', messages(user(), { role: 'system', content: 'x' }, user())],
  ['half a surrogate', messages(user('x\ud83d'))],
  ['an unknown role', messages({ role: 'developer', content: 'x' }, user())],
  ['a name of the speaker', messages(user('x', { name: 'Alice' }))],
  ['empty content', messages(user(''))],
  ['blank content', messages(user(' \n'))],
  ['no content', messages({ role: 'user' })],
  ['no content beside calls', messages(user(), { role: 'assistant', content: null, tool_calls: [call()] }, result())],
  ['text among lists', messages(user([{ text: 'x' }]), { role: 'assistant', content: 'x' }, user([{ text: 'y' }]))],
  ['no parts', messages(user([]))],
  ['a blank part', messages(user([{ text: ' ' }]))],
  ['a part with a type', seen({ type: 'text', text: 'x' })],
  ['a part of two kinds', seen({ text: 'x', image: 'https://example.com/a.png' })],
  ['a part of no kind', seen({ file: 'https://example.com/a.pdf' })],
  ['a picture as bare base64', seen({ image: 'AAAA' })],
  ['a picture on a disk', seen({ image: 'file:///a.png' })],
  ['a picture that is sound', seen({ image: 'data:audio/wav;base64,AAAA' })],
  ['a film of nothing', seen({ video: [] })],
  ['a picture of an assistant', messages(user([{ text: 'x' }]), { role: 'assistant', content: [{ image: 'https://example.com/a.png' }] }, user([{ text: 'y' }]))],
  ['a mark of another kind', seen({ text: 'x', cache_control: { type: 'forever' } })],
  ['five marks', messages(user(Array.from({ length: 5 }, () => ({ text: 'x', cache_control: { type: 'ephemeral' } }))))],
  ['arguments are an object', messages(user(), calling(call('a', { arguments: {} })), result())],
  ['arguments that were cut off', messages(user(), calling(call('a', { arguments: '{"a' })), result())],
  ['a call of search', messages(user(), calling(call('a', { name: 'search' })), result())],
  ['a call without a type', messages(user(), calling({ id: 'a', function: { name: 'get', arguments: '{}' } }), result())],
  ['an empty id', messages(user(), calling(call('')), result(''))],
  ['no calls', messages(user(), calling(), user())],
  ['a call without a result', messages(user(), calling(call()), user())],
  ['the last call is open', messages(user(), calling(call('a'), call('b')), result('a'))],
  ['a result without a call', messages(user(), result())],
  ['two results of one call', messages(user(), calling(call()), result(), result())],
  ['an id twice', messages(user(), calling(call()), result(), calling(call()), result())],
  ['the assistant ends', messages(user(), { role: 'assistant', content: 'x' })],
];

test.for(broken.map(([name, change]) => ({ name, change })))('refuses: $name', ({ change }) => {
  const body: unknown = change === null ? null : { ...good, ...(change as Json) };
  expect(validateDashScopeRequest(body).length).toBeGreaterThan(0);
});

test('there are at least 40 ways to break a request', () => {
  expect(broken.length).toBeGreaterThanOrEqual(40);
});
