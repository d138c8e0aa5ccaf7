import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sse } from '../../../../test/play-server.ts';
import { AgentScopeError } from '../../../error/index.ts';
import { toolNames } from '../../../formatter/index.ts';
import { createCollector } from '../../../model/collect.ts';
import type { ChatResponse, ChatResponseChunk } from '../../../model/index.ts';
import { createDecoder } from './response.ts';

interface Decoded {
  readonly response: ChatResponse;
  readonly chunks: readonly ChatResponseChunk[];
  readonly done: boolean;
}

/** Decodes the bytes of a body in pieces; throws what the decoder throws. */
function decodeBytes(pieces: readonly Uint8Array[]): Decoded {
  const decoder = createDecoder({ provider: 'openai', status: 200, headers: new Headers({ 'x-request-id': 'req' }), names: toolNames(undefined) });
  const collector = createCollector();
  const chunks: ChatResponseChunk[] = [];
  const take = (chunk: ChatResponseChunk | undefined): void => {
    if (chunk !== undefined) {
      collector.add(chunk);
      chunks.push(chunk);
    }
    if (decoder.failure !== undefined) throw decoder.failure;
  };
  for (const piece of pieces) if (!decoder.done) take(decoder.push(piece));
  if (!decoder.done) take(decoder.end());
  return { response: collector.response(), chunks, done: decoder.done };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const decodeText = (text: string): ChatResponse => decodeBytes([bytes(text)]).response;
const decode = (...frames: readonly unknown[]): ChatResponse => decodeText(sse(...frames, '[DONE]'));
const delta = (value: unknown, finish: unknown = null): object => ({ id: 'r', model: 'm', choices: [{ index: 0, delta: value, finish_reason: finish }] });
const calls = (...list: readonly unknown[]): object => delta({ tool_calls: list });
const stop = delta({}, 'stop');
const toolUse = (id: string, name: string, content: string, input: object): object => ({ type: 'tool_use', id, name, content, input, state: 'pending', metadata: {} });
const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (AgentScopeError.is(error)) return error.code;
    throw error;
  }
  return 'no error';
};

test('C001 text of many bytes survives every cut; a body that ends inside a character is broken', () => {
  const body = bytes(sse(delta({ content: '晴天🌍ok' }), stop, '[DONE]'));
  const whole = decodeBytes([body]).response;
  expect(whole.content).toEqual([{ type: 'text', text: '晴天🌍ok' }]);
  for (let at = 0; at <= body.length; at++) expect(decodeBytes([body.subarray(0, at), body.subarray(at)]).response).toEqual(whole);
  expect(decodeBytes(Array.from(body, (byte) => Uint8Array.of(byte))).response).toEqual(whole);
  const end = body.findIndex((byte) => byte > 127) + 1;
  expect(codeOf(() => decodeBytes([body.subarray(0, end)]))).toBe('model/bad-stream');
});

test('C003 comments, empty data and unknown events between deltas change nothing; malformed JSON fails', () => {
  const plain = decode(delta({ content: 'a' }), delta({ content: 'b' }), stop);
  for (const between of [': ping\n\n', ': OPENROUTER PROCESSING\n\n', ':\n', 'data:\n\n', 'event: ping\ndata: {"type":"ping"}\n\n', 'event: never-heard-of\ndata: {"x":1}\n\n']) {
    expect(decodeText(sse(delta({ content: 'a' })) + between + sse(delta({ content: 'b' }), stop, '[DONE]'))).toEqual(plain);
  }
  expect(codeOf(() => decodeText(sse(delta({ content: 'a' })) + 'data: {"choices":[\n\n' + sse(stop, '[DONE]')))).toBe('model/bad-stream');
});

test('C004 chunks without choices, null deltas and usage in a chunk of its own', () => {
  const usage = { prompt_tokens: 10, completion_tokens: 5 };
  for (const choices of [[], null, undefined]) {
    expect(decode({ id: 'r', choices: [] }, { choices: [{ index: 0, delta: null }] }, delta({ content: 'hi' }), stop, { choices, usage })).toEqual({
      id: 'r', content: [{ type: 'text', text: 'hi' }], usage: { inputTokens: 10, outputTokens: 5 }, finishReason: 'stop', metadata: { providerFinishReason: 'stop', requestId: 'req', model: 'm', usage },
    });
  }
});

