import { expect, test } from 'vitest';
import { decode } from '../../../test/decode.ts';
import { toolNames } from '../../formatter/index.ts';
import { createDecoder } from './response.ts';

const KEY = 'ollama-0123456789';
const decoder = (ignored: readonly string[] = []): ReturnType<typeof createDecoder> => createDecoder({ provider: 'ollama', status: 200, headers: new Headers(), names: toolNames([{ name: 'ns.get', description: '', inputSchema: {} }]), ignored, key: KEY });
const line = (message: object | null, more: object = {}): string => `${JSON.stringify({ model: 'm', message, done: false, ...more })}\n`;
const end = (more: object = { done_reason: 'stop' }, message: object | null = { role: 'assistant', content: '' }): string => line(message, { done: true, prompt_eval_count: 5, eval_count: 2, ...more });
const run = async (...lines: readonly string[]): ReturnType<typeof decode> => decode(decoder(), [lines.join('')]);
const called = (...functions: readonly object[]): string => line({ content: '', tool_calls: functions.map((one) => ({ function: one })) });

test('thinking and text are blocks of their own, thinking first where both come in one line', async () => {
  const { response } = await run(line({ thinking: 'hm', content: '' }), line({ thinking: ' so', content: 'It' }), line({ content: ' is' }), end({ done_reason: 'stop' }, { content: '.' }));
  expect(response?.content).toEqual([{ type: 'thinking', thinking: 'hm so' }, { type: 'text', text: 'It is.' }]);
});

test('C005 C024 calls of one name in several lines stay apart, each with an id of its own; one that was given is kept', async () => {
  const { response } = await run(called({ name: 'get', arguments: { x: 1 } }), called({ name: 'get', arguments: { x: 1 } }, { name: 'now' }), line({ tool_calls: [{ id: 'given', function: { index: 2, name: 'get', arguments: {} } }] }), end());
  const calls = response?.content.flatMap((block) => (block.type === 'tool_use' ? [block] : [])) ?? [];
  expect(calls.map(({ name, input }) => [name, input])).toEqual([['get', { x: 1 }], ['get', { x: 1 }], ['now', {}], ['get', {}]]);
  expect([new Set(calls.map(({ id }) => id)).size, calls[3]?.id, calls.some(({ id }) => id === '')]).toEqual([4, 'given', false]);
});

test('C018 C021 arguments come as an object or as its text, and as nothing; what is no object is for the loop to judge', async () => {
  const contentOf = async (value: unknown): Promise<unknown> => (await run(called({ name: 'get', arguments: value }), end())).response?.content.map((block) => (block.type === 'tool_use' ? [block.content, block.input] : []))[0];
  expect(await Promise.all([{ x: 1 }, '{"x":1}', undefined, null, '', {}, '{}'].map(contentOf))).toEqual([['{"x":1}', { x: 1 }], ['{"x":1}', { x: 1 }], ...Array.from({ length: 5 }, () => ['{}', {}])]);
  expect(await Promise.all(['{"x": foo}', [1]].map(contentOf))).toEqual([['{"x": foo}', {}], ['[1]', {}]]);
});

test('C026 C029 a name comes back as the tool\'s own, a missing one as none; special keys are keys', async () => {
  const { response } = await run(line({ tool_calls: [{ function: { name: 'ns_get', arguments: JSON.parse('{"__proto__":{"admin":true}}') as object } }, { function: { name: null } }, { id: 'x' }, 7] }), end());
  expect(response?.content.map((block) => (block.type === 'tool_use' ? [block.name, block.content] : []))).toEqual([['ns.get', '{"__proto__":{"admin":true}}'], ['', '{}']]);
  expect(({} as { admin?: boolean }).admin).toBeUndefined();
});

test('C014 the finish reason: calls count whatever the word except when cut; loading is no answer; an older server says no word', async () => {
  const reason = async (...lines: readonly string[]): Promise<unknown> => (await run(...lines)).response?.finishReason;
  const call = called({ name: 'get' });
  expect(await Promise.all([reason(end()), reason(call, end()), reason(call, end({ done_reason: 'odd' })), reason(call, end({ done_reason: 'length' })), reason(end({ done_reason: 'length' })), reason(end({ done_reason: 'load' })), reason(end({ done_reason: 'unload' })), reason(end({})), reason(end({ done_reason: 'odd' }))])).toEqual(['stop', 'tool_calls', 'tool_calls', 'length', 'length', 'other', 'other', 'stop', 'other']);
});

test('C012 the answer is complete with the line that says done, whatever comes behind', async () => {
  const one = decoder();
  one.push(new TextEncoder().encode(`${line({ content: 'a' })}${end()}${line({ content: 'b' })}`));
  expect([one.done, (await run(line({ content: 'a' }), end(), line({ content: 'b' }), '{"error":"late"}\n')).response?.content]).toEqual([true, [{ type: 'text', text: 'a' }]]);
});

test('C003 C016 blank lines, unknown members and loose values are passed over; malformed JSON is not', async () => {
  const { response } = await run('\n \r\n', line(null), line({ role: '', content: null, thinking: 7, tool_calls: null, new: {} }), '\r\n', line({ content: 'x' }).replace('\n', '\r\n'), end({ done_reason: 'stop', prompt_eval_count: null }, null));
  expect([response?.content, response?.usage]).toEqual([[{ type: 'text', text: 'x' }], { inputTokens: 0, outputTokens: 2 }]);
  const broken = await run(line({ content: 'Par' }), '{"message":{"content":\n', end());
  expect([broken.error?.code, broken.said.length]).toEqual(['model/bad-stream', 1]);
});

test('usage and times as they were reported, the word, the model, and what was ignored are in the metadata', async () => {
  const { response } = await decode(decoder(['toolChoice']), [end({ done_reason: 'stop', total_duration: 9, load_duration: 1, context: [1, 2] })]);
  expect(response?.metadata).toEqual({ providerFinishReason: 'stop', model: 'm', usage: { prompt_eval_count: 5, eval_count: 2, total_duration: 9, load_duration: 1 }, ignored: ['toolChoice'] });
  expect((await run(end({ prompt_eval_count: undefined, eval_count: undefined }))).response?.usage).toBeUndefined();
});

test('C010 an error line is a typed error after what was said, and shows no key; so is one that is the whole body', async () => {
  const { error, said } = await run(line({ content: 'Par' }), `${JSON.stringify({ error: `runner died ${KEY}` })}\n`);
  expect([said.length, error?.code, error?.details]).toMatchObject([1, 'model/bad-stream', { provider: 'ollama', retryable: true }]);
  expect(error?.message).toContain('runner died');
  expect(error?.message).not.toContain(KEY);
  expect((await run(JSON.stringify({ error: 'x' }, null, 2))).error?.code).toBe('model/bad-stream');
});

test('C001 bodies that are no answer, or end in the middle, are typed errors', async () => {
  const code = async (body: string | Uint8Array): Promise<unknown> => (await decode(decoder(), [body])).error?.code;
  const cutInside = new TextEncoder().encode(line({ content: '晴天' })).slice(0, -24);
  const bodies = ['', '{}', '[]', '7\n', '[1]', '<html>', '{\n', line({ content: 'x' }), line({ content: 'x' }).slice(0, 20), JSON.stringify({ message: { content: 'x' }, done: false }, null, 2), cutInside];
  expect(await Promise.all(bodies.map(code))).toEqual(bodies.map(() => 'model/bad-stream'));
});
