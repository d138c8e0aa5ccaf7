// What comes over a wire is not always what it should be: cut, huge, doubled, or something else entirely.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AgentScopeError } from '../src/error/index.ts';
import { createEvent, createFold, foldEvents, parseEvent } from '../src/event/index.ts';
import type { AgentEvent } from '../src/event/index.ts';
import { Msg, parseMsg, toDataBlock, UserMessage } from '../src/message/index.ts';
import { toJava2, toPython2 } from '../src/state/index.ts';

interface Refused {
  readonly code: string;
  readonly path: unknown;
}
function refused(act: () => unknown): Refused {
  try {
    act();
  } catch (error) {
    if (AgentScopeError.is(error)) return { code: error.code, path: (error.details as { readonly path?: unknown }).path };
    throw error;
  }
  throw new Error('nothing was refused');
}

test('what is no message, no event and no known type is refused with the path of the member', () => {
  const call = { type: 'tool_use', id: 'c', name: 'n', input: {} };
  const messages: readonly [unknown, string, string][] = [
    [null, 'message/invalid', ''],
    [{ content: [] }, 'message/invalid', 'role'],
    [{ role: 'USER', content: ['a', 5] }, 'message/invalid', 'content[1]'],
    [{ role: 'USER', content: [{ type: 'text', text: {} }] }, 'message/invalid', 'content[0].text'],
    [{ role: 'USER', content: [{ type: 'data', source: 'x' }] }, 'message/invalid', 'content[0].source'],
    [{ role: 'USER', content: [{ type: 'data', source: { type: 'file', url: 'x' } }] }, 'message/invalid', 'content[0].source.type'],
    [{ role: 'ASSISTANT', content: [{ ...call, state: 'lost' }] }, 'message/invalid', 'content[0].state'],
    [{ role: 'ASSISTANT', content: [{ ...call, input: [] }] }, 'message/invalid', 'content[0].input'],
    [{ role: 'ASSISTANT', content: [{ type: 'tool_result', id: 'c', name: 'n', output: ['a', { type: 'text', text: 1 }] }] }, 'message/invalid', 'content[0].output[1].text'],
    [{ role: 'ASSISTANT', content: ['a', { type: 'smell' }] }, 'wire/unknown-type', 'content[1].type'],
  ];
  for (const [json, code, path] of messages) expect(refused(() => parseMsg(json))).toEqual({ code, path });
  const events: readonly [unknown, string, string][] = [
    ['', 'event/invalid', ''],
    [[], 'event/invalid', ''],
    [{ id: 'e' }, 'event/invalid', 'type'],
    [{ type: 'TEXT_BLOCK_DELTA', delta: 5 }, 'event/invalid', 'delta'],
    [{ type: 'WARP' }, 'wire/unknown-type', 'type'],
    [{ type: 'REQUIRE_USER_CONFIRM', toolCalls: [call, { type: 'smell' }] }, 'wire/unknown-type', 'toolCalls[1].type'],
    [{ type: 'AGENT_RESULT', result: { role: 'USER', content: [{}] } }, 'message/invalid', 'result.content[0].type'],
    [{ type: 'USER_CONFIRM_RESULT', confirmResults: [{ confirmed: true, toolCall: { type: 'tool_use', id: 3 } }] }, 'message/invalid', 'confirmResults[0].toolCall.id'],
  ];
  for (const [json, code, path] of events) expect(refused(() => parseEvent(json))).toEqual({ code, path });
});

test('a line of JSON may be cut anywhere: it is an event or event/invalid, never another error, and the fold takes what there is', () => {
  const lines = readFileSync(new URL('../fixtures/wire/scenarios/one-tool.events.jsonl', import.meta.url), 'utf8').trim().split('\n');
  const fold = createFold();
  for (const line of lines) {
    for (let length = 0; length < line.length; length += 7) expect(refused(() => parseEvent(line.slice(0, length)))).toEqual({ code: 'event/invalid', path: '' });
    fold.apply(parseEvent(line));
  }
  expect(fold.message()?.content.length).toBeGreaterThan(0);
  expect(refused(() => parseMsg('{"id":"m","role":"USER","content":[{"type":"te'))).toEqual({ code: 'message/invalid', path: '' });
});