test('C005 tool calls without an index, in one array, and with sparse indexes', () => {
  const expected = [toolUse('a', 'f', '{"x":1}', { x: 1 }), toolUse('b', 'g', '{"y":2}', { y: 2 })];
  expect(decode(calls({ id: 'a', function: { name: 'f', arguments: '' } }), calls({ function: { arguments: '{"x":' } }), calls({ function: { arguments: '1}' } }), calls({ id: 'b', function: { name: 'g', arguments: '{"y":2}' } }), stop).content).toEqual(expected);
  expect(decode(calls({ id: 'a', function: { name: 'f', arguments: '{"x":1}' } }, { id: 'b', function: { name: 'g', arguments: '{"y":2}' } }), stop).content).toEqual(expected);
  expect(decode(calls({ index: 3, id: 'a', function: { name: 'f', arguments: '' } }), calls({ index: 7, id: 'b', function: { name: 'g', arguments: '' } }), calls({ index: 3, function: { arguments: '{"x":1}' } }, { index: 7, function: { arguments: '{"y":2}' } }), stop).content).toEqual(expected);
});

test('ids that are empty, repeated, late or changing; names that are repeated or late; an index used again', () => {
  const one = [toolUse('a', 'f', '{"x":1}', { x: 1 })];
  const f = (name: string | null, args: unknown): object => ({ name, arguments: args });
  expect(decode(calls({ index: 0, id: 'a', function: f('f', '') }), calls({ index: 0, id: '', function: f(null, '{"x":') }), calls({ index: 0, id: '', function: f('', '1}') }), stop).content).toEqual(one);
  expect(decode(calls({ index: 0, id: 'a', function: f('f', '{"x":') }), calls({ index: 0, id: 'a', function: f('f', '1}') }), stop).content).toEqual(one);
  expect(decode(calls({ index: 0, function: f('f', '') }), calls({ index: 0, id: 'a', function: f(null, '{"x":1}') }), stop).content).toEqual(one);
  expect(decode(calls({ index: 0, id: 'a', function: f(null, '{"x"') }), calls({ index: 0, function: f('f', ':1}') }), stop).content).toEqual(one);
  expect(decode(calls({ index: 0, id: 'a', function: f('f', '{"x":') }), calls({ index: 0, id: 'other', function: f(null, '1}') }), stop).content).toEqual(one);
  expect(decode(calls({ index: 0, id: 'a', function: f('f', '{"x":1}') }), calls({ index: 0, id: 'b', function: f('g', '{}') }), stop).content).toEqual([...one, toolUse('b', 'g', '{}', {})]);
  const unnamed = decode(calls({ function: f('f', '{"x":1}') }, { function: f('f', '{"x":1}') }), stop).content;
  expect(unnamed).toMatchObject([{ name: 'f', content: '{"x":1}' }, { name: 'f', content: '{"x":1}' }]);
  expect(new Set(unnamed.map((block) => (block.type === 'tool_use' ? block.id : ''))).size).toBe(2);
});

test('C018 arguments that are empty, blank, missing, null, an object or a text', () => {
  for (const [args, content] of [['', '{}'], ['  ', '  '], [undefined, '{}'], [null, '{}'], [{}, '{}'], ['{}', '{}']] as const) {
    expect(decode(calls({ index: 0, id: 'a', function: { name: 'f', arguments: args } }), stop).content).toEqual([toolUse('a', 'f', content, {})]);
  }
});

test('C023 a call ends with the answer, not where its text happens to parse', () => {
  const args = (...pieces: readonly string[]): unknown => decode(calls({ index: 0, id: 'a', function: { name: 'f', arguments: '' } }), ...pieces.map((piece) => calls({ index: 0, function: { arguments: piece } })), stop).content;
  expect(args('{"q":"a"}', ',{"q":"b"}')).toEqual([toolUse('a', 'f', '{"q":"a"},{"q":"b"}', {})]);
  expect(args('1', '2')).toEqual([toolUse('a', 'f', '12', {})]);
  expect(args('{"q":"a"}', ' ')).toEqual([toolUse('a', 'f', '{"q":"a"} ', { q: 'a' })]);
});

