import fc from 'fast-check';
import { expect, test } from 'vitest';
import { collectResponse } from './collect.ts';
import type { ChatResponseChunk, Increment } from './model.ts';

async function* streamOf(...chunks: ChatResponseChunk[]): AsyncGenerator<ChatResponseChunk> {
  yield* chunks;
}

test('joins increments into blocks in the order their first one came', async () => {
  const stream = streamOf(
    { id: 'r', content: [{ type: 'thinking', index: 0, thinking: 'a' }, { type: 'thinking', index: 0, thinking: '', metadata: { s: 'sig' }, done: true }, { type: 'text', index: 1, text: 'x' }] },
    { id: 'r', content: [{ type: 'text', index: 1, text: 'y', metadata: { k: 1 } }, { type: 'tool_use', index: 3, id: 't', name: 'f', content: '{"a"' }], usage: { inputTokens: 1, outputTokens: 1 } },
    { id: 'r', content: [{ type: 'tool_use', index: 3, id: 't', content: ':1}' }] },
    { id: 'r', content: [], usage: { inputTokens: 2, outputTokens: 3 }, finishReason: 'tool_calls', metadata: { requestId: 'q' } },
  );
  expect(await collectResponse(stream)).toEqual({
    id: 'r',
    content: [
      { type: 'thinking', thinking: 'a', metadata: { s: 'sig' } },
      { type: 'text', text: 'xy', metadata: { k: 1 } },
      { type: 'tool_use', id: 't', name: 'f', input: { a: 1 }, content: '{"a":1}', state: 'pending', metadata: {} },
    ],
    usage: { inputTokens: 2, outputTokens: 3 },
    finishReason: 'tool_calls',
    metadata: { requestId: 'q' },
  });
});

test('C129 a pair cut into two increments is one character again', async () => {
  const { content } = await collectResponse(streamOf({ id: 'r', content: [{ type: 'text', index: 0, text: '\ud83d' }, { type: 'text', index: 0, text: '\udfe2' }] }));
  expect(content).toEqual([{ type: 'text', text: '🟢' }]);
});

test('arguments that do not parse leave an empty input and their text', async () => {
  const { content } = await collectResponse(streamOf({ id: 'r', content: [{ type: 'tool_use', index: 0, id: 'a', name: 'f', content: '{"city": "Lis' }] }));
  expect(content).toEqual([{ type: 'tool_use', id: 'a', name: 'f', input: {}, content: '{"city": "Lis', state: 'pending', metadata: {} }]);
});

test('data: pieces of base64 are joined, a URL is taken', async () => {
  const data = (source: { type: 'base64'; data: string; mediaType: string } | { type: 'url'; url: string }, index: number): Increment => ({ type: 'data', index, data: source });
  const { content } = await collectResponse(streamOf({ id: 'r', content: [data({ type: 'base64', data: btoa('a'), mediaType: 'audio/wav' }, 0), data({ type: 'base64', data: btoa('bc'), mediaType: 'audio/wav' }, 0), data({ type: 'url', url: 'https://x' }, 1)] }));
  expect(content).toEqual([{ type: 'data', source: { type: 'base64', data: btoa('abc'), mediaType: 'audio/wav' } }, { type: 'data', source: { type: 'url', url: 'https://x' } }]);
});

const base64 = (data: string, index = 0): Increment => ({ type: 'data', index, data: { type: 'base64', data, mediaType: 'audio/wav' } });
const collected = (...content: Increment[]): ReturnType<typeof collectResponse> => collectResponse(streamOf({ id: 'r', content }));

