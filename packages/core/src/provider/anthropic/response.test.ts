import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toolNames } from '../../formatter/index.ts';
import { AgentScopeError } from '../../error/index.ts';
import { collectResponse } from '../../model/index.ts';
import type { ChatResponse, ChatResponseChunk } from '../../model/index.ts';
import { createDecoder } from './response.ts';

type Frame = { readonly type: string; readonly [member: string]: unknown };

const start = (usage: object = { input_tokens: 3, output_tokens: 1 }): Frame => ({ type: 'message_start', message: { id: 'm1', model: 'claude', usage } });
const open = (index: number, content_block: object): Frame => ({ type: 'content_block_start', index, content_block });
const delta = (index: number, value: object): Frame => ({ type: 'content_block_delta', index, delta: value });
const stop = (index: number): Frame => ({ type: 'content_block_stop', index });
const end = (stop_reason = 'end_turn', usage: object = { output_tokens: 5 }): Frame[] => [{ type: 'message_delta', delta: { stop_reason }, usage }, { type: 'message_stop' }];
const text = (index: number, ...pieces: string[]): Frame[] => [open(index, { type: 'text', text: '' }), ...pieces.map((piece) => delta(index, { type: 'text_delta', text: piece })), stop(index)];
const call = (index: number, id: string, ...pieces: string[]): Frame[] => [open(index, { type: 'tool_use', id, name: 'f', input: {} }), ...pieces.map((piece) => delta(index, { type: 'input_json_delta', partial_json: piece })), stop(index)];

const sse = (frame: unknown): string => `event: ${(frame as Frame).type}\ndata: ${JSON.stringify(frame)}\n\n`;
const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);

/** What came, and what was thrown in the end. */
async function play(pieces: readonly Uint8Array[], status = 200): Promise<{ response: ChatResponse; error: unknown; chunks: ChatResponseChunk[] }> {
  const decoder = createDecoder({ provider: 'anthropic', status, headers: new Headers({ 'request-id': 'req_9' }), names: toolNames(undefined) });
  const chunks: ChatResponseChunk[] = [];
  let error: unknown;
  const keep = (chunk: ChatResponseChunk | undefined): unknown => chunk !== undefined && chunks.push(chunk);
  try {
    for (const piece of pieces) if (!decoder.done && decoder.failure === undefined) keep(decoder.push(piece));
    if (!decoder.done && decoder.failure === undefined) keep(decoder.end());
    error = decoder.failure;
  } catch (thrown) {
    error = thrown;
  }
  return { response: await collectResponse((async function* () { yield* chunks; })()), error, chunks };
}

const read = async (...frames: unknown[]): Promise<ChatResponse> => {
  const { response, error } = await play([bytes(frames.map(sse).join(''))]);
  expect(error).toBeUndefined();
  return response;
};
const codeOf = async (...frames: unknown[]): Promise<string> => {
  const { error } = await play([bytes(frames.map(sse).join(''))]);
  return error === undefined ? 'no error' : AgentScopeError.is(error) ? error.code : String(error);
};

test('C035 each thinking block keeps its own signature, redacted thinking its data, in their order', async () => {
  const { content } = await read(
    start(),
    open(0, { type: 'thinking', thinking: '', signature: '' }), delta(0, { type: 'thinking_delta', thinking: 'one' }), delta(0, { type: 'signature_delta', signature: 'S1' }), stop(0),
    open(1, { type: 'redacted_thinking', data: 'R1' }), stop(1),
    open(2, { type: 'thinking', thinking: '', signature: '' }), delta(2, { type: 'signature_delta', signature: 'S' }), delta(2, { type: 'signature_delta', signature: '2' }), stop(2),
    ...call(3, 'a', '{}'),
    ...end('tool_use'),
  );
  expect(content.slice(0, 3)).toEqual([
    { type: 'thinking', thinking: 'one', metadata: { anthropic: { signature: 'S1' } } },
    { type: 'thinking', thinking: '', metadata: { anthropic: { redacted: 'R1' } } },
    { type: 'thinking', thinking: '', metadata: { anthropic: { signature: 'S2' } } },
  ]);
});

test('C124 usage is counted once, the last value of each counts, and the input is all of it', async () => {
  const first = { input_tokens: 7, cache_creation_input_tokens: 120, cache_read_input_tokens: 40, output_tokens: 1 };
  const twice = await read(start(first), ...text(0, 'x'), { type: 'message_delta', delta: {}, usage: { ...first, output_tokens: 21 } }, ...end('end_turn', { ...first, output_tokens: 58 }));
  expect(twice.usage).toEqual({ inputTokens: 167, outputTokens: 58, cachedTokens: 40, cacheCreationTokens: 120 });
  expect((await read(start(first), ...text(0, 'x'), ...end('end_turn', { output_tokens: 58 }))).usage).toEqual(twice.usage);
  expect((await read(start(first), ...text(0, 'x'), ...end('end_turn', { input_tokens: 9, output_tokens: 58 }))).usage).toMatchObject({ inputTokens: 169 });
  expect((await read(start(first), ...text(0, 'x'), ...end('end_turn', { input_tokens: null, output_tokens: 58 }))).usage).toEqual(twice.usage);
});

