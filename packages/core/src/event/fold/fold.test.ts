import { expect, test } from 'vitest';
import { AgentScopeError } from '../../error/index.ts';
import { AssistantMessage } from '../../message/index.ts';
import type { Msg, ToolUseBlock } from '../../message/index.ts';
import { createFold, foldEvents } from '../index.ts';
import type { AgentEvent } from '../index.ts';

/** Events of one reply with ids of our own; members that matter to no test are filled in. */
function stream(...list: ({ type: string } & Record<string, unknown>)[]): AgentEvent[] {
  return list.map((event, n) => ({ id: `r:1:${n}`, createdAt: `2026-01-01T00:00:00.${String(n).padStart(3, '0')}Z`, replyId: 'r', ...event }) as unknown as AgentEvent);
}
const start = { type: 'AGENT_START', name: 'Friday', sessionId: 's', role: 'assistant' };
const end = { type: 'AGENT_END' };
const call = (n: number, purpose = 'reason') => ({ type: 'MODEL_CALL_START', metadata: { call: n, purpose } });
const callEnd = (metadata: object = { finishReason: 'stop' }) => ({ type: 'MODEL_CALL_END', metadata });
const text = (blockId: string, ...deltas: string[]) => [{ type: 'TEXT_BLOCK_START', blockId }, ...deltas.map((delta) => ({ type: 'TEXT_BLOCK_DELTA', blockId, delta })), { type: 'TEXT_BLOCK_END', blockId }];
const use = (toolCallId: string, args = '{}', toolCallName = 'add') => [
  { type: 'TOOL_CALL_START', toolCallId, toolCallName },
  { type: 'TOOL_CALL_DELTA', toolCallId, toolCallName, delta: args },
  { type: 'TOOL_CALL_END', toolCallId, toolCallName },
];
const result = (toolCallId: string, ...deltas: string[]) => [
  { type: 'TOOL_RESULT_START', toolCallId, toolCallName: 'add' },
  ...deltas.map((delta) => ({ type: 'TOOL_RESULT_TEXT_DELTA', toolCallId, toolCallName: 'add', delta })),
  { type: 'TOOL_RESULT_END', toolCallId, toolCallName: 'add', state: 'success' },
];
const kinds = (msg: Msg): unknown[] => msg.content.map((block) => [block.type, block.call]);
const outputOf = (msg: Msg): unknown[] => msg.getContentBlocks('tool_result').map(({ id, output }) => [id, output.map((part) => (part.type === 'text' ? part.text : part.type))]);

test('S0-007 F25 one message spans all rounds, and each block knows its model call', () => {
  const msg = foldEvents(stream(start, call(1), ...use('a'), callEnd(), ...result('a', '1'), call(2), ...use('b'), callEnd(), ...result('b', '2'), call(3), ...text('t', 'done'), callEnd(), end));
  expect(kinds(msg)).toEqual([['tool_use', 1], ['tool_result', 1], ['tool_use', 2], ['tool_result', 2], ['text', 3]]);
});

test('S0-035 C051 interleaved calls and results each land with their id', () => {
  const delta = (toolCallId: string, text: string) => ({ type: 'TOOL_RESULT_TEXT_DELTA', toolCallId, toolCallName: 'add', delta: text });
  const arg = (toolCallId: string, text: string) => ({ type: 'TOOL_CALL_DELTA', toolCallId, toolCallName: 'add', delta: text });
  const started = ['A', 'B', 'C'].map((toolCallId) => ({ type: 'TOOL_CALL_START', toolCallId, toolCallName: 'add' }));
  const opened = started.map((event) => ({ ...event, type: 'TOOL_RESULT_START' }));
  const ended = ['C', 'A', 'B'].map((toolCallId) => ({ type: 'TOOL_RESULT_END', toolCallId, toolCallName: 'add', state: 'success' }));
  const msg = foldEvents(stream(start, call(1), ...started, arg('A', '{"n":'), arg('B', '{"n":2'), arg('A', '1}'), arg('B', '}'), callEnd(), ...opened, delta('B', 'B1'), delta('A', 'A1'), delta('B', 'B2'), delta('C', 'C1'), delta('A', 'A2'), ...ended, end));
  expect(outputOf(msg)).toEqual([['A', ['A1A2']], ['B', ['B1B2']], ['C', ['C1']]]);
  expect(msg.getContentBlocks('tool_use').map(({ input, state }) => [input, state])).toEqual([[{ n: 1 }, 'finished'], [{ n: 2 }, 'finished'], [{}, 'finished']]);
});

