import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { AgentScopeError } from '../error/index.ts';
import { AssistantMessage, Msg, SystemMessage, ToolResultMessage, UserMessage } from './index.ts';
import type { BlockType, ContentBlock, GenerateReason } from './index.ts';

const use: ContentBlock = { type: 'tool_use', id: 'c1', name: 'add', input: { a: 1 }, content: '{"a":1}', state: 'finished', metadata: {} };
const result: ContentBlock = { type: 'tool_result', id: 'c1', name: 'add', output: [{ type: 'text', text: '2' }], state: 'success', metadata: {} };
const everyType: ContentBlock[] = [
  { type: 'text', text: 'a' },
  { type: 'thinking', thinking: 'hm', metadata: { signature: 's' } },
  { type: 'data', source: { type: 'url', url: 'https://x.example/a.mp3', mediaType: 'audio/mpeg' }, name: 'a.mp3' },
  { type: 'image', source: { type: 'base64', data: 'iVBORw0KGgo=', mediaType: 'image/png' }, minPixels: 5 },
  { type: 'audio', source: { type: 'url', url: 'https://x.example/a.mp3' } },
  { type: 'video', source: { type: 'url', url: 'https://x.example/a.mp4' }, maxFrames: 3, fps: 2 },
  { ...use, suggestedRules: [{ toolName: 'add', behavior: 'allow' }], call: 1 },
  result,
  { type: 'hint', id: 'h1', hint: 'be brief', source: 'user' },
];

afterEach(() => vi.useRealTimers());

function failure(act: () => unknown): { code: string; details: unknown } {
  try {
    act();
  } catch (error) {
    if (AgentScopeError.is(error)) return { code: error.code, details: error.details };
    throw error;
  }
  throw new Error('nothing was thrown');
}

test('S0-006 S0-024 an assistant message holds all nine block types, in order, also after JSON', () => {
  const msg = new AssistantMessage(everyType);
  expect(msg.content).toEqual(everyType);
  const again = new Msg(JSON.parse(JSON.stringify(msg)));
  expect({ ...again }).toEqual({ ...msg });
});

test('C086 a message with usage, nested metadata and empty lists is equal after JSON, and written again it is the same text', () => {
  const msg = new AssistantMessage({
    name: 'Friday',
    content: [...everyType, { type: 'tool_result', id: 'c2', name: 'none', output: [] }, { type: 'text', text: '' }],
    usage: { inputTokens: 10, outputTokens: 4, cachedTokens: 2, cacheCreationTokens: 1, time: 0.5 },
    metadata: { nested: { list: [1, [null, {}], ''], none: null }, none: null },
    generateReason: 'INTERRUPTED',
  });
  const text = JSON.stringify(msg);
  const again = new Msg(JSON.parse(text));
  expect({ ...again }).toEqual({ ...msg });
  expect(JSON.stringify(again)).toBe(text);
});

test('S0-008 S4-010 ids are UUIDs, never the same, and a given id is kept; metadata is optional', () => {
  const ids = Array.from({ length: 10_000 }, () => new Msg({ content: '' }).id);
  expect(new Set(ids).size).toBe(10_000);
  expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Msg({ id: 'mine', content: '' }).id).toBe('mine');
  expect(new Msg({ content: '' }).metadata).toEqual({});
});

test('S0-009 a message without a name has the name null, and prints it', () => {
  const msg = new Msg({ content: 'x' });
  expect(msg.name).toBeNull();
  expect(JSON.parse(JSON.stringify(msg)).name).toBeNull();
});

test('S0-010 S3-003 roles are read in any case, and an unknown one is refused', () => {
  expect(new Msg({ role: 'tool', content: [] }).role).toBe('TOOL');
  expect(new Msg({ role: 'assistant', content: [] }).role).toBe('ASSISTANT');
  expect(failure(() => new Msg({ role: 'owner' as 'user', content: [] }))).toEqual({
    code: 'message/invalid',
    details: { path: 'role', rule: 'it is one of USER, ASSISTANT, SYSTEM, TOOL, in any case' },
  });
});

