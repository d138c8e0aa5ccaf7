import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decode } from '../../../test/decode.ts';
import { toolNames } from '../../formatter/index.ts';
import { createDecoder } from './response.ts';

const KEY = 'sk-0123456789abcdef';
const tools = ['ns.get', 'search', 'search_2'].map((name) => ({ name, description: '', inputSchema: {} }));
const decoder = (incremental = true, ignored: readonly string[] = []): ReturnType<typeof createDecoder> => createDecoder({ provider: 'dashscope', status: 200, headers: new Headers({ 'x-request-id': 'of the head' }), names: toolNames(tools, ['search']), incremental, ignored, key: KEY });
const frame = (message: unknown, word: unknown = 'null', more: object = {}): string => `data:${JSON.stringify({ output: { choices: [{ message, finish_reason: word }] }, usage: { input_tokens: 5, output_tokens: 2 }, request_id: 'r', ...more })}\n\n`;
const end = (word: unknown = 'stop', message: unknown = { role: 'assistant', content: '' }): string => frame(message, word);
const run = async (...frames: readonly string[]): ReturnType<typeof decode> => decode(decoder(), [frames.join('')]);
const soFar = async (...frames: readonly string[]): ReturnType<typeof decode> => decode(decoder(false), [frames.join('')]);
const calls = (...list: readonly object[]): object => ({ content: '', tool_calls: list });
const call = (index: number, args: unknown): object => ({ index, id: '', type: 'function', function: { arguments: args } });
const open = (index: number, id: string, args: unknown, name = 'ns_get'): object => ({ index, id, type: 'function', function: { name, arguments: args } });

const text = async (answer: ReturnType<typeof decode>): Promise<string> => ((await answer).response?.content ?? []).map((block) => (block.type === 'text' ? block.text : '')).join('');

test('C008 everything so far is said once; a stream of increments is never taken for one that repeats itself', async () => {
  expect(await text(soFar(frame({ content: '你' }), frame({ content: '你好' }), end('stop', { content: '你好啊' })))).toBe('你好啊');
  expect(await text(run(frame({ content: 'ha' }), frame({ content: 'ha' }), frame({ content: 'ha' }), end()))).toBe('hahaha');
  expect(await text(run(frame({ content: 'aa' }), frame({ content: 'aab' }), end()))).toBe('aaaab');
  const { response } = await soFar(frame(calls(open(0, 'a', '{"a"'))), frame(calls(open(0, 'a', '{"a":1'))), frame(calls(open(0, 'a', '{"a":1}'), open(1, 'b', '{'))), end('tool_calls', calls(open(0, 'a', '{"a":1}'), open(1, 'b', '{"b":2}'))));
  expect(response?.content).toMatchObject([{ id: 'a', content: '{"a":1}', input: { a: 1 } }, { id: 'b', input: { b: 2 } }]);
});

test('C008 any answer said both ways is one answer', async () => {
  const piece = fc.record({ thinking: fc.string({ maxLength: 3 }), text: fc.string({ maxLength: 3 }), args: fc.array(fc.string({ maxLength: 3 }), { maxLength: 3 }), inParts: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
      const counts = pieces.map((_one, at) => pieces.slice(0, at + 1));
      const content = (value: string, inParts: boolean): unknown => (inParts ? [{ text: value }] : value);
      const increments = pieces.map((one, at) => frame({ reasoning_content: one.thinking, content: content(one.text, one.inParts), tool_calls: one.args.map((args, index) => ({ index, id: isFirst(pieces, index, at) ? `c${index}` : '', function: { ...(isFirst(pieces, index, at) ? { name: 'f' } : {}), arguments: args } })) }));
      const cumulated = counts.map((list) => {
        const most = Math.max(0, ...list.map(({ args }) => args.length));
        const argsOf = (index: number): string => list.map(({ args }) => args[index] ?? '').join('');
        return { reasoning_content: list.map(({ thinking }) => thinking).join(''), content: content(list.map((one) => one.text).join(''), list.at(-1)?.inParts ?? false), tool_calls: Array.from({ length: most }, (_, index) => open(index, `c${index}`, argsOf(index), 'f')) };
      });
      const one = await run(...increments, end());
      const other = await soFar(...cumulated.map((message) => frame(message)), end('stop', cumulated.at(-1) ?? { content: '' }));
      expect(inKinds(other.response?.content)).toEqual(inKinds(one.response?.content));
    }),
    { numRuns: 300 },
  );
});