test('S0-041 C024 a call id that comes again in a later round is another call, with its own result after it', () => {
  const msg = foldEvents(stream(start, call(1), ...use('f:0', '{"a":1}'), callEnd(), ...result('f:0', 'one'), call(2), ...use('f:0', '{"a":2}'), callEnd(), ...result('f:0', 'two'), end));
  expect(msg.content.map((block) => block.type)).toEqual(['tool_use', 'tool_result', 'tool_use', 'tool_result']);
  expect(msg.getToolCalls().map(({ call: { input }, result: found }) => [input, found?.output])).toEqual([
    [{ a: 1 }, [{ type: 'text', text: 'one' }]],
    [{ a: 2 }, [{ type: 'text', text: 'two' }]],
  ]);
});

test('C047 block ids are unique in the message, also when an emitter counts from 0 in each call', () => {
  const msg = foldEvents(stream(start, call(1), ...text('0', 't1'), callEnd(), call(2), ...text('0', 't2'), callEnd(), end));
  expect(msg.getContentBlocks('text').map(({ id, text: said }) => [id, said])).toEqual([['0', 't1'], ['0#2', 't2']]);
});

test('C055 side events inside a text do not part it, and the final message doubles nothing', () => {
  const delta = (piece: string) => ({ type: 'TEXT_BLOCK_DELTA', blockId: 'b', delta: piece });
  const events = stream(start, call(1), { type: 'TEXT_BLOCK_START', blockId: 'b' }, delta('ab'), { type: 'CUSTOM', name: 'status', value: {} }, delta('cd'), { type: 'MODEL_CALL_END', usage: { inputTokens: 1, outputTokens: 1 } }, delta('ef'), { type: 'TEXT_BLOCK_END', blockId: 'b' });
  const fold = createFold();
  for (const event of events) fold.apply(event);
  fold.apply({ type: 'AGENT_RESULT', id: 'foreign', createdAt: '', replyId: 'r', result: new AssistantMessage('abcdef') });
  expect(fold.message()?.content.map((block) => block.type === 'text' && block.text)).toEqual(['abcdef']);
});

test('C056 every event of a reply shows one message id, and another reply another', () => {
  const ids = new Set<string | undefined>();
  const fold = createFold();
  for (const event of stream(start, call(1), ...text('b', 'x'), callEnd(), end)) {
    fold.apply(event);
    ids.add(fold.message()?.id);
  }
  fold.apply({ ...start, id: 'r2:1:9', createdAt: '', replyId: 'r2' } as AgentEvent);
  expect([[...ids], fold.message()?.id, fold.messages().length]).toEqual([['r'], 'r2', 2]);
});

test('C128 usage is summed into a new object each time', () => {
  const usage = { inputTokens: 1, outputTokens: 2, cachedTokens: 1 };
  const fold = createFold();
  const [a, b, c, d] = stream(start, { type: 'MODEL_CALL_END', usage }, { type: 'MODEL_CALL_END', usage: { inputTokens: 10, outputTokens: 20, time: 1 } }, end) as [AgentEvent, AgentEvent, AgentEvent, AgentEvent];
  fold.apply(a);
  fold.apply(b);
  const first = fold.message()?.usage;
  usage.inputTokens = 99;
  fold.apply(c);
  fold.apply(c);
  fold.apply(d);
  expect(first).toEqual({ inputTokens: 1, outputTokens: 2, cachedTokens: 1 });
  expect(fold.message()?.usage).toEqual({ inputTokens: 11, outputTokens: 22, cachedTokens: 1, time: 1 });
});