test('C115 50 MB of base64 are read, folded and written in time that grows with their length', { timeout: 60_000 }, () => {
  const block = (size: number, prefix = ''): unknown => ({ role: 'USER', content: [{ type: 'data', source: { type: 'base64', media_type: 'image/png', data: prefix + 'A'.repeat(size) } }] });
  const size = 50 * 1024 * 1024;
  const msg = parseMsg(block(size));
  expect(JSON.stringify(toJava2(msg)).length).toBeGreaterThan(size);
  // Without a comma it is no data URL; a pattern that walks back would never end here.
  for (const prefix of ['data:', 'data:a/b;', 'data:a/b;base64', 'data:;;;;']) expect(parseMsg(block(size, prefix)).content.length).toBe(1);
  expect(parseMsg(block(8, 'data:image/gif;base64,')).content).toMatchObject([{ source: { data: 'AAAAAAAA', mediaType: 'image/png' } }]);
  expect(toDataBlock(`data:${'x'.repeat(size)}`).source.type).toBe('url');
  const chunk = 'A'.repeat(size / 64);
  const fold = createFold();
  for (let n = 0; n < 64; n++) fold.apply(createEvent('DATA_BLOCK_DELTA', { replyId: 'r', blockId: 'b', delta: chunk, mediaType: 'image/png' }));
  const source = fold.message()?.getFirstContentBlock('data')?.source;
  expect(source?.type === 'base64' ? source.data.length : 0).toBe(size);
});

test('C115 a look after each piece costs each piece once: a padded picture, open arguments, a long text', () => {
  const fold = createFold();
  const ids = { replyId: 'r', blockId: 'b' };
  const call = { replyId: 'r', toolCallId: 'c', toolCallName: 'n' };
  for (let n = 0; n < 20_000; n++) {
    fold.apply(createEvent('DATA_BLOCK_DELTA', { ...ids, delta: 'QUJDRA==' }));
    fold.apply(createEvent('TOOL_CALL_DELTA', { ...call, delta: n === 0 ? '{"a":"' : 'four ' }));
    fold.apply(createEvent('TEXT_BLOCK_DELTA', { ...ids, delta: '12345' }));
    fold.message();
  }
  const [data] = fold.message()?.getContentBlocks('data') ?? [];
  expect(data?.source.type === 'base64' ? atob(data.source.data) : '').toBe('ABCD'.repeat(20_000));
  expect(fold.message()?.getTextContent()).toHaveLength(100_000);
});

test('ids of any text are kept; an id that is no text is refused', () => {
  for (const id of ['x', '__proto__', 'constructor', '../..', '\u0000', '🟢', '\ud83d', ' ', 'r:1:2', 'x'.repeat(10_000)]) {
    const msg = parseMsg({ id, role: 'USER', content: [] });
    expect([msg.id, parseMsg(JSON.stringify(msg)).id]).toEqual([id, id]);
    const folded = foldEvents([{ type: 'TEXT_BLOCK_DELTA', id: `e-${id}`, createdAt: '', replyId: id, blockId: id, delta: 'x' }]);
    expect([folded.id, folded.getFirstContentBlock('text')?.id]).toEqual([id, id]);
    const calls = foldEvents([createEvent('TOOL_CALL_DELTA', { replyId: 'r', toolCallId: id, toolCallName: 'n', delta: '{}' }), createEvent('TOOL_RESULT_END', { replyId: 'r', toolCallId: id, toolCallName: 'n', state: 'success' })]).getToolCalls();
    expect(calls.map(({ call, result }) => [call.id, result?.id])).toEqual([[id, id]]);
  }
  for (const id of [5, {}, true]) {
    expect(refused(() => parseMsg({ id, role: 'USER' }))).toEqual({ code: 'message/invalid', path: 'id' });
    expect(refused(() => parseEvent({ type: 'AGENT_END', id }))).toEqual({ code: 'event/invalid', path: 'id' });
  }
  for (const id of ['', null, undefined]) expect(parseMsg({ id, role: 'USER' }).id).toMatch(/^[0-9a-f-]{36}$/);
});