test('S0-011 changing the list given does not change the message, and its own list cannot be changed', () => {
  const list = [{ type: 'text', text: 'a' } as const];
  const msg = new UserMessage(list);
  list.push({ type: 'text', text: 'b' } as never);
  expect(msg.content).toHaveLength(1);
  expect(() => (msg.content as ContentBlock[]).push({ type: 'text', text: 'c' })).toThrow(TypeError);
  expect(() => Object.assign(msg.metadata, { x: 1 })).toThrow(TypeError);
});

test('S0-012 S3-004 metadata takes any keys and values, `__proto__` among them', () => {
  const metadata = JSON.parse('{"a":{"b":[[["deep"]]],"none":null},"__proto__":{"admin":true},"constructor":1}');
  const again = new Msg(JSON.parse(JSON.stringify(new Msg({ content: 'x', metadata }))));
  expect(JSON.stringify(again.metadata)).toBe(JSON.stringify(metadata));
  expect(Object.keys(again.metadata)).toContain('__proto__');
  expect(({} as { admin?: boolean }).admin).toBeUndefined();
});

test('C029 special keys in arguments and unknown members are data', () => {
  const raw = JSON.parse('{"type":"tool_use","id":"__proto__","name":"toString","input":{"__proto__":{"admin":true},"constructor":{"x":1}},"__proto__":{"admin":true}}');
  const msg = new AssistantMessage([raw]);
  const [block] = msg.getContentBlocks('tool_use');
  expect(JSON.stringify(block?.input)).toBe('{"__proto__":{"admin":true},"constructor":{"x":1}}');
  expect(Object.keys(block?.extra ?? {})).toEqual(['__proto__']);
  expect(({} as { admin?: boolean }).admin).toBeUndefined();
  expect(Object.getPrototypeOf(block)).toBe(Object.prototype);
});

test('S0-013 the timestamp is written in Java’s pattern in UTC; null stays null', () => {
  vi.useFakeTimers({ now: Date.parse('2026-01-02T03:04:05.006Z') });
  expect(new Msg({ content: 'x' }).timestamp).toBe('2026-01-02 03:04:05.006');
  expect(new Msg({ content: 'x', timestamp: null }).timestamp).toBeNull();
});

test('S0-015 S4-013 each of the eleven reasons survives JSON; none or an unknown one is MODEL_STOP', () => {
  const reasons: GenerateReason[] = ['MODEL_STOP', 'TOOL_CALLS', 'STRUCTURED_OUTPUT', 'TOOL_SUSPENDED', 'REASONING_STOP_REQUESTED', 'ACTING_STOP_REQUESTED', 'PERMISSION_ASKING', 'MIDDLEWARE_STOP_REQUESTED', 'ALL_TOOLS_DENIED', 'INTERRUPTED', 'MAX_ITERATIONS'];
  for (const generateReason of reasons) {
    const msg = new Msg(JSON.parse(JSON.stringify(new AssistantMessage({ content: '', generateReason }))));
    expect([msg.generateReason, msg.getGenerateReason()]).toEqual([generateReason, generateReason]);
  }
  expect(new Msg({ content: '', generateReason: 'MODEL_STOP' }).metadata).toEqual({});
  expect(new Msg({ content: '', metadata: { agentscope_generate_reason: 'BORED' } }).generateReason).toBe('MODEL_STOP');
});

test('S0-016 every role takes text', () => {
  for (const Class of [UserMessage, SystemMessage, AssistantMessage, ToolResultMessage]) expect(new Class({ content: [{ type: 'text', text: 'a' }] }).getTextContent()).toBe('a');
});

test('S0-019 S0-023 S3-015 a block its role forbids is refused, naming block and rule', () => {
  const rule = 'a USER message holds text, data, image, audio, video and nothing else';
  for (const block of everyType.filter(({ type }) => ['thinking', 'tool_use', 'tool_result', 'hint'].includes(type))) {
    expect(failure(() => new Msg({ role: 'user', content: ['a', block] }))).toEqual({ code: 'message/invalid', details: { path: 'content[1].type', rule } });
  }
  expect(failure(() => new Msg({ role: 'system', content: everyType.slice(2, 3) }))).toEqual({
    code: 'message/invalid',
    details: { path: 'content[0].type', rule: 'a SYSTEM message holds text and nothing else' },
  });
});