test('C129 a surrogate pair cut by a delta border is whole again', () => {
  expect(foldEvents(stream(start, ...text('b', '\ud83d', '\udfe2'))).getTextContent()).toBe('🟢');
});

test('C130 S0-057 base64 pieces give the same bytes, encoded one by one or cut from one text', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
  const whole = btoa(String.fromCharCode(...bytes));
  const inPieces = (pieces: string[]): unknown => {
    const deltas = pieces.map((delta) => ({ type: 'DATA_BLOCK_DELTA', blockId: 'd', delta }));
    const [block] = foldEvents(stream(start, { type: 'DATA_BLOCK_START', blockId: 'd', mediaType: 'image/png' }, ...deltas, end)).getContentBlocks('data');
    return block?.source;
  };
  const expected = { type: 'base64', data: whole, mediaType: 'image/png' };
  for (const size of [1, 2, 3, 4, 100]) {
    const encoded = Array.from({ length: Math.ceil(256 / size) }, (_, i) => btoa(String.fromCharCode(...bytes.subarray(i * size, (i + 1) * size))));
    expect(inPieces(encoded)).toEqual(expected);
    expect(inPieces(whole.match(new RegExp(`.{1,${size}}`, 'gs')) ?? [])).toEqual(expected);
  }
});

test('C115 earlier messages stay as they were, closed blocks are shared, and an unchanged message is the same object', () => {
  const fold = createFold();
  const events = stream(start, ...text('a', 'closed'), { type: 'TEXT_BLOCK_START', blockId: 'b' }, { type: 'TEXT_BLOCK_DELTA', blockId: 'b', delta: 'x' });
  for (const event of events) fold.apply(event);
  const before = fold.message();
  fold.apply({ type: 'CUSTOM', id: 'r:1:50', createdAt: '', replyId: 'r', name: 'x', value: {} });
  expect(fold.message()).toBe(before);
  fold.apply({ type: 'TEXT_BLOCK_DELTA', id: 'r:1:51', createdAt: '', replyId: 'r', blockId: 'b', delta: 'y' });
  const after = fold.message();
  expect([before?.getTextContent(), after?.getTextContent()]).toEqual(['closed\nx', 'closed\nxy']);
  expect(after?.content[0]).toBe(before?.content[0]);
});

test('S0-021 a result is running until its END', () => {
  const fold = createFold();
  const states: unknown[] = [];
  for (const event of stream(start, ...use('a'), ...result('a', 'x'))) {
    fold.apply(event);
    states.push(fold.message()?.getFirstContentBlock('tool_result')?.state);
  }
  expect(states.slice(-3)).toEqual(['running', 'running', 'success']);
});

test('S0-056 the media type comes from START, else from a delta, else it is octet-stream', () => {
  const typeOf = (mediaType: object, inDelta: object): unknown =>
    foldEvents(stream(start, { type: 'DATA_BLOCK_START', blockId: 'd', ...mediaType }, { type: 'DATA_BLOCK_DELTA', blockId: 'd', delta: 'AAAA', ...inDelta })).getContentBlocks('data')[0]?.source.mediaType;
  expect([typeOf({ mediaType: 'image/png' }, { mediaType: 'image/gif' }), typeOf({}, { mediaType: 'image/gif' }), typeOf({}, {})]).toEqual(['image/png', 'image/gif', 'application/octet-stream']);
});