function isFirst(pieces: readonly { readonly args: readonly string[] }[], index: number, at: number): boolean {
  return pieces.findIndex(({ args }) => args.length > index) === at;
}

/** Text and thinking by turns are several blocks; what was said in each kind is the same. */
function inKinds(content: readonly { readonly type: string }[] = []): unknown {
  const all = content as readonly { type: string; text?: string; thinking?: string; id?: string; content?: string | null }[];
  return { text: all.map((block) => block.text ?? '').join(''), thinking: all.map((block) => block.thinking ?? '').join(''), calls: all.flatMap((block) => (block.type === 'tool_use' ? [[block.id, block.content]] : [])).toSorted() };
}

test('a piece that does not go on from the one before is no answer; an older one brings nothing', async () => {
  expect((await soFar(frame({ content: 'one' }), frame({ content: 'two' }), end())).error).toMatchObject({ code: 'model/bad-stream', details: { retryable: true } });
  expect(await text(soFar(frame({ content: 'one' }), frame({ content: 'on' }), end('stop', { content: 'one.' })))).toBe('one.');
  expect(await text(soFar(frame({ content: 'one' }), frame({ content: '' }), end('stop', { content: null })))).toBe('one');
});

test('thinking and text are blocks of their own, and thinking is known for this provider\'s', async () => {
  const { response } = await run(frame({ reasoning_content: 'hm', content: '' }), frame({ reasoning_content: ' so', content: 'It' }), frame({ content: ' is' }), end());
  expect(response?.content).toEqual([{ type: 'thinking', thinking: 'hm so', metadata: { dashscope: { reasoning: true } } }, { type: 'text', text: 'It is' }]);
});

test('content in parts, and as a text where an open door asked for that; media that were made come once', async () => {
  expect(await text(run(frame({ content: [] }), frame({ content: [{ text: 'a' }, { text: 'b' }] }), end('stop', { content: [{ text: 'c' }] })))).toBe('abc');
  expect(await text(run(`data:${JSON.stringify({ output: { text: 'plain', finish_reason: 'stop' }, request_id: 'r' })}\n\n`))).toBe('plain');
  const { response } = await run(frame({ content: [{ image: 'https://x/a.png' }] }), end('stop', { content: [{ image: 'https://x/a.png' }] }));
  expect(response?.content).toMatchObject([{ type: 'data', source: { type: 'url', url: 'https://x/a.png' } }]);
});

test('C005 C018 C023 C026 calls by number, by place and by id; arguments of nothing; names come back, "search" too', async () => {
  const several = await run(frame(calls(open(0, 'a', ''), open(1, 'b', ''))), frame(calls(call(1, '{"y":'))), frame(calls(call(0, '{"x":1}'))), frame(calls(call(1, '2}'))), end('tool_calls'));
  expect(several.response?.content).toMatchObject([{ id: 'a', name: 'ns.get', input: { x: 1 } }, { id: 'b', input: { y: 2 } }]);
  const odd = await run(frame(calls(open(0, 'a', '', 'search_2'), open(1, 'b', null, 'search_3'), open(2, 'c', '{"q":"a"}', 'search'))), frame(calls(call(2, ' '))), end('stop'));
  expect(odd.response?.content).toMatchObject([{ name: 'search_2', input: {} }, { name: 'search', input: {} }, { content: '{"q":"a"} ' }]);
});

test('C014 the finish reason: calls count whatever the word except when cut; no end is "null", null or nothing', async () => {
  const finish = async (word: unknown, message: unknown = { content: 'x' }): Promise<unknown> => (await run(frame(message), end(word))).response?.finishReason;
  const called = calls(open(0, 'a', '{}'));
  expect(await Promise.all(['stop', 'length', 'tool_calls', 'new'].map((word) => finish(word)))).toEqual(['stop', 'length', 'stop', 'other']);
  expect(await Promise.all(['stop', 'length', 'tool_calls', 'new'].map((word) => finish(word, called)))).toEqual(['tool_calls', 'length', 'tool_calls', 'tool_calls']);
  expect(await Promise.all(['null', null, '', 7].map((word) => finish(word)))).toEqual([undefined, undefined, undefined, undefined]);
});