test('C127 impossible counts are none', async () => {
  expect((await read(start({}), ...text(0, 'x'), ...end('end_turn', {}))).usage).toBeUndefined();
  expect((await read(start({ input_tokens: '7' }), ...text(0, 'x'), ...end('end_turn', { output_tokens: -3 }))).usage).toEqual({ inputTokens: 7, outputTokens: 0 });
});

test('C003 pings, comments, unknown events, unknown deltas and unknown blocks are left alone', async () => {
  const frames = [start(), { type: 'ping' }, open(0, { type: 'text', text: '' }), { type: 'brand_new', anything: 1 }, delta(0, { type: 'text_delta', text: 'a' }), delta(0, { type: 'sparkle_delta', x: 1 }), delta(0, { type: 'citations_delta', citation: { url: 'u' } }), stop(0), open(1, { type: 'hologram', x: 1 }), delta(1, { type: 'hologram_delta' }), stop(1), ...end()];
  const { response } = await play([bytes(`: hello\n\ndata:\n\n${frames.map(sse).join(': ping\n\n')}`)]);
  expect(response.content).toEqual([{ type: 'text', text: 'a', metadata: { anthropic: { citations: [{ url: 'u' }] } } }]);
  expect(response.metadata).toMatchObject({ providerFinishReason: 'end_turn', requestId: 'req_9', anthropic: { serverBlocks: [{ type: 'hologram', x: 1 }] } });
});

test('what tools of the provider did is kept as it came: in the answer, and on the text it led to', async () => {
  const search = (index: number, id: string): Frame[] => [open(index, { type: 'server_tool_use', id, name: 'web_search', input: {} }), delta(index, { type: 'input_json_delta', partial_json: '{"q":' }), delta(index, { type: 'input_json_delta', partial_json: '1}' }), stop(index), open(index + 1, { type: 'web_search_tool_result', tool_use_id: id, content: [] }), stop(index + 1)];
  const kept = (id: string): object[] => [{ type: 'server_tool_use', id, name: 'web_search', input: { q: 1 } }, { type: 'web_search_tool_result', tool_use_id: id, content: [] }];
  const { content, metadata, finishReason } = await read(start(), ...text(0, 'a'), ...search(1, 's1'), ...text(3, 'b'), ...search(4, 's2'), ...end('pause_turn'));
  expect(content).toEqual([{ type: 'text', text: 'a' }, { type: 'text', text: 'b', metadata: { anthropic: { serverBlocks: kept('s1') } } }]);
  expect([metadata?.['anthropic'], finishReason]).toEqual([{ serverBlocks: [...kept('s1'), ...kept('s2')] }, 'pause']);
});

test('C018 a call without arguments has an empty object; one whose arguments stand at its start has those', async () => {
  const inputs = async (...frames: Frame[]): Promise<unknown> => (await read(start(), ...frames, ...end('tool_use'))).content.map((block) => block.type === 'tool_use' && block.input);
  expect(await inputs(...call(0, 'a'))).toEqual([{}]);
  expect(await inputs(...call(0, 'a', ''))).toEqual([{}]);
  expect(await inputs(open(0, { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } }), stop(0))).toEqual([{ x: 1 }]);
  expect(await inputs(open(0, { type: 'tool_use', id: 'a', name: 'f' }), stop(0))).toEqual([{}]);
});

test('C014 the finish reason says what came', async () => {
  const reasons = async (word: string, frames: Frame[]): Promise<unknown> => (await read(start(), ...frames, ...end(word))).finishReason;
  expect(await reasons('end_turn', call(0, 'a', '{}'))).toBe('tool_calls');
  expect(await reasons('max_tokens', call(0, 'a', '{"x'))).toBe('length');
  expect(await reasons('tool_use', text(0, 'x'))).toBe('stop');
  expect(await reasons('pause_turn', text(0, 'x'))).toBe('pause');
  expect(await reasons('refusal', [])).toBe('content_filter');
  expect(await reasons('something_new', text(0, 'x'))).toBe('other');
});

test('C010 an error in the middle is typed, after what came before it', async () => {
  const { response, error } = await play([bytes([start(), open(0, { type: 'text', text: '' }), delta(0, { type: 'text_delta', text: 'Par' }), { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }].map(sse).join(''))]);
  expect(response.content).toEqual([{ type: 'text', text: 'Par' }]);
  expect(error).toMatchObject({ code: 'model/overloaded', details: { provider: 'anthropic', providerCode: 'overloaded_error', retryable: true, requestId: 'req_9' } });
  expect(await codeOf({ type: 'error', error: { type: 'api_error', message: 'x' } })).toBe('model/overloaded');
  expect(await codeOf({ type: 'error', error: { type: 'rate_limit_error', message: 'x' } })).toBe('model/rate-limit');
  expect(await codeOf({ error: { message: 'a gateway says no', code: 'insufficient_quota' } })).toBe('model/quota');
});