test('C024 two calls with one id stay two calls', () => {
  expect(decode(calls({ index: 0, id: 'x', function: { name: 'f', arguments: '{"n":1}' } }), calls({ index: 1, id: 'x', function: { name: 'f', arguments: '{"n":2}' } }), stop).content).toEqual([toolUse('x', 'f', '{"n":1}', { n: 1 }), toolUse('x_2', 'f', '{"n":2}', { n: 2 })]);
  const list = [1, 2].map((n) => ({ id: 'x', function: { name: 'f', arguments: `{"n":${n}}` } }));
  expect(decodeText(JSON.stringify({ choices: [{ message: { tool_calls: list }, finish_reason: 'tool_calls' }] })).content).toHaveLength(2);
});

test('C026 a call without a name is said all the same, a mere placeholder is not', () => {
  expect(decode(calls({ index: 0, id: 'a', function: { name: null, arguments: '{}' } }), stop).content).toEqual([toolUse('a', '', '{}', {})]);
  expect(decode(calls({ index: 0, function: { arguments: '' } }), stop).content).toEqual([]);
});

test('C029 special keys and ids touch no prototype', () => {
  const { content } = decode(calls({ index: 0, id: '__proto__', function: { name: 'constructor', arguments: '{"__proto__":{"admin":true}}' } }), calls({ index: 1, id: 'toString', function: { name: 'f', arguments: '{}' } }), stop);
  expect(content).toMatchObject([{ id: '__proto__', name: 'constructor' }, { id: 'toString' }]);
  expect(({} as { admin?: unknown }).admin).toBeUndefined();
});

test('C014 calls that came count whatever the word; a word without calls does not make one', () => {
  const one = calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } });
  expect(decode(one, stop).finishReason).toBe('tool_calls');
  expect(decode(one, delta({}, 'whatever')).finishReason).toBe('tool_calls');
  expect(decode(one, delta({}, 'length')).finishReason).toBe('length');
  expect(decode(delta({}, 'tool_calls'))).toMatchObject({ content: [], finishReason: 'stop', metadata: { providerFinishReason: 'tool_calls' } });
  expect(decode(delta({ content: 'x' }, 'whatever')).finishReason).toBe('other');
  expect(decode(delta({ content: 'x' }, 'content_filter')).finishReason).toBe('content_filter');
});

test('C016 loose values in chunks are taken; an empty finish reason is none', () => {
  const loose = { created: '1', choices: [{ index: 0, delta: { role: '', content: null, tool_calls: null, reasoning_content: null, refusal: null, audio_content: '' }, finish_reason: '', logprobs: 5 }], usage: null, more: {} };
  const { id, ...rest } = decode(loose, { choices: [{ delta: { content: 'x' }, finish_reason: '' }] }, { choices: [{ delta: {}, finish_reason: 'stop' }] });
  expect(rest).toEqual({ content: [{ type: 'text', text: 'x' }], finishReason: 'stop', metadata: { providerFinishReason: 'stop', requestId: 'req' } });
  expect(id).not.toBe('');
  expect(codeOf(() => decodeText(sse(loose)))).toBe('model/bad-stream');
});

test('thinking under its three names, text and refusals are blocks of their own, in order', () => {
  expect(decode(delta({ reasoning_content: 'a' }), delta({ reasoning_content: 'b', content: '' }), delta({ content: 'c' }), delta({ reasoning: 'd' }), delta({ reasoning_details: [{ text: 'e' }], content: 'f' }), stop).content).toEqual([
    { type: 'thinking', thinking: 'ab' }, { type: 'text', text: 'c' }, { type: 'thinking', thinking: 'de' }, { type: 'text', text: 'f' },
  ]);
  expect(decode(delta({ reasoning_content: 'a', reasoning_details: [{ text: 'a' }] }), stop).content).toEqual([{ type: 'thinking', thinking: 'a' }]);
  expect(decode(delta({ refusal: 'No' }), delta({ refusal: ', sorry' }), stop).content).toEqual([{ type: 'text', text: 'No, sorry', metadata: { refusal: true } }]);
  expect(decode(delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'a' }] }, { type: 'text', text: 'b' }] }), stop).content).toEqual([{ type: 'thinking', thinking: 'a' }, { type: 'text', text: 'b' }]);
});

test('text after a tool call is a new block', () => {
  expect(decode(delta({ content: 'a' }), calls({ index: 0, id: 'x', function: { name: 'f', arguments: '{}' } }), delta({ content: 'b' }), stop).content.map((block) => block.type)).toEqual(['text', 'tool_use', 'text']);
});