test('times in every form of WIRE 1.2: kept as read, only their text is converted, a stated zone becomes UTC', () => {
  const forms: readonly [string, string, string][] = [
    ['2026-03-14 09:00:00.250', '2026-03-14 09:00:00.250', '2026-03-14T09:00:00.250'],
    ['2026-03-14T09:00:00.250101', '2026-03-14 09:00:00.250', '2026-03-14T09:00:00.250101'],
    ['2026-03-14T09:00:00', '2026-03-14 09:00:00.000', '2026-03-14T09:00:00'],
    ['2026-03-14T09:00:00Z', '2026-03-14 09:00:00.000', '2026-03-14T09:00:00'],
    ['2026-03-14T09:00:00.123456789Z', '2026-03-14 09:00:00.123', '2026-03-14T09:00:00.123456789'],
    ['2026-03-14T09:00:00.25+01:00', '2026-03-14 08:00:00.250', '2026-03-14T08:00:00.25'],
    ['2026-01-01T00:30:00-0530', '2026-01-01 06:00:00.000', '2026-01-01T06:00:00'],
    ['yesterday', 'yesterday', 'yesterday'],
    ['2026-13-45T99:99:99+99:99', '2026-13-45T99:99:99+99:99', '2026-13-45T99:99:99+99:99'],
  ];
  for (const [read, java, python] of forms) {
    const msg = parseMsg({ id: 'm', role: 'USER', content: [], timestamp: read });
    expect([msg.timestamp, toJava2(msg)['timestamp'], toPython2(msg)['created_at'], parseMsg(JSON.stringify(msg)).timestamp]).toEqual([read, java, python, read]);
    const event: AgentEvent = { type: 'AGENT_START', id: 'e', createdAt: read, replyId: 'r', sessionId: 's', name: 'a', role: 'assistant' };
    expect([toJava2(event)['createdAt'], toPython2(event)?.['created_at'], foldEvents([event]).timestamp]).toEqual([read, read, java]);
  }
});

test('of a member that stands twice the last one counts, as in Java', () => {
  expect(parseMsg('{"id":"a","role":"USER","id":"b","content":["x"],"content":["y"]}')).toMatchObject({ id: 'b', content: [{ text: 'y' }] });
  expect(parseEvent('{"type":"TEXT_BLOCK_DELTA","id":"e","delta":"x","replyId":"r","blockId":"b","type":"TEXT_BLOCK_DELTA","delta":"y"}')).toMatchObject({ type: 'TEXT_BLOCK_DELTA', delta: 'y' });
});

test('integers beyond 2^53 in arguments keep their digits in the text of the call, in every form', () => {
  const text = '{"id": 9007199254740993, "big": 123456789012345678901234567890}';
  const use = { replyId: 'r', toolCallId: 'c', toolCallName: 'n' };
  const folded = foldEvents([createEvent('TOOL_CALL_START', use), createEvent('TOOL_CALL_DELTA', { ...use, delta: text.slice(0, 15) }), createEvent('TOOL_CALL_DELTA', { ...use, delta: text.slice(15) }), createEvent('TOOL_CALL_END', use)]);
  for (const msg of [folded, parseMsg(JSON.stringify(folded)), parseMsg(toJava2(folded)), parseMsg(toPython2(folded)), parseMsg(toPython2(parseMsg(toJava2(folded))))]) {
    expect(msg.getFirstContentBlock('tool_use')?.content).toBe(text);
  }
});

test('member names like __proto__ are data: in metadata, arguments, unknown members; nothing inherits them', () => {
  const json = '{"id":"m","role":"ASSISTANT","metadata":{"__proto__":{"admin":true},"constructor":1},"__proto__":{"extra":1},"content":[{"type":"tool_use","id":"c","name":"n","input":{"__proto__":{"admin":true}},"__proto__":{"y":2}}]}';
  const msg = parseMsg(json);
  expect(Object.keys(msg.metadata)).toEqual(['__proto__', 'constructor']);
  expect(Object.keys(msg.getFirstContentBlock('tool_use')?.input ?? {})).toEqual(['__proto__']);
  expect(({} as { admin?: boolean }).admin).toBeUndefined();
  expect(JSON.stringify(parseMsg(JSON.stringify(msg)))).toBe(JSON.stringify(msg));
  expect(JSON.stringify(toJava2(msg))).toContain('"metadata":{"__proto__":{"admin":true},"constructor":1}');
  expect(JSON.stringify(toPython2(msg)['metadata'])).toBe('{"__proto__":{"admin":true},"constructor":1}');
});

test('C129 a lone half of a pair is kept as it is: JSON writes and reads it', () => {
  const msg = new UserMessage('u', 'a\ud83d');
  expect(parseMsg(JSON.stringify(msg)).getTextContent()).toBe('a\ud83d');
  expect(new Msg(JSON.parse(JSON.stringify(msg))).equals(msg)).toBe(true);
});
