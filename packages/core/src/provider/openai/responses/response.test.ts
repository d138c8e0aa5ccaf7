import { expect, test } from 'vitest';
import { decode, mutations } from '../../../../test/decode.ts';
import { fixtureRoot, fixturesOf, linesOf } from '../../../../test/fixture-files.ts';
import { toolNames } from '../../../formatter/index.ts';
import type { ChatResponse } from '../../../model/index.ts';
import { createDecoder } from './response.ts';

const decoder = (tools = toolNames(undefined)): ReturnType<typeof createDecoder> => createDecoder({ provider: 'openai', status: 200, headers: new Headers({ 'x-request-id': 'q' }), names: tools, modelName: 'm' });
const sse = (...frames: readonly (object | string)[]): string => frames.map((frame) => `data: ${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n\n`).join('');
const event = (type: string, more: object = {}): object => ({ type: `response.${type}`, ...more });
const text = (delta: string, at = 0, part = 0): object => event('output_text.delta', { output_index: at, content_index: part, delta });
const args = (delta: string, at = 0): object => event('function_call_arguments.delta', { output_index: at, delta });
const callItem = (more: object = {}): object => ({ type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'get', ...more });
const added = (item: object, at = 0): object => event('output_item.added', { output_index: at, item });
const itemDone = (item: object, at = 0): object => event('output_item.done', { output_index: at, item });
const completed = (more: object = {}): object => event('completed', { response: { id: 'r', model: 'gpt', status: 'completed', output: [], usage: { input_tokens: 3, output_tokens: 2 }, ...more } });
const run = async (...frames: readonly (object | string)[]): ReturnType<typeof decode> => decode(decoder(), [sse(...frames)]);
const blocks = (response: ChatResponse | undefined): unknown[] => (response?.content ?? []).map((block) => (block.type === 'text' ? block.text : block.type === 'thinking' ? { thinking: block.thinking } : block.type === 'tool_use' ? { id: block.id, name: block.name, input: block.input } : block.type));

test('C003 C004 keep-alives, unknown events and items are passed over', async () => {
  const { response } = await run(event('created', { response: { id: 'r' } }), 'x'.repeat(0), added({ type: 'web_search_call', id: 'ws' }), event('web_search_call.searching', { output_index: 0 }), itemDone({ type: 'web_search_call', id: 'ws', status: 'completed' }), { type: 'keepalive' }, text('hi', 1), event('brand.new', { delta: 'no' }), completed());
  expect(response).toEqual({ id: 'r', content: [{ type: 'text', text: 'hi' }], finishReason: 'stop', usage: { inputTokens: 3, outputTokens: 2 }, metadata: { providerFinishReason: 'completed', requestId: 'q', model: 'gpt', usage: { input_tokens: 3, output_tokens: 2 } } });
  expect((await decode(decoder(), [': ping\n\n', sse(text('hi'), completed()), 'data: [DONE]\n\n'])).response?.content).toHaveLength(1);
});

test('C012 the answer is complete with its closing event, whatever comes behind', async () => {
  const open = decoder();
  expect([open.push(new TextEncoder().encode(sse(text('hi'), completed())))?.finishReason, open.done]).toEqual(['stop', true]);
});

test('texts are parts of their items, a refusal is marked, a message may come in several items', async () => {
  const refusal = (delta: string): object => event('refusal.delta', { output_index: 1, content_index: 0, delta });
  const { response } = await run(text('a'), text('b', 0, 1), refusal('I can'), refusal('not'), added({ type: 'message', phase: 'final_answer' }, 2), text('c', 2), completed());
  expect(response?.content).toEqual([
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
    { type: 'text', text: 'I cannot', metadata: { refusal: true } },
    { type: 'text', text: 'c', metadata: { openai: { model: 'm', phase: 'final_answer' } } },
  ]);
});

test('what is said again is not added again, what was never said is added', async () => {
  const message = { type: 'message', content: [{ type: 'output_text', text: 'hello' }] };
  const whole = event('output_text.done', { output_index: 0, content_index: 0, text: 'hello' });
  for (const frames of [[text('hel'), text('lo'), whole, itemDone(message), completed({ output: [message] })], [text('hel'), whole, completed()], [whole, completed()], [itemDone(message), completed()], [completed({ output: [message] })]]) {
    expect(blocks((await run(...frames)).response)).toEqual(['hello']);
  }
});