test('F23 private data of a block rides on its END, and keeps an empty thinking', () => {
  const msg = foldEvents(
    stream(start, call(1), { type: 'THINKING_BLOCK_START', blockId: 'k' }, { type: 'THINKING_BLOCK_END', blockId: 'k', metadata: { block: { redacted: 'gAAA' } } }, ...text('t', ''), { type: 'TOOL_CALL_START', toolCallId: 'c', toolCallName: 'add' }, { type: 'TOOL_CALL_END', toolCallId: 'c', toolCallName: 'add', metadata: { block: { thoughtSignature: 'AQID' } } }, end),
  );
  expect(msg.content.map((block) => [block.type, 'metadata' in block && block.metadata])).toEqual([['thinking', { redacted: 'gAAA' }], ['tool_use', { thoughtSignature: 'AQID' }]]);
});

test('F24 a discarded call takes its blocks back, its usage stays, and its facts go', () => {
  const fold = createFold();
  const usage = { inputTokens: 5, outputTokens: 5 };
  for (const event of stream(start, call(1), ...use('a'), callEnd(), ...result('a', 'x'), call(2), ...text('t', 'lost'), ...use('a', '{"again":1}'), { ...callEnd({ discarded: true }), usage })) fold.apply(event);
  expect(fold.message()?.content.map((block) => block.type)).toEqual(['tool_use', 'tool_result']);
  expect(fold.message()?.usage).toEqual(usage);
  expect(fold.facts()).toMatchObject({ iterations: 1, calls: 1, lastCall: { call: 1, ended: true } });
  for (const event of stream(call(2), ...text('t', 'kept'), callEnd())) fold.apply({ ...event, id: event.id.replace(':1:', ':2:') });
  expect(fold.message()?.getTextContent()).toBe('kept');
  expect(fold.facts()).toMatchObject({ iterations: 2, calls: 2, lastCall: { call: 2, ended: true, finishReason: 'stop' } });
});

test('a second START with `replaces` empties an unsealed result; AGENT_END.metadata.msg goes into the metadata', () => {
  const again = { type: 'TOOL_RESULT_START', toolCallId: 'a', toolCallName: 'add', metadata: { replaces: true } };
  const msg = foldEvents(stream(start, ...use('a'), ...result('a', 'raw').slice(0, 2), again, ...result('a', 'clean').slice(1), { ...end, metadata: { msg: { tag: 'x' } } }));
  expect(outputOf(msg)).toEqual([['a', ['clean']]]);
  expect(msg.metadata).toEqual({ tag: 'x' });
});

test('facts follow the run: running, paused, asked again, closed', () => {
  const fold = createFold();
  const seen: unknown[] = [];
  const question = { type: 'REQUIRE_USER_CONFIRM', toolCalls: [{ type: 'tool_use', id: 'a', name: 'add', input: {}, content: '{}', state: 'asking', metadata: {} }] };
  const stop = { type: 'REQUEST_STOP', reason: 'permission', generateReason: 'PERMISSION_ASKING' };
  const refusal = { type: 'USER_CONFIRM_RESULT', confirmResults: [{ confirmed: false, toolCall: question.toolCalls[0], rules: null }] };
  for (const event of stream({ ...start, metadata: { inputIds: ['u'] } }, call(1), ...use('a'), callEnd(), question, stop, { ...end, generateReason: 'PERMISSION_ASKING' }, start, refusal, { type: 'USER_INTERRUPT' }, { ...end, generateReason: 'INTERRUPTED' })) {
    fold.apply(event);
    const { running, closed, askedAt, stop: stopped, refused, interrupted } = fold.facts();
    seen.push([event.type, running, closed, askedAt !== undefined, stopped !== undefined, refused, interrupted]);
  }
  expect(seen.slice(6)).toEqual([
    ['REQUIRE_USER_CONFIRM', true, false, true, false, [], false],
    ['REQUEST_STOP', true, false, true, true, [], false],
    ['AGENT_END', false, false, true, true, [], false],
    ['AGENT_START', true, false, false, false, [], false],
    ['USER_CONFIRM_RESULT', true, false, false, false, ['a'], false],
    ['USER_INTERRUPT', true, false, false, false, ['a'], true],
    ['AGENT_END', false, true, false, false, ['a'], true],
  ]);
  expect(fold.facts()).toMatchObject({ replyId: 'r', agentName: 'Friday', inputIds: ['u'] });
  expect(fold.message()?.getToolCalls()[0]?.result).toMatchObject({ state: 'denied', output: [{ type: 'text', text: 'Permission denied by user' }] });
});