test('S3-007 a block without a type, and one of an unknown type, are refused', () => {
  expect(failure(() => new Msg({ content: [{ text: 'x' } as never] })).details).toMatchObject({ path: 'content[0].type' });
  expect(failure(() => new Msg({ content: ['a', { type: 'smell' } as never] }))).toMatchObject({ code: 'message/invalid', details: { path: 'content[1].type' } });
});

test('S0-025 S0-026 S0-028 S3-005 S3-006 each form of each class', () => {
  for (const [Class, role] of [[UserMessage, 'USER'], [SystemMessage, 'SYSTEM'], [AssistantMessage, 'ASSISTANT'], [ToolResultMessage, 'TOOL']] as const) {
    const hi = [{ type: 'text', text: 'hi' }];
    expect({ ...new Class('hi') }).toMatchObject({ role, name: null, content: hi });
    expect({ ...new Class('u', 'hi') }).toMatchObject({ role, name: 'u', content: hi });
    expect({ ...new Class({ name: 'u', content: 'hi' }) }).toMatchObject({ role, name: 'u', content: hi });
    expect({ ...new Class({ type: 'text', text: 'hi' }) }).toMatchObject({ role, name: null, content: hi });
    expect({ ...new Class('u', ['hi', { type: 'text', text: 'there' }, 'you']) }.content.map((block) => (block as { text: string }).text)).toEqual(['hi', 'there', 'you']);
    expect(new Class('hi')).toBeInstanceOf(Msg);
  }
  // @ts-expect-error the class fixes the role
  void (() => new UserMessage({ role: 'SYSTEM', content: '' }));
  const full = new UserMessage({ name: 'u', content: 'x', metadata: { a: 1 }, timestamp: '2026-01-01 00:00:00.000', usage: { inputTokens: 1, outputTokens: 2 }, generateReason: 'INTERRUPTED' });
  expect({ ...full }).toMatchObject({ metadata: { a: 1 }, timestamp: '2026-01-01 00:00:00.000', usage: { inputTokens: 1, outputTokens: 2 } });
  expect(full.generateReason).toBe('INTERRUPTED');
  expect(full.getUsage()).toBe(full.getChatUsage());
});

test('S3-013 S3-014 messages from name, content and role', () => {
  expect({ ...new Msg({ name: 'Friday', content: 'Hi', role: 'assistant' }) }).toMatchObject({ name: 'Friday', role: 'ASSISTANT', content: [{ type: 'text', text: 'Hi' }] });
  const bob = new Msg({ name: 'Bob', content: [{ type: 'text', text: 'Look' }, { type: 'image', source: { type: 'url', url: 'https://x.example/a.png' } }], role: 'user' });
  expect([bob.role, bob.content.map((block) => block.type)]).toEqual(['USER', ['text', 'image']]);
});

test('a tool block written by hand gets its defaults; every spelling of a media type is read', () => {
  const msg = new AssistantMessage([
    { type: 'tool_use', id: 'c', name: 'n', input: {} },
    { type: 'tool_result', id: 'c', name: 'n', output: 'ok' },
  ]);
  expect(msg.content[0]).toEqual({ type: 'tool_use', id: 'c', name: 'n', input: {}, content: null, state: 'pending', metadata: {} });
  expect(msg.content[1]).toMatchObject({ output: [{ type: 'text', text: 'ok' }], state: 'running', metadata: {} });
  for (const key of ['mediaType', 'media_type', 'mimeType', 'mime_type']) {
    const [block] = new UserMessage([{ type: 'data', source: { type: 'url', url: 'u', [key]: 'a/b' } as never }]).content;
    expect(block).toEqual({ type: 'data', source: { type: 'url', url: 'u', mediaType: 'a/b' } });
  }
});