test('C003 C004 C016 comments, frames of nothing and loose values are no content; the id, the usage and what was ignored are told', async () => {
  const loose = ['\ufeff:HTTP_STATUS/200\n\n', 'event:result\n\n', 'data:\n\n', 'data: {}\n\n', `data:${JSON.stringify({ output: { choices: [] } })}\n\n`, `data:${JSON.stringify({ output: null, code: '', message: '' })}\n\n`, frame(null, null), frame({ role: '', content: null, tool_calls: null, reasoning_content: null, new: 1 }, '')];
  const answer = await decode(decoder(true, ['toolChoice']), [[...loose, frame({ content: 'x' }), end()].join('')]);
  expect(answer.response).toEqual({ id: 'r', content: [{ type: 'text', text: 'x' }], usage: { inputTokens: 5, outputTokens: 2 }, finishReason: 'stop', metadata: { providerFinishReason: 'stop', requestId: 'r', usage: { input_tokens: 5, output_tokens: 2 }, ignored: ['toolChoice'] } });
  const without = await run(frame({ content: 'x' }, 'stop', { request_id: undefined, usage: null }));
  expect(without.response?.metadata).toEqual({ providerFinishReason: 'stop', requestId: 'of the head' });
});

test('C010 C137 an error frame fails in the provider\'s words, kept apart by its code, the key taken out; what came before was said', async () => {
  const rows: readonly (readonly [string, string, string, boolean])[] = [
    ['InternalError', 'it broke', 'model/overloaded', true],
    ['InternalError.Algo.InvalidParameter', 'bad value', 'model/bad-request', false],
    ['InternalError.Algo', 'it broke', 'model/overloaded', true],
    ['SystemError', 'it broke', 'model/overloaded', true],
    ['ModelServingError', 'busy', 'model/overloaded', true],
    ['RequestTimeOut', 'too slow', 'model/timeout', true],
    ['Throttling.RateQuota', 'slow down', 'model/rate-limit', true],
    ['Throttling.AllocationQuota', 'slow down', 'model/rate-limit', true],
    ['Arrearage', 'overdue', 'model/quota', false],
    ['PrepaidBillOverdue', 'overdue', 'model/quota', false],
    ['DataInspectionFailed', 'unsafe', 'model/refused', false],
    ['InvalidParameter', 'Range of input length should be [1, 30720]', 'model/context-overflow', false],
    ['InvalidApiKey', `wrong ${KEY}`, 'model/auth', false],
  ];
  for (const [word, message, code, retryable] of rows) {
    const { error, said } = await run(frame({ content: 'Par' }), `id:2\nevent:error\n:HTTP_STATUS/500\ndata:${JSON.stringify({ code: word, message, request_id: 'q' })}\n\n`);
    expect({ code: error?.code, details: error?.details, said: said[0]?.content }).toMatchObject({ code, details: { provider: 'dashscope', retryable, providerCode: word, requestId: expect.stringMatching(/^(?:q|of the head)$/) as unknown }, said: [{ text: 'Par' }] });
    expect(`${error?.message}${JSON.stringify(error?.details)}`).not.toContain(KEY);
  }
  expect((await decode(decoder(), ['{"code":429,"msg":"busy"}'])).error).toMatchObject({ code: 'model/rate-limit', details: { retryable: true } });
});

test('what is no answer is a broken one', async () => {
  const bodies = ['', '{}', '[]', '{"output":{}}', 'data:{"output"\n\n', 'data:7\n\n', frame({ content: 'x' }), `${frame({ content: 'x' })}data:{"out`, JSON.stringify({ output: { choices: [{ message: { content: 'x' }, finish_reason: 'null' }] } })];
  expect(await Promise.all(bodies.map(async (body) => (await decode(decoder(), [body])).error?.code))).toEqual(bodies.map(() => 'model/bad-stream'));
});