test('usage: the last one counts, wherever it stands', () => {
  const u = (n: number): object => ({ prompt_tokens: n, completion_tokens: n });
  expect(decode({ ...delta({ content: 'a' }), usage: u(1) }, { ...stop, usage: u(2) }, { choices: [], usage: u(3) }).usage).toEqual({ inputTokens: 3, outputTokens: 3 });
  expect(decode(delta({ content: 'a' }), { ...stop, x_groq: { usage: u(4) } }).usage).toEqual({ inputTokens: 4, outputTokens: 4 });
  expect(decode({ choices: [{ delta: { content: 'a' }, finish_reason: 'stop', usage: u(5) }] }).usage).toEqual({ inputTokens: 5, outputTokens: 5 });
});

test('C127 impossible numbers become no number; raw usage stays readable', () => {
  const of = (usage: unknown): ChatResponse => decode({ ...stop, usage });
  expect(of({}).usage).toBeUndefined();
  expect(of({ total_tokens: 0 }).usage).toBeUndefined();
  expect(of({ prompt_tokens: 5 }).usage).toEqual({ inputTokens: 5, outputTokens: 0 });
  expect(of({ prompt_tokens: '7', completion_tokens: -1 }).usage).toEqual({ inputTokens: 7, outputTokens: 0 });
  expect(of({ prompt_tokens: 'x', completion_tokens: null })).not.toHaveProperty('usage');
  const raw = { prompt_tokens: 1, completion_tokens: 6000, completion_tokens_details: { reasoning_tokens: 6010 } };
  expect(of(raw)).toMatchObject({ usage: { inputTokens: 1, outputTokens: 6000 }, metadata: { usage: raw } });
  expect(of({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 35, completion_tokens_details: { reasoning_tokens: 20 }, prompt_tokens_details: { cached_tokens: 12 } }).usage).toEqual({ inputTokens: 22, outputTokens: 25, cachedTokens: 12 });
});

test('C010 an error in a stream is typed; what came before it was said first', () => {
  const quota = { error: { message: 'quota', code: 'insufficient_quota' } };
  expect(codeOf(() => decode(quota))).toBe('model/quota');
  expect(codeOf(() => decode(delta({ content: 'Par' }), quota))).toBe('model/quota');
  expect(codeOf(() => decode({ error: { message: 'x', code: 502 } }))).toBe('model/overloaded');
  expect(codeOf(() => decode({ error: 'odd' }))).toBe('model/bad-stream');
  expect(codeOf(() => decode({ code: 'DataInspectionFailed', message: 'x' }))).toBe('model/refused');
  expect(codeOf(() => decode(delta({ content: 'x' }, 'insufficient_system_resource')))).toBe('model/overloaded');
  const decoder = createDecoder({ provider: 'openai', status: 200, headers: new Headers(), names: toolNames(undefined) });
  expect(decoder.push(bytes(sse(delta({ content: 'Par' }), quota)))).toMatchObject({ content: [{ type: 'text', text: 'Par' }] });
  expect(decoder.failure).toMatchObject({ code: 'model/quota', details: { provider: 'openai', providerCode: 'insufficient_quota', retryable: false } });
});

test('C137 a JSON error with status 200, one line or pretty, is an error', () => {
  expect(codeOf(() => decodeText('{"code":429,"msg":"busy"}'))).toBe('model/rate-limit');
  expect(codeOf(() => decodeText('\n\n{\n  "error": { "message": "x", "type": "server_error" }\n}'))).toBe('model/overloaded');
  expect(codeOf(() => decodeText('[{"error":{"message":"x","status":"UNAVAILABLE","code":503}}]'))).toBe('model/overloaded');
  expect(codeOf(() => decodeText('{"id":"x"}'))).toBe('model/bad-stream');
  expect(codeOf(() => decodeText('<html>busy</html>'))).toBe('model/bad-stream');
  expect(codeOf(() => decodeText(''))).toBe('model/bad-stream');
});

test('a stream without [DONE] is fine once a finish reason came, else broken; the last event needs no blank line', () => {
  expect(decodeText(sse(delta({ content: 'a' }), stop)).finishReason).toBe('stop');
  expect(decodeText(sse(delta({ content: 'a' }), stop).trimEnd()).finishReason).toBe('stop');
  expect(decodeText(`${sse(delta({ content: 'a' }), stop)}data: [DONE]`).finishReason).toBe('stop');
  expect(codeOf(() => decodeText(sse(delta({ content: 'a' }))))).toBe('model/bad-stream');
  expect(codeOf(() => decodeText(sse(delta({ content: 'a' }), stop).slice(0, -9)))).toBe('model/bad-stream');
});