test('repairs count until the model says something or calls a tool', () => {
  const fold = createFold();
  const counts: number[] = [];
  for (const event of stream(start, call(1), callEnd(), call(2, 'repair'), callEnd(), call(3, 'repair'), callEnd({ discarded: true }), call(3, 'repair'), ...text('t', 'at last'), callEnd())) {
    fold.apply(event);
    if (event.type === 'MODEL_CALL_END') counts.push(fold.facts().repairs);
  }
  expect(counts).toEqual([0, 1, 1, 0]);
  expect(fold.facts().iterations).toBe(1);
});

test('a rewind takes back what was shown before it was durable, and goes on from the snapshot', () => {
  const events = stream(start, call(1), ...text('b', 'a', 'b', 'c', 'd'), callEnd(), end);
  const durable = createFold();
  for (const event of events.slice(0, 4)) durable.apply(event);
  const viewer = createFold();
  for (const event of events.slice(0, 6)) viewer.apply(event);
  viewer.apply({ type: 'CUSTOM', id: '', createdAt: '', name: 'agentscope.rewind', value: { snapshot: durable.snapshot() } } as AgentEvent);
  expect(viewer.message()?.getTextContent()).toBe('a');
  for (const event of events.slice(4)) viewer.apply(event);
  expect(JSON.stringify(viewer.message())).toBe(JSON.stringify(foldEvents(events)));
  expect(viewer.messages()).toHaveLength(1);
});

test('a rewind to nothing forgets the newest open reply, and its children, so that it can be told again', () => {
  const events = stream(start, call(1), ...text('b', 'a'), callEnd(), end);
  const fold = createFold();
  for (const event of events.slice(0, 4)) fold.apply(event);
  fold.apply({ ...start, id: 'c:1:1', createdAt: '', replyId: 'c', source: 'main/scout' } as AgentEvent);
  const forget = { type: 'CUSTOM', id: '', createdAt: '', name: 'agentscope.rewind', value: { snapshot: null } } as unknown as AgentEvent;
  fold.apply(forget);
  expect([fold.message(), fold.children(), fold.facts().replyId]).toEqual([undefined, [], '']);
  for (const event of events) fold.apply(event);
  fold.apply(forget); // nothing is open
  expect(fold.message()?.getTextContent()).toBe('a');
});

test('a seed goes on under its id, and answers find it by the id of its request', () => {
  const asking: ToolUseBlock = { type: 'tool_use', id: 'a', name: 'add', input: {}, content: '{}', state: 'asking', metadata: {} };
  const seed = new AssistantMessage({ id: 'old', content: [asking], metadata: { agentscope_confirm_request_reply_id: 'm-7' } });
  const msg = foldEvents(
    [
      { ...start, id: 'e1', createdAt: '', replyId: 'new' },
      { type: 'USER_CONFIRM_RESULT', id: 'e2', createdAt: '', replyId: 'm-7', confirmResults: [{ confirmed: true, toolCall: asking, rules: null }] },
      { type: 'TOOL_RESULT_END', id: 'e3', createdAt: '', replyId: 'new', toolCallId: 'a', toolCallName: 'add', state: 'success' },
    ] as AgentEvent[],
    { seed },
  );
  expect([msg.id, msg.metadata, msg.getToolCalls()[0]?.call.state]).toEqual(['old', {}, 'finished']);
});

test('a stream that holds no reply is refused, an async one is folded as well', async () => {
  expect(() => foldEvents([])).toThrow(AgentScopeError);
  async function* later(): AsyncGenerator<AgentEvent> {
    yield* stream(start, ...text('b', 'x'), end);
  }
  expect((await foldEvents(later())).getTextContent()).toBe('x');
});
