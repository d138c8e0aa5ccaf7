import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decode, mutations } from '../../../test/decode.ts';
import { fixtureRoot, fixturesOf, linesOf } from '../../../test/fixture-files.ts';
import type { ChatResponse } from '../../model/index.ts';
import { geminiNames } from './names.ts';
import { createDecoder } from './response.ts';

const decoder = (): ReturnType<typeof createDecoder> => createDecoder({ provider: 'gemini', status: 200, headers: new Headers(), names: geminiNames(undefined), modelName: 'gemini-3-pro', key: 'AIza-0123456789' });
const sse = (...frames: readonly object[]): string => frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('');
const parts = (...list: readonly object[]): object => ({ responseId: 'r', candidates: [{ content: { role: 'model', parts: list } }] });
const end = (finishReason = 'STOP', more: object = {}): object => ({ responseId: 'r', candidates: [{ finishReason, ...more }], usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2 } });
const run = async (...frames: readonly object[]): ReturnType<typeof decode> => decode(decoder(), [sse(...frames)]);
const contentOf = (response: ChatResponse | undefined): unknown[] => (response?.content ?? []).map((block) => (block.type === 'tool_use' ? { name: block.name, input: block.input, metadata: block.metadata } : block));
const signed = (thoughtSignature: string): object => ({ metadata: { gemini: { model: 'gemini-3-pro', thoughtSignature } } });

test('C015 candidates without content, and none at all, end with the reason that names the cause', async () => {
  const ends = async (...frames: readonly object[]): Promise<unknown> => {
    const { response, error } = await run(...frames);
    return error === undefined ? [response?.finishReason, response?.metadata?.['providerFinishReason'], response?.content.length] : [error.code, (error.details as { providerCode?: string }).providerCode, (error.details as { retryable?: boolean }).retryable];
  };
  expect(await Promise.all([
    ends({ candidates: [{ content: {}, finishReason: 'MALFORMED_FUNCTION_CALL' }] }),
    ends({ candidates: [{ finishReason: 'UNEXPECTED_TOOL_CALL' }] }),
    ends({ candidates: [{ finishReason: 'SAFETY' }] }),
    ends({ candidates: [], promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }),
    ends({ promptFeedback: { blockReason: 'SAFETY' } }),
    ends({ promptFeedback: {} }, parts({ text: 'x' }), end()),
    ends({ candidates: [{ content: null, finishReason: 'OTHER' }] }),
    ends({ candidates: [{ content: { parts: null }, finishReason: 'MAX_TOKENS' }] }),
    ends({ candidates: [] }),
  ])).toEqual([
    ['model/bad-stream', 'MALFORMED_FUNCTION_CALL', true],
    ['model/bad-stream', 'UNEXPECTED_TOOL_CALL', true],
    ['content_filter', 'SAFETY', 0],
    ['content_filter', 'PROHIBITED_CONTENT', 0],
    ['content_filter', 'SAFETY', 0],
    ['stop', 'STOP', 1],
    ['other', 'OTHER', 0],
    ['length', 'MAX_TOKENS', 0],
    ['model/bad-stream', undefined, true],
  ]);
});

test('thoughts, text and pictures are blocks of their own, in order', async () => {
  const { response } = await run(parts({ text: 'hm', thought: true }), parts({ text: ' so', thought: true }, { text: 'It' }), parts({ text: ' is' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }, { text: 'this', thoughtSignature: 's2' }), parts({ executableCode: { code: 'x' } }, { somethingNew: {} }, {}), end());
  expect(response?.content).toEqual([
    { type: 'thinking', thinking: 'hm so' },
    { type: 'text', text: 'It is' },
    { type: 'data', source: { type: 'base64', data: 'AAAA', mediaType: 'image/png' } },
    { type: 'text', text: 'this', ...signed('s2') },
  ]);
});