test('what differs from what is said again is a broken answer, spelling of space and JSON apart', async () => {
  const whole = (said: string): object => event('output_text.done', { output_index: 0, content_index: 0, text: said });
  expect((await run(text('hxllo'), whole('hello'), completed())).error).toMatchObject({ code: 'model/bad-stream', details: { provider: 'openai', retryable: true, requestId: 'q' } });
  expect(blocks((await run(text('hello '), whole('hello'), completed())).response)).toEqual(['hello ']);
  const { response } = await run(added(callItem()), args('{"a": 1}'), itemDone(callItem({ arguments: '{"a":1}' })), completed());
  expect(blocks(response)).toEqual([{ id: 'c1', name: 'get', input: { a: 1 } }]);
  expect((await run(added(callItem()), args('{"a": 1}'), itemDone(callItem({ arguments: '{"a":2}' })), completed())).error?.code).toBe('model/bad-stream');
});

test('C005 C018 calls: by their place, also where ids change with every event, without arguments, without the event that opens them', async () => {
  const second = callItem({ id: 'fc_2', call_id: 'c2', name: 'now' });
  const { response } = await run(added(callItem()), added(second, 1), { ...args('{"a"'), item_id: 'x' }, { ...args('{"b":', 1), item_id: 'y' }, { ...args(':1}'), item_id: 'z' }, args('2}', 1), completed());
  expect(blocks(response)).toEqual([{ id: 'c1', name: 'get', input: { a: 1 } }, { id: 'c2', name: 'now', input: { b: 2 } }]);
  expect(response?.finishReason).toBe('tool_calls');
  expect(blocks((await run(added(callItem()), itemDone(callItem({ arguments: '' })), completed())).response)).toEqual([{ id: 'c1', name: 'get', input: {} }]);
  expect(blocks((await run(args('{"a"'), args(':1}'), itemDone(callItem({ arguments: '{"a":1}' })), completed())).response)).toEqual([{ id: 'c1', name: 'get', input: { a: 1 } }]);
  expect(blocks((await run(args('{"a":1}'), completed())).response)).toMatchObject([{ name: '', input: { a: 1 } }]);
});

test('servers that do not say the place of an item', async () => {
  const bare = (type: string, more: object): object => event(type, more);
  const message = { type: 'message', id: 'msg_1', content: [{ type: 'output_text', text: 'hi' }] };
  const { response } = await run(
    bare('output_item.added', { item: { type: 'message', id: 'msg_1' } }), bare('output_text.delta', { delta: 'h' }), bare('output_text.delta', { delta: 'i' }), bare('output_item.done', { item: message }),
    bare('output_item.added', { item: callItem() }), bare('function_call_arguments.delta', { delta: '{"a":1}' }), bare('output_item.done', { item: callItem({ arguments: '{"a":1}' }) }),
    completed({ output: [message, callItem({ arguments: '{"a":1}' })] }),
  );
  expect(blocks(response)).toEqual(['hi', { id: 'c1', name: 'get', input: { a: 1 } }]);
});

test('reasoning: each part of a summary is a block, the last one has what goes back; encrypted alone is a block without words', async () => {
  const summary = (delta: string, part: number): object => event('reasoning_summary_text.delta', { output_index: 0, summary_index: part, delta });
  const item = { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'one' }, { type: 'summary_text', text: 'two' }], encrypted_content: 'enc' };
  const { response } = await run(added({ type: 'reasoning', id: 'rs_1', summary: [] }), summary('on', 0), summary('e', 0), summary('two', 1), itemDone(item), text('x', 1), completed());
  expect(response?.content).toEqual([
    { type: 'thinking', thinking: 'one', metadata: { openai: { model: 'm', id: 'rs_1' } } },
    { type: 'thinking', thinking: 'two', metadata: { openai: { model: 'm', id: 'rs_1', encrypted_content: 'enc' } } },
    { type: 'text', text: 'x' },
  ]);
  const silent = await run(itemDone({ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'enc' }), text('x', 1), completed());
  expect(silent.response?.content[0]).toEqual({ type: 'thinking', thinking: '', metadata: { openai: { model: 'm', id: 'rs_1', encrypted_content: 'enc' } } });
});

