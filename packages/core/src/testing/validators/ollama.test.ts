import { expect, test } from 'vitest';
import { validateOllamaRequest } from './ollama.ts';

type Json = Record<string, unknown>;
const user = (content: unknown = 'hi', more: Json = {}): Json => ({ role: 'user', content, ...more });
const call = (name: unknown = 'get', more: Json = {}, args: unknown = { a: 1 }): Json => ({ ...more, function: { name, arguments: args } });
const calling = (...calls: readonly Json[]): Json => ({ role: 'assistant', content: '', tool_calls: calls });
const result = (name: unknown = 'get', more: Json = {}): Json => ({ role: 'tool', content: 'r', tool_name: name, ...more });
const tool = (more: Json = {}): Json => ({ type: 'function', function: { name: 'get', description: 'd', parameters: { type: 'object', properties: {} }, ...more } });

const good: Json = {
  model: 'qwen3:8b',
  stream: true,
  think: 'low',
  keep_alive: '1h30m',
  options: { num_predict: 5, temperature: 2.5, top_p: 1, top_k: 1, num_ctx: 4_096, seed: 1, stop: ['x'], min_p: 0.1, repeat_penalty: 1.1 },
  tools: [tool(), tool({ name: 'now', description: undefined })],
  messages: [
    { role: 'system', content: 'Be brief.' },
    user('see', { images: ['iVBORw0KGgo='] }),
    calling(call('get', { id: '1' }), call('get', { id: '2' }), call('now', {}, {})),
    result('get', { tool_call_id: '1' }),
    result('get', { tool_call_id: '2' }),
    result('now'),
    { role: 'assistant', content: 'ok', thinking: 'hm' },
    { role: 'system', content: 'late' },
    user('', { images: ['AAAA'] }),
  ],
};

test('a request with everything Ollama takes has no problem; nor has the smallest one', () => {
  expect(validateOllamaRequest(good)).toEqual([]);
  expect(validateOllamaRequest({ model: 'm', stream: false, format: { type: 'object' }, messages: [user()] })).toEqual([]);
});

const messages = (...list: readonly unknown[]): Json => ({ messages: list });
const broken: readonly (readonly [string, unknown])[] = [
  ['no body', null],
  ['unknown member', { tool_choice: 'auto' }],
  ['no model', { model: ' ' }],
  ['stream is not said', { stream: undefined }],
  ['stream is a word', { stream: 'yes' }],
  ['think is another word', { think: 'xhigh' }],
  ['format is another word', { format: 'xml', tools: undefined }],
  ['format beside tools', { format: 'json' }],
  ['keep_alive without a unit', { keep_alive: '10' }],
  ['keep_alive is a list', { keep_alive: [] }],
  ['options are a list', { options: [] }],
  ['an unknown option', { options: { max_tokens: 5 } }],
  ['a half token', { options: { num_predict: 1.5 } }],
  ['temperature is text', { options: { temperature: '1' } }],
  ['top_p above one', { options: { top_p: 1.1 } }],
  ['a context of nothing', { options: { num_ctx: 0 } }],
  ['stop is text', { options: { stop: 'x' } }],
  ['no tools', { tools: [] }],
  ['a tool without a type', { tools: [{ function: tool()['function'] }] }],
  ['a tool that is none', { tools: [7] }],
  ['strict tools', { tools: [tool({ strict: true })] }],
  ['a name with a dot', { tools: [tool({ name: 'ns.get' })] }],
  ['a name that is too long', { tools: [tool({ name: 'n'.repeat(65) })] }],
  ['a tool twice', { tools: [tool(), tool()] }],
  ['parameters without a root', { tools: [tool({ parameters: {} })] }],
  ['no parameters', { tools: [tool({ parameters: undefined })] }],
  ['a description of a number', { tools: [tool({ description: 7 })] }],
  ['no messages', messages()],
  ['messages are text', { messages: 'hi' }],
  ['only a system message', messages({ role: 'system', content: 'x' })],
  ['half a surrogate', messages(user('x\ud83d'))],
  ['an unknown role', messages({ role: 'developer', content: 'x' }, user())],
  ['a name of the speaker', messages(user('x', { name: 'Alice' }))],
  ['content in parts', messages(user([{ type: 'text', text: 'x' }]))],
  ['no content', messages({ role: 'user' })],
  ['empty content', messages(user(''))],
  ['blank content', messages(user(' \n'))],
  ['no content beside calls', messages(user(), { role: 'assistant', content: null, tool_calls: [call()] }, result())],
  ['no pictures', messages(user('x', { images: [] }))],
  ['a picture at an address', messages(user('x', { images: ['https://example.com/a.png'] }))],
  ['a picture as a data URL', messages(user('x', { images: ['data:image/png;base64,AAAA'] }))],
  ['a picture of an assistant', messages(user(), { role: 'assistant', content: 'x', images: ['AAAA'] }, user())],
  ['a picture in a result', messages(user(), calling(call()), result('get', { images: ['AAAA'] }))],
  ['arguments are text', messages(user(), calling(call('get', {}, '{}')), result())],
  ['a call without a function', messages(user(), calling({ name: 'get', arguments: {} }), result())],
  ['a type beside a call', messages(user(), calling(call('get', { type: 'function' })), result())],
  ['an empty id', messages(user(), calling(call('get', { id: '' })), result('get', { tool_call_id: '' }))],
  ['no calls', messages(user(), calling(), user())],
  ['a result without a name', messages(user(), calling(call()), { role: 'tool', content: 'r' })],
  ['a call without a result', messages(user(), calling(call()), user())],
  ['the last call is open', messages(user(), calling(call(), call()), result())],
  ['a result without a call', messages(user(), result())],
  ['two results of one call', messages(user(), calling(call()), result(), result())],
  ['results in another order', messages(user(), calling(call('get'), call('now')), result('now'), result('get'))],
  ['a result with another id', messages(user(), calling(call('get', { id: '1' })), result('get', { tool_call_id: '2' }))],
  ['an id twice', messages(user(), calling(call('get', { id: '1' }), call('get', { id: '1' })), result('get', { tool_call_id: '1' }), result('get', { tool_call_id: '1' }))],
  ['the assistant ends', messages(user(), { role: 'assistant', content: 'x' })],
  ['two users in a row', messages(user(), user())],
  ['two answers in a row', messages(user(), { role: 'assistant', content: 'x' }, { role: 'assistant', content: 'y' }, user())],
];

test.for(broken.map(([name, change]) => ({ name, change })))('refuses: $name', ({ change }) => {
  const body: unknown = change === null ? null : { ...good, ...(change as Json) };
  expect(validateOllamaRequest(body).length).toBeGreaterThan(0);
});

test('there are at least 40 ways to break a request', () => {
  expect(broken.length).toBeGreaterThanOrEqual(40);
});