test('a whole message in a stream counts only where no delta came', () => {
  const whole = { choices: [{ message: { content: 'ab', tool_calls: [{ id: 'x', function: { name: 'f', arguments: '{}' } }] }, finish_reason: 'tool_calls' }], usage: { prompt_tokens: 1, completion_tokens: 2 } };
  const repeated = decode(delta({ content: 'a' }), delta({ content: 'b' }), whole);
  expect(repeated).toMatchObject({ content: [{ type: 'text', text: 'ab' }], usage: { inputTokens: 1 } });
  expect(decode(whole)).toMatchObject({ content: [{ type: 'text', text: 'ab' }, { type: 'tool_use', id: 'x' }], finishReason: 'tool_calls' });
});

test('one chunk per read, with every increment it brought; the last one says how it ended', () => {
  const { chunks } = decodeBytes([bytes(sse(delta({ content: 'a' }), delta({ content: 'b' }))), bytes(': ping\n\n'), bytes(sse(delta({ content: 'c' }), stop, '[DONE]'))]);
  expect(chunks).toEqual([
    { id: 'r', content: [{ type: 'text', index: 0, text: 'a' }, { type: 'text', index: 0, text: 'b' }] },
    { id: 'r', content: [{ type: 'text', index: 0, text: 'c' }], finishReason: 'stop', metadata: { providerFinishReason: 'stop', requestId: 'req', model: 'm' } },
  ]);
});

const frame = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }).map((content) => delta({ content })),
  fc.string({ maxLength: 5 }).map((reasoning) => delta({ reasoning_content: reasoning })),
  fc.record({ index: fc.integer({ min: 0, max: 2 }), piece: fc.string({ maxLength: 5 }) }).map(({ index, piece }) => calls({ index, id: `c${index}`, function: { name: 'f', arguments: piece } })),
  fc.constant({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } }),
);
const frames = fc.array(frame, { minLength: 1, maxLength: 10 }).map((list) => [...list, stop, '[DONE]'] as unknown[]);

test('I6 how the bytes were cut changes nothing but the grouping of deltas', () => {
  fc.assert(
    fc.property(frames, fc.array(fc.nat(), { maxLength: 8 }), (list, at) => {
      const body = bytes(sse(...list));
      const borders = [0, ...at.map((n) => n % body.length).sort((a, b) => a - b), body.length];
      expect(decodeBytes(borders.slice(1).map((end, n) => body.subarray(borders[n], end))).response).toEqual(decodeBytes([body]).response);
    }),
    { numRuns: 300 },
  );
});

test('frames dropped, repeated, moved or damaged: an answer or a typed error, and no success for a broken end', () => {
  const mutation = fc.record({ kind: fc.constantFrom('drop', 'repeat', 'swap', 'damage', 'truncate'), at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }) });
  const counts: Record<string, number> = {};
  fc.assert(
    fc.property(frames, mutation, (list, { kind, at, byte }) => {
      const parts = list.map((one) => sse(one));
      const n = at % parts.length;
      const part = parts[n] ?? '';
      if (kind === 'drop') parts.splice(n, 1);
      if (kind === 'repeat') parts.splice(n, 0, part);
      if (kind === 'swap') parts.splice(n, 2, parts[n + 1] ?? '', part);
      let body = bytes(parts.join(''));
      if (kind === 'damage') body[at % body.length] = byte;
      if (kind === 'truncate') body = body.subarray(0, at % body.length);
      const code = codeOf(() => decodeBytes([body]));
      counts[`${kind} ${code}`] = (counts[`${kind} ${code}`] ?? 0) + 1;
      const broken = kind === 'truncate' && !new TextDecoder().decode(body).includes('"finish_reason":"stop"}]}');
      expect(code).toMatch(broken ? /^model\/bad-stream$/ : /^(?:no error|model\/)/);
    }),
    { numRuns: 1000 },
  );
  expect(Object.keys(counts).filter((key) => key.includes('model/')).length).toBeGreaterThanOrEqual(2);
});