test('C014 endings in one vocabulary, the provider\'s word beside it', async () => {
  const incomplete = (reason: string): object => event('incomplete', { response: { id: 'r', status: 'incomplete', incomplete_details: { reason }, output: [] } });
  const ends = async (...frames: readonly object[]): Promise<unknown> => {
    const { response } = await run(text('x'), ...frames);
    return [response?.finishReason, response?.metadata?.['providerFinishReason']];
  };
  expect(await Promise.all([ends(completed()), ends(incomplete('max_output_tokens')), ends(incomplete('content_filter')), ends(incomplete('odd')), ends(event('cancelled', { response: { status: 'cancelled' } }))])).toEqual([
    ['stop', 'completed'], ['length', 'max_output_tokens'], ['content_filter', 'content_filter'], ['other', 'odd'], ['other', 'cancelled'],
  ]);
  const { response } = await run(added(callItem()), args('{"a'), incomplete('max_output_tokens'));
  expect([response?.finishReason, blocks(response)]).toEqual(['length', [{ id: 'c1', name: 'get', input: {} }]]);
});

test('C010 errors in each of their forms are typed, and what came before stays', async () => {
  const nested = { type: 'error', error: { type: 'server_error', code: 'server_error', message: 'busy' } };
  const flat = { type: 'error', code: 'rate_limit_exceeded', message: 'slow down', param: null };
  const failed = event('failed', { response: { status: 'failed', error: { code: 'insufficient_quota', message: 'pay' } } });
  const codes = await Promise.all([nested, flat, failed, event('failed', { response: { status: 'failed', error: null } })].map(async (frame) => [(await run(text('Par'), frame)).error?.code, (await run(text('Par'), frame)).said.length]));
  expect(codes).toEqual([['model/overloaded', 1], ['model/rate-limit', 1], ['model/quota', 1], ['model/bad-stream', 1]]);
  expect((await run({ error: { message: 'x', code: 'server_error' } })).error?.code).toBe('model/overloaded');
});

test('bodies that are no answer are typed errors', async () => {
  const code = async (body: string): Promise<unknown> => (await decode(decoder(), [body])).error?.code;
  expect(await Promise.all(['', '{}', '[]', 'null', '{"output":', '<html>', '{"error":{"message":"x","code":"rate_limit_exceeded"}}', '{"code":429,"msg":"busy"}', '{"status":"queued","output":[]}', 'data: {"type":"response.comp'].map(code))).toEqual([
    'model/bad-stream', 'model/bad-stream', 'model/bad-stream', 'model/bad-stream', 'model/bad-stream', 'model/bad-stream', 'model/rate-limit', 'model/rate-limit', 'model/bad-stream', 'model/bad-stream',
  ]);
});

test('C029 special keys are keys like any other', async () => {
  const { response } = await run(added(callItem({ call_id: '__proto__' })), args('{"__proto__":{"admin":true},"constructor":1}'), completed());
  expect(response?.content).toMatchObject([{ id: '__proto__' }]);
  expect(({} as { admin?: boolean }).admin).toBeUndefined();
});

test('C127 impossible numbers count as none', async () => {
  expect((await run(text('x'), completed({ usage: { input_tokens: '7', output_tokens: -1 } }))).response?.usage).toEqual({ inputTokens: 7, outputTokens: 0 });
  expect((await run(text('x'), completed({ usage: {} }))).response).not.toHaveProperty('usage');
});

const files = [...fixturesOf(['openai-responses'], (name) => name.endsWith('.chunks.txt') && !name.includes('error')), ...fixturesOf(['xai'], (name) => name.includes('store-false'))];
for (const file of files) {
  test(`${file.slice(fixtureRoot.length + 1)} with a frame dropped, repeated, swapped or broken is the same answer or a typed error`, async () => {
    const lines = linesOf(file);
    const frames = lines.slice(0, lines.findIndex((line) => line.includes('"type":"response.completed"')) + 1).map((line) => `data: ${line}\n\n`);
    const truth = plain((await decode(decoder(), frames)).response);
    let errors = 0;
    for (const { what, at, frames: mutant } of mutations(frames)) {
      const { response, error } = await decode(decoder(), mutant);
      if (error !== undefined) errors++;
      else expect({ what, at, ...plain(response) }).toEqual({ what, at, ...truth });
      if (what === 'ended' || (what === 'broken' && at < frames.length - 1)) expect([what, at, error?.code]).toEqual([what, at, 'model/bad-stream']);
    }
    expect(errors).toBeGreaterThan(Math.min(frames.length, 100));
  });
}

/** Words, calls and ending; where encrypted reasoning stands does not matter to who reads. */
function plain(response: ChatResponse | undefined): object {
  const content = response?.content ?? [];
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    thinking: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    calls: content.flatMap((block) => (block.type === 'tool_use' ? [[block.id, block.name, block.input]] : [])),
    end: [response?.finishReason, response?.usage],
  };
}