test('malformed frames of known types break the answer', async () => {
  const bad: unknown[][] = [
    [start(), delta(0, { type: 'text_delta', text: 'x' })],
    [start(), open(0, { type: 'text', text: '' }), open(0, { type: 'text', text: '' })],
    [start(), open(0, { type: 'text', text: '' }), delta(0, { type: 'text_delta' })],
    [start(), open(0, { type: 'text', text: '' }), delta(0, { type: 'input_json_delta', partial_json: '{}' })],
    [start(), open(0, { type: 'text', text: '' }), { type: 'content_block_delta', index: 0 }],
    [start(), ...text(0, 'x'), delta(0, { type: 'text_delta', text: 'y' })],
    [start(), { type: 'content_block_start', content_block: { type: 'text' } }],
    [start(), open(0, { type: 'redacted_thinking' })],
    [{ type: 'message_start' }],
    [start(), ...text(0, 'x')],
    [start(), ...text(0, 'x'), { type: 'message_stop' }],
  ];
  expect(await Promise.all(bad.map((frames) => codeOf(...frames)))).toEqual(bad.map(() => 'model/bad-stream'));
  expect((await play([bytes('data: {"type":"message_start"\n\n')])).error).toMatchObject({ code: 'model/bad-stream' });
  expect((await play([])).error).toMatchObject({ code: 'model/bad-stream' });
  expect((await play([bytes('{"type":"message"}')])).error).toMatchObject({ code: 'model/bad-stream' });
  expect((await play([bytes('{"type":"error","error":{"type":"billing_error","message":"pay"}}')])).error).toMatchObject({ code: 'model/quota', details: { retryable: false } });
  expect((await play([bytes('<html>')])).error).toMatchObject({ code: 'model/bad-stream' });
});

const anyBlock = fc.constantFrom<(index: number) => Frame[]>(
  (index) => text(index, '晴天', '🌍', 'ok'),
  (index) => [open(index, { type: 'thinking', thinking: '' }), delta(index, { type: 'thinking_delta', thinking: 'hm' }), delta(index, { type: 'signature_delta', signature: 's' }), stop(index)],
  (index) => call(index, `c${index}`, '{"x":', '1}'),
  (index) => call(index, `c${index}`),
  (index) => [open(index, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }), delta(index, { type: 'input_json_delta', partial_json: '{"q":1}' }), stop(index)],
);
const frames = fc.tuple(fc.array(anyBlock, { minLength: 1, maxLength: 5 }), fc.constantFrom('end_turn', 'tool_use', 'max_tokens')).map(([blocks, word]) => [start(), { type: 'ping' } as Frame, ...blocks.flatMap((block, index) => block(index)), ...end(word)]);

test('I6 C001 however the bytes are cut, the answer is the same', async () => {
  await fc.assert(
    fc.asyncProperty(frames, fc.array(fc.nat(), { maxLength: 20 }), async (list, cuts) => {
      const whole = bytes(list.map(sse).join(''));
      const places = [...new Set(cuts.map((cut) => cut % whole.length))].sort((a, b) => a - b);
      const pieces = [0, ...places].map((from, at) => whole.slice(from, [...places, whole.length][at]));
      const [cut, expected] = [await play(pieces), await play([whole])];
      expect([cut.error, { ...cut.response }]).toEqual([undefined, { ...expected.response }]);
    }),
    { numRuns: 300 },
  );
});

test('frames dropped, repeated, moved or damaged: an answer or a typed error, and no success for a broken end', async () => {
  const mutation = fc.record({ kind: fc.constantFrom('drop', 'repeat', 'swap', 'damage', 'truncate'), at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }) });
  const counts: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(frames, mutation, async (list, { kind, at, byte }) => {
      const parts = list.map(sse);
      const n = at % parts.length;
      const part = parts[n] ?? '';
      if (kind === 'drop') parts.splice(n, 1);
      if (kind === 'repeat') parts.splice(n, 0, part);
      if (kind === 'swap') parts.splice(n, 2, parts[n + 1] ?? '', part);
      let body = bytes(parts.join(''));
      if (kind === 'damage') body[at % body.length] = byte;
      if (kind === 'truncate') body = body.slice(0, at % body.length);
      const { error, response } = await play([body]);
      const code = error === undefined ? 'no error' : AgentScopeError.is(error) ? error.code : `untyped ${String(error)}`;
      counts[`${kind} ${code}`] = (counts[`${kind} ${code}`] ?? 0) + 1;
      const broken = kind === 'truncate' && !/"stop_reason":"\w+"\},"usage":\{"output_tokens":5\}\}/.test(new TextDecoder().decode(body));
      expect(code).toMatch(broken ? /^model\/bad-stream$/ : /^(?:no error|model\/)/);
      if (error !== undefined) expect(response.finishReason).toBeUndefined();
    }),
    { numRuns: 1500 },
  );
  for (const kind of ['drop', 'repeat', 'swap', 'damage', 'truncate']) expect(counts[`${kind} model/bad-stream`]).toBeGreaterThan(5);
});