test('pieces of base64, encoded one by one or slices of one text however cut, give the original bytes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 60 }), fc.integer({ min: 1, max: 20 }), async (bytes, size) => {
      const binary = String.fromCharCode(...bytes);
      const whole = btoa(binary);
      const encoded: Increment[] = [];
      for (let at = 0; at < binary.length; at += size) encoded.push(base64(btoa(binary.slice(at, at + size))));
      const sliced: Increment[] = [];
      for (let at = 0; at < whole.length; at += size) sliced.push(base64(whole.slice(at, at + size)));
      for (const pieces of [encoded, sliced]) expect((await collected(...pieces)).content).toEqual([{ type: 'data', source: { type: 'base64', data: whole, mediaType: 'audio/wav' } }]);
    }),
  );
});

const say = (index: number, text: string): Increment => ({ type: 'text', index, text });

test('a text, thinking or data block ends where another one or a call begins; calls interleave', async () => {
  const { content } = await collected(say(0, 'a'), say(1, 'b'), say(0, 'c'));
  expect(content).toEqual([{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }, { type: 'text', text: 'c' }]);
  const call = (index: number, piece: string, id = `c${index}`): Increment => ({ type: 'tool_use', index, id, name: 'f', content: piece });
  const mixed = await collected(say(0, 'a'), call(1, '{"x":'), call(2, '{'), call(1, '1}'), say(0, 'b'), call(2, '}'), say(0, 'c'));
  expect(mixed.content.map((block) => (block.type === 'text' ? block.text : block.type === 'tool_use' ? block.content : ''))).toEqual(['a', '{"x":1}', '{}', 'bc']);
});

test('two calls of one id are two calls, and a call without id or arguments has some', async () => {
  const call = (index: number, id: string | undefined): Increment => ({ type: 'tool_use', index, id, name: 'f', content: '' }) as Increment;
  const { content } = await collected(call(0, 'x'), call(1, 'x'), call(2, undefined), call(3, ''));
  expect(content).toMatchObject([{ id: 'x', content: '{}' }, { id: 'x_2' }, { id: expect.stringMatching(/./) }, { id: expect.stringMatching(/./) }]);
});

test.each<[string, unknown]>([
  ['no object', 3], ['null', null], ['an unknown type', { type: 'audio', index: 0 }], ['no type', { index: 0, text: 'x' }], ['a type of objects', { type: 'constructor' }],
  ['no text', { type: 'text', index: 0 }], ['thinking that is none', { type: 'thinking', index: 0, thinking: null }], ['a call without content', { type: 'tool_use', index: 0, id: 'a', name: 'f' }],
  ['no data', { type: 'data', index: 0 }], ['data without bytes', { type: 'data', index: 0, data: { type: 'base64' } }], ['data of no known kind', { type: 'data', index: 0, data: { type: 'file', url: 'x' } }],
])('an increment with %s is model/bad-stream', async (_name, increment) => {
  await expect(collected(increment as Increment)).rejects.toMatchObject({ code: 'model/bad-stream', details: { retryable: false } });
});

test('a chunk that is none is model/bad-stream; one without content says nothing', async () => {
  for (const chunk of [null, 'text', { id: 'r', content: 'text' }]) await expect(collectResponse(streamOf(chunk as never))).rejects.toMatchObject({ code: 'model/bad-stream' });
  expect(await collectResponse(streamOf({ id: 'r', finishReason: 'stop' } as never))).toEqual({ id: 'r', content: [], finishReason: 'stop' });
});

test('any chunks at all give an answer or model/bad-stream, never another error', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.anything(), { maxLength: 5 }), fc.array(fc.record({ type: fc.constantFrom('text', 'thinking', 'tool_use', 'data', 'x'), index: fc.anything(), text: fc.anything(), thinking: fc.anything(), content: fc.anything(), data: fc.anything(), id: fc.anything() }, { requiredKeys: ['type'] }), { maxLength: 5 }), async (chunks, content) => {
      const outcome = await collectResponse(streamOf(...(chunks as ChatResponseChunk[]), { id: 'r', content: content as Increment[] })).catch((error: unknown) => error);
      expect(outcome).toEqual(expect.objectContaining(outcome instanceof Error ? { code: 'model/bad-stream' } : { id: expect.anything() as unknown }));
    }),
  );
});