test('of several candidates the first one is read, wherever it stands', async () => {
  const { response } = await run({ candidates: [{ index: 1, content: { parts: [{ text: 'no' }] } }, { index: 0, content: { parts: [{ text: 'yes' }] } }] }, { candidates: [{ index: 1, finishReason: 'SAFETY' }] }, end());
  expect([response?.content, response?.finishReason]).toEqual([[{ type: 'text', text: 'yes' }], 'stop']);
});

test('C038 a signature stays with its part: on a call, on text, in an empty last part; what follows it is another part', async () => {
  const { response } = await run(parts({ functionCall: { name: 'a', args: {} }, thoughtSignature: 's1' }, { functionCall: { name: 'b' } }), end());
  expect(contentOf(response)).toEqual([{ name: 'a', input: {}, ...signed('s1') }, { name: 'b', input: {}, metadata: {} }]);
  const text = await run(parts({ text: 'one' }), parts({ text: '', thoughtSignature: 's2' }), parts({ text: 'two' }), parts({ text: ' three', thoughtSignature: 's3' }), end());
  expect(text.response?.content).toEqual([{ type: 'text', text: 'one', ...signed('s2') }, { type: 'text', text: 'two three', ...signed('s3') }]);
  const alone = await run(parts({ functionCall: { name: 'a' } }), parts({ text: '', thoughtSignature: 's4' }), end());
  expect(contentOf(alone.response)).toEqual([{ name: 'a', input: {}, metadata: {} }]);
});

test('C014 C018 calls count whatever the word, have an id of their own, and arguments even where they have none', async () => {
  const { response } = await run(parts({ functionCall: { name: 'a' } }, { functionCall: { name: 'a', args: null } }, { functionCall: { name: 'b', id: 'given', args: { x: 1 } } }), end('STOP'));
  expect(contentOf(response)).toEqual([{ name: 'a', input: {}, metadata: {} }, { name: 'a', input: {}, metadata: {} }, { name: 'b', input: { x: 1 }, metadata: { gemini: { model: 'gemini-3-pro', hasId: true } } }]);
  const ids = response?.content.map((block) => (block.type === 'tool_use' ? block.id : '')) ?? [];
  expect([new Set(ids).size, ids[2], response?.finishReason]).toEqual([3, 'given', 'tool_calls']);
});

test('arguments that come value by value, by their place', async () => {
  const partial = (more: object): object => parts({ functionCall: { willContinue: true, ...more } });
  const { response } = await run(
    partial({ name: 'trip' }),
    partial({ partialArgs: [{ jsonPath: '$.from', stringValue: 'Lis', willContinue: true }] }),
    partial({ partialArgs: [{ jsonPath: '$.from', stringValue: 'bon' }, { jsonPath: '$.days', numberValue: 3 }] }),
    partial({ partialArgs: [{ jsonPath: '$.stops[0].name', stringValue: 'A' }, { jsonPath: '$.stops[1]["a b"]', boolValue: true }, { jsonPath: '$.none', nullValue: 'NULL_VALUE' }, { jsonPath: "$['__proto__'].admin", boolValue: true }] }),
    parts({ functionCall: {} }, { functionCall: { name: 'now' } }),
    end(),
  );
  expect(response?.content.map((block) => (block.type === 'tool_use' ? [block.name, block.content] : []))).toEqual([
    ['trip', '{"from":"Lisbon","days":3,"stops":[{"name":"A"},{"a b":true}],"none":null,"__proto__":{"admin":true}}'],
    ['now', '{}'],
  ]);
  expect(({} as { admin?: boolean }).admin).toBeUndefined();
  for (const jsonPath of ['', 'x', '$', '$[0]', '$.a[999999]', '$.a b[', '$..a']) {
    expect((await run(partial({ name: 'x' }), partial({ partialArgs: [{ jsonPath, stringValue: 'v' }] }), end())).error?.code).toBe('model/bad-stream');
  }
  const cut = await run(partial({ name: 'x' }), partial({ partialArgs: [{ jsonPath: '$.a', stringValue: 'v', willContinue: true }] }), end('MAX_TOKENS'));
  expect([cut.response?.finishReason, cut.response?.content]).toMatchObject(['length', [{ content: '{"a":"v"', input: {} }]]);
});