test('S0-029 S0-030 S0-031 S0-032 the accessors', () => {
  const msg = new AssistantMessage(['a', everyType[2] as never, 'b', use, { ...use, id: 'c2' } as never, result]);
  expect(msg.getTextContent()).toBe('a\nb');
  expect(new AssistantMessage([use]).getTextContent()).toBe('');
  expect(msg.getContentBlocks('tool_use').map((call) => call.id)).toEqual(['c1', 'c2']);
  expect(msg.getContentBlocks()).toBe(msg.content);
  expect(msg.getFirstContentBlock('text')?.text).toBe('a');
  expect(msg.getFirstContentBlock('video')).toBeUndefined();
  expect([msg.hasContentBlocks('tool_result'), msg.hasContentBlocks('video')]).toEqual([true, false]);
});

test('C024 calls are paired with their own results when an id comes again', () => {
  const again = { ...result, output: [{ type: 'text', text: 'second' }] } as const;
  const rounds = new AssistantMessage([use, result, { ...use, content: 'b' }, again]).getToolCalls();
  expect(rounds.map(({ result: found }) => found?.output)).toEqual([result.output, again.output]);
  const oneTurn = new AssistantMessage([use, use, result]).getToolCalls();
  expect(oneTurn.map(({ result: found }) => found !== undefined)).toEqual([true, false]);
});

test('structured data is given, typed by a schema, or refused with the reason', () => {
  const msg = new AssistantMessage({ content: '', metadata: { _structured_output: { city: 'Oster' } } });
  expect(msg.getStructuredData()).toEqual({ city: 'Oster' });
  expect(msg.getStructuredData(z.object({ city: z.string() })).city).toBe('Oster');
  expect(msg.getStructuredData({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const).city).toBe('Oster');
  expect(failure(() => msg.getStructuredData(z.object({ city: z.number() })))).toMatchObject({ code: 'message/invalid', details: { path: 'metadata._structured_output.city' } });
  const paused = new AssistantMessage({ content: '', generateReason: 'PERMISSION_ASKING' });
  expect(paused.hasStructuredData()).toBe(false);
  expect(failure(() => paused.getStructuredData())).toEqual({ code: 'message/no-structured-data', details: { generateReason: 'PERMISSION_ASKING' } });
});

test('with() gives a changed copy with the same id, role and time', () => {
  const msg = new AssistantMessage({ name: 'a', content: 'x', generateReason: 'INTERRUPTED' });
  const changed = msg.with({ content: ['y'], generateReason: 'MODEL_STOP' });
  expect({ ...changed }).toEqual({ ...msg, content: [{ type: 'text', text: 'y' }], metadata: {} });
  expect(msg.getTextContent()).toBe('x');
});

test('Msg.from wraps plain data without copying', () => {
  const data = { ...new UserMessage('x') };
  const msg = Msg.from(data);
  expect(msg.content).toBe(data.content);
  expect(Msg.from(msg)).toBe(msg);
  expect(msg.getTextContent()).toBe('x');
});

test('S4-011 S3-001 the kinds of blocks are exported as types', () => {
  const kinds: BlockType[] = ['text', 'thinking', 'image', 'audio', 'video', 'tool_use', 'tool_result'];
  expect(kinds).toHaveLength(7);
});

test('a message made of a message is equal, a wrong kind of value is refused', () => {
  const msg = new AssistantMessage({ content: 'x', metadata: { agentscope_generate_reason: 'MODEL_STOP' } });
  expect({ ...new Msg(msg) }).toEqual({ ...msg });
  expect(failure(() => new Msg({ content: 'x', generateReason: 'BORED' as 'MODEL_STOP' })).details).toMatchObject({ path: 'generateReason' });
  expect(failure(() => new Msg({ content: [{ type: 'text', text: 5 as unknown as string }] })).details).toEqual({ path: 'content[0].text', rule: 'it is a text' });
  expect(failure(() => new Msg({ content: 'x', metadata: [] as never })).details).toEqual({ path: 'metadata', rule: 'it is an object' });
});
