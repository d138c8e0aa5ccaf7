import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinBase64 } from './base64.ts';
import { collectResponse } from './collect.ts';
import type { ChatResponseChunk, Increment } from './model.ts';

async function* streamOf(...chunks: ChatResponseChunk[]): AsyncGenerator<ChatResponseChunk> {
  yield* chunks;
}

test('joins increments into blocks in the order their first one came', async () => {
  const stream = streamOf(
    { id: 'r', content: [{ type: 'thinking', index: 0, thinking: 'a' }, { type: 'text', index: 1, text: 'x' }] },
    { id: 'r', content: [{ type: 'tool_use', index: 3, id: 't', name: 'f', content: '{"a"' }, { type: 'text', index: 1, text: 'y', metadata: { k: 1 } }], usage: { inputTokens: 1, outputTokens: 1 } },
    { id: 'r', content: [{ type: 'tool_use', index: 3, id: 't', content: ':1}' }, { type: 'thinking', index: 0, thinking: '', metadata: { s: 'sig' }, done: true }] },
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

test('pieces of base64, encoded one by one or slices of one text, give the original bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.integer({ min: 1, max: 20 }), (bytes, size) => {
      const binary = String.fromCharCode(...bytes);
      const pieces: string[] = [];
      for (let at = 0; at < binary.length; at += size) pieces.push(btoa(binary.slice(at, at + size)));
      expect(atob(joinBase64(pieces))).toBe(binary);
      const whole = btoa(binary);
      expect(joinBase64([whole.slice(0, 4 * size), whole.slice(4 * size)])).toBe(whole);
    }),
  );
});