test('C127 usage is both kinds of output, the last one reported; reports that count nothing are passed over', async () => {
  const usage = async (...list: readonly object[]): Promise<unknown> => (await run(...list.map((usageMetadata) => ({ usageMetadata })), { candidates: [{ finishReason: 'STOP' }] })).response?.usage;
  expect(await usage({ promptTokenCount: 9, candidatesTokenCount: 1 }, { promptTokenCount: 9, candidatesTokenCount: 2, thoughtsTokenCount: 3, cachedContentTokenCount: 4, toolUsePromptTokenCount: 1 }, { trafficType: 'x' })).toEqual({ inputTokens: 10, outputTokens: 5, cachedTokens: 4 });
  expect([await usage({}), await usage({ promptTokenCount: '7', candidatesTokenCount: -1 })]).toEqual([undefined, { inputTokens: 7, outputTokens: 0 }]);
});

test('C010 C136 an error in the stream is typed, with its wait; what came before stays; the key is not shown', async () => {
  const busy = { error: { code: 429, message: 'slow AIza-0123456789', status: 'RESOURCE_EXHAUSTED', details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.4s' }] } };
  const { error, said } = await run(parts({ text: 'Par' }), busy);
  expect([said.length, error]).toMatchObject([1, { code: 'model/rate-limit', details: { provider: 'gemini', status: 429, providerCode: 'RESOURCE_EXHAUSTED', retryAfterMs: 34_400, retryable: true } }]);
  expect(error?.message).not.toContain('AIza');
  expect((await decode(decoder(), [JSON.stringify([busy])])).error?.code).toBe('model/rate-limit');
});

test('bodies that are no answer are typed errors', async () => {
  const code = async (body: string): Promise<unknown> => (await decode(decoder(), [body])).error?.code;
  expect(await Promise.all(['', '{}', '[]', '[1]', '[{"candidates"', '<html>', 'data: {"candidates":[{"content"', 'data: 7\n\n', 'data: {oops\n\n', '[{"error":{"code":503,"message":"x","status":"UNAVAILABLE"}}]'].map(code))).toEqual([...Array.from({ length: 9 }, () => 'model/bad-stream'), 'model/overloaded']);
});

const files = fixturesOf(['google'], (name) => name.endsWith('.chunks.txt'));
for (const file of files) {
  test(`${file.slice(fixtureRoot.length + 1)} with a frame dropped, repeated, swapped or broken is an answer or a typed error, and no success without its end`, async () => {
    const frames = linesOf(file).map((line) => `data: ${line}\n\n`);
    for (const { what, at, frames: mutant } of mutations(frames)) {
      const { response, error } = await decode(decoder(), mutant);
      expect(error === undefined ? response?.finishReason : error.code).toMatch(/^(?:stop|tool_calls|model\/bad-stream)$/);
      const endless = what === 'ended' || what === 'broken' || (what === 'dropped' && at === frames.length - 1);
      if (endless) expect([what, at, error?.code]).toEqual([what, at, 'model/bad-stream']);
    }
  });
}

test('I6 however text is cut into parts and frames, the blocks are the same', async () => {
  const piece = fc.tuple(fc.constantFrom('a', 'b ', '晴', '🌍', ''), fc.boolean());
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), fc.array(fc.nat(3), { maxLength: 12 }), async (said, cuts) => {
      const list = said.map(([text, thought]) => ({ text, ...(thought ? { thought } : {}) }));
      const frames: object[] = [];
      for (let at = 0, n = 0; at < list.length; n++) {
        const size = 1 + (cuts[n] ?? 0);
        frames.push(parts(...list.slice(at, at + size)));
        at += size;
      }
      const whole = await run(parts(...list), end());
      expect((await run(...frames, end())).response).toEqual(whole.response);
    }),
  );
});
