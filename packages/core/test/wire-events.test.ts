// What holds for events and messages across folders: the closed set of types, what rides on which event, one end for each run.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ReActAgent } from '../src/agent/index.ts';
import { AgentScopeError } from '../src/error/index.ts';
import { createEvent, createFold, foldEvents, parseEvent, stampEvent } from '../src/event/index.ts';
import type { AgentEvent, AgentEventType } from '../src/event/index.ts';
import { Msg, parseMsg, readUsage, UserMessage } from '../src/message/index.ts';
import type { ChatUsage } from '../src/message/index.ts';
import { defineChatModel } from '../src/model/index.ts';
import { toJava2, toPython2 } from '../src/state/index.ts';
import { scriptedModel } from '../src/testing/index.ts';
import type { ScriptedReply } from '../src/testing/index.ts';
import { defineTool } from '../src/tool/index.ts';
import { drain } from './drain.ts';

const scenarios = new URL('../fixtures/wire/scenarios/', import.meta.url);
const textOf = (file: string): string => readFileSync(new URL(file, scenarios), 'utf8');
const eventsOf = (name: string): AgentEvent[] => textOf(`${name}.events.jsonl`).trim().split('\n').map((line) => parseEvent(line));
const index = JSON.parse(textOf('index.json')) as readonly { readonly name: string; readonly needsResult: boolean }[];

// A missing or an additional type does not compile.
const ALL_TYPES: Readonly<Record<AgentEventType, true>> = {
  AGENT_START: true, AGENT_END: true, AGENT_RESULT: true, MODEL_CALL_START: true, MODEL_CALL_END: true,
  TEXT_BLOCK_START: true, TEXT_BLOCK_DELTA: true, TEXT_BLOCK_END: true,
  THINKING_BLOCK_START: true, THINKING_BLOCK_DELTA: true, THINKING_BLOCK_END: true,
  DATA_BLOCK_START: true, DATA_BLOCK_DELTA: true, DATA_BLOCK_END: true,
  TOOL_CALL_START: true, TOOL_CALL_DELTA: true, TOOL_CALL_END: true,
  TOOL_RESULT_START: true, TOOL_RESULT_TEXT_DELTA: true, TOOL_RESULT_DATA_DELTA: true, TOOL_RESULT_END: true,
  EXCEED_MAX_ITERS: true, REQUIRE_USER_CONFIRM: true, REQUIRE_EXTERNAL_EXECUTION: true, USER_CONFIRM_RESULT: true, EXTERNAL_EXECUTION_RESULT: true,
  REQUEST_STOP: true, ALL_TOOLS_DENIED: true, HINT_BLOCK: true, SUBAGENT_EXPOSED: true, CUSTOM: true, USER_INTERRUPT: true,
};

test('S0-044 the types are the 31 of Java and USER_INTERRUPT, and a reader knows each of them and nothing else', () => {
  const types = Object.keys(ALL_TYPES);
  expect(types).toHaveLength(32);
  for (const type of types) expect(parseEvent({ type, id: 'e', replyId: 'r' }).type).toBe(type);
  for (const type of ['AGENT_PAUSE', 'agent_start', '', '__proto__', 'constructor']) {
    expect(() => parseEvent({ type })).toThrow(expect.objectContaining({ code: 'wire/unknown-type' }));
  }
});

test('S0-005 without its AGENT_RESULT lines a stream tells the same message, thinking signature included', () => {
  for (const { name } of index.filter(({ needsResult }) => !needsResult)) {
    const events = eventsOf(name).filter(({ type }) => type !== 'AGENT_RESULT');
    expect(toJava2(foldEvents(events))).toEqual(JSON.parse(textOf(`${name}.msg.json`)));
  }
});

test('S0-005 C035 signatures and redacted thinking ride on END events: three blocks, in order, byte for byte, also from JSON', () => {
  const kinds = [{ signature: 'S1==' }, { redacted_thinking_data: 'R1/+=' }, { signature: 'S2' }];
  const events = kinds.flatMap((block, n): AgentEvent[] => {
    const ids = { replyId: 'r', blockId: `b${n}` };
    const said = n === 1 ? [] : [createEvent('THINKING_BLOCK_DELTA', { ...ids, delta: 'hm' })];
    return [createEvent('THINKING_BLOCK_START', ids), ...said, createEvent('THINKING_BLOCK_END', { ...ids, metadata: { block } })];
  });
  const use = { replyId: 'r', toolCallId: 'c', toolCallName: 'add' };
  const call = [createEvent('TOOL_CALL_START', use), createEvent('TOOL_CALL_DELTA', { ...use, delta: '{}' }), createEvent('TOOL_CALL_END', { ...use, metadata: { block: { thoughtSignature: 'T' } } })];
  const sent = [...events, ...call].map((event) => parseEvent(JSON.stringify(toJava2(event, { extensions: true }))));
  const msg = parseMsg(JSON.stringify(foldEvents(sent)));
  expect(msg.getContentBlocks('thinking').map(({ thinking, metadata }) => [thinking, metadata])).toEqual([['hm', kinds[0]], ['', kinds[1]], ['hm', kinds[2]]]);
  expect(msg.getFirstContentBlock('tool_use')?.metadata).toEqual({ thoughtSignature: 'T' });
});

test('S0-049 the events Java knows without a reply id carry ours as an extension, and strict Java leaves it out', async () => {
  const stop = defineTool({
    name: 'stop', description: 'stops', input: { type: 'object' },
    execute: (_input, ctx) => {
      ctx.emit({ type: 'CUSTOM', name: 'acme.progress', value: { done: 1 } });
      ctx.requestStop('enough');
      return 'ok';
    },
  });
  const agent = new ReActAgent({ name: 'F', model: scriptedModel({ tool: 'stop', input: {} }), toolkit: [stop] });
  const { events } = await drain(agent.streamEvents('go'));
  const replyId = events[0]?.replyId ?? '';
  const others = [createEvent('ALL_TOOLS_DENIED', { replyId, deniedToolCalls: [] }), createEvent('SUBAGENT_EXPOSED', { replyId, subagentId: 's', agentId: 'a', sessionId: 'x' })];
  for (const type of ['AGENT_RESULT', 'REQUEST_STOP', 'CUSTOM', 'ALL_TOOLS_DENIED', 'SUBAGENT_EXPOSED']) {
    const event = [...events, ...others].find((each) => each.type === type);
    if (event === undefined) throw new Error(`no ${type}`);
    expect(event.replyId).toBe(replyId);
    expect(toJava2(event)).not.toHaveProperty('replyId');
    expect(parseEvent(toJava2(event, { extensions: true })).replyId).toBe(replyId);
  }
});

test('C048 at most one text or thinking is open, each has one start and one end, and a call begins after the text before it', async () => {
  const thinkingAndText = [{ index: 0, type: 'thinking' as const, thinking: 'a' }, { index: 1, type: 'text' as const, text: 'b' }];
  const textAndCall = [{ index: 1, type: 'text' as const, text: 'c' }, { index: 2, type: 'tool_use' as const, id: 'x', name: 'none', content: '{}' }];
  const chunks = [[{ index: 0, type: 'thinking' as const, thinking: 'h' }], thinkingAndText, textAndCall, [{ index: 3, type: 'text' as const, text: 'd' }]];
  let calls = 0;
  const model = defineChatModel({
    provider: 'p', modelName: 'm',
    async *stream() {
      if (calls++ > 0) return yield { content: [{ index: 0, type: 'text' as const, text: 'end' }], finishReason: 'stop' as const };
      for (const content of chunks) yield { content };
      yield { content: [], finishReason: 'tool_calls' as const };
    },
  });
  const { events } = await drain(new ReActAgent({ name: 'F', model }).streamEvents('go'));
  const seen = new Map<string, number>();
  let open: string | undefined;
  for (const event of events) {
    const [, kind, edge] = /^(TEXT_BLOCK|THINKING_BLOCK|TOOL_CALL)_(START|END)$/.exec(event.type) ?? [];
    if (kind === undefined) continue;
    const id = 'blockId' in event ? event.blockId : 'toolCallId' in event ? event.toolCallId : '';
    seen.set(`${id} ${edge}`, (seen.get(`${id} ${edge}`) ?? 0) + 1);
    if (edge === 'START') expect(open).toBeUndefined();
    if (kind !== 'TOOL_CALL') open = edge === 'START' ? id : undefined;
  }
  expect([...seen.values()].every((count) => count === 1)).toBe(true);
  expect(foldEvents(events).content.map((block) => (block.type === 'text' ? block.text : block.type === 'thinking' ? `(${block.thinking})` : block.type))).toEqual(['(ha)', 'bc', 'tool_use', 'd', 'tool_result', 'end']);
});

test('C053 each run begins once and ends once: success, failure in a text, cancelled, limit, pause; rejected input has no stream', async () => {
  const ask = defineTool({ name: 'ask', description: 'asks', input: { type: 'object' }, checkPermission: 'ask', execute: () => 'ok' });
  const noop = defineTool({ name: 'noop', description: 'does nothing', input: { type: 'object' }, readOnly: true, execute: () => 'ok' });
  const run = async (script: readonly ScriptedReply[], interrupt = false): Promise<unknown> => {
    const agent = new ReActAgent({ name: 'F', model: scriptedModel(...script), toolkit: [ask, noop], maxIters: 1 });
    const { events } = await drain(agent.streamEvents('go'), ({ type }) => void (interrupt && type === 'TEXT_BLOCK_DELTA' && agent.interrupt()));
    const ends = events.filter(({ type }) => type === 'AGENT_END');
    expect([events[0]?.type, ends.length, events.at(-1)?.type]).toEqual(['AGENT_START', 1, 'AGENT_END']);
    const opened = events.filter(({ type }) => type === 'TEXT_BLOCK_START').length;
    expect(events.filter(({ type }) => type === 'TEXT_BLOCK_END')).toHaveLength(opened);
    const [end] = ends;
    return end?.type === 'AGENT_END' ? (end.error === undefined ? (end.generateReason ?? 'MODEL_STOP') : 'error') : undefined;
  };
  expect(await run(['done'])).toBe('MODEL_STOP');
  expect(await run([[{ text: ['ha', 'lf'] }, { error: new Error('broken') }]])).toBe('error');
  expect(await run([[{ text: ['one', 'two'] }, { hang: true }]], true)).toBe('INTERRUPTED');
  expect(await run([{ tool: 'noop', input: {} }, 'summed up'])).toBe('MAX_ITERATIONS');
  expect(await run([{ tool: 'ask', input: {} }])).toBe('PERMISSION_ASKING');
  const refused = await drain(new ReActAgent({ name: 'F', model: scriptedModel('x') }).streamEvents(''));
  expect([refused.events, AgentScopeError.is(refused.error, 'message/invalid')]).toEqual([[], true]);
});

test('C058 an answer that only thinks is asked again and kept; one that stays empty is no success', async () => {
  const thinking = new ReActAgent({ name: 'F', model: scriptedModel({ thinking: 'hm' }, 'It is so.') });
  const reply = await thinking.call('why?');
  expect([reply.getFirstContentBlock('thinking')?.thinking, reply.getTextContent()]).toEqual(['hm', 'It is so.']);
  const silent = scriptedModel(...Array.from({ length: 12 }, () => []));
  await expect(new ReActAgent({ name: 'F', model: silent }).call('why?')).rejects.toMatchObject({ code: 'model/empty-answer' });
  expect(silent.requests.length).toBeLessThan(6);
});

test('C127 impossible counts are none: no NaN, nothing below zero, and totals are finite', () => {
  const given: unknown[] = [{}, { inputTokens: 5 }, { inputTokens: '7', outputTokens: Number.NaN }, { inputTokens: -3, outputTokens: Infinity, cachedTokens: -1, time: Number.NaN }, undefined, { inputTokens: 2, outputTokens: 1 }];
  const events = given.flatMap((usage): AgentEvent[] => [
    createEvent('MODEL_CALL_START', { replyId: 'r' }),
    createEvent('MODEL_CALL_END', { replyId: 'r', ...(usage === undefined ? {} : { usage: usage as ChatUsage }) }),
  ]);
  expect(foldEvents(events).usage).toEqual({ inputTokens: 7, outputTokens: 1 });
  expect(readUsage({ input_tokens: 1, cache_input_tokens: 4, cache_creation_input_tokens: -1 })).toEqual({ inputTokens: 1, outputTokens: 0, cachedTokens: 4 });
});

test('C128 the usage of a reply is a new object each time: what was handed out stays', () => {
  const usage = { inputTokens: 1, outputTokens: 1 };
  const fold = createFold();
  const end = (n: number): AgentEvent => ({ type: 'MODEL_CALL_END', id: `r:1:${n}`, createdAt: '', replyId: 'r', usage });
  fold.apply(end(1));
  const first = fold.message()?.usage;
  usage.inputTokens = 100;
  fold.apply(end(2));
  fold.apply(end(2));
  expect([first, fold.message()?.usage]).toEqual([{ inputTokens: 1, outputTokens: 1 }, { inputTokens: 101, outputTokens: 2 }]);
});

test('S4-023 a message without a role is the user’s; a picture by URL stands beside the text', () => {
  expect(new Msg({ name: 'user', content: "What's the weather like in Beijing today?" }).role).toBe('USER');
  const msg = new UserMessage('user', ['What is in this image?', { type: 'image', source: { type: 'url', url: 'https://example.com/photo.jpg' } }]);
  expect(msg.content).toEqual([{ type: 'text', text: 'What is in this image?' }, { type: 'image', source: { type: 'url', url: 'https://example.com/photo.jpg' } }]);
});

test('a message is equal to another one that says the same, whatever object it is', () => {
  const init = { id: 'm', name: 'a', content: ['x'], metadata: { b: [1, { c: null }], a: 'z' }, timestamp: null };
  const [one, two] = [new Msg(init), new Msg({ ...init, metadata: { a: 'z', b: [1, { c: null }] } })];
  expect([one === two, one.equals(two), one.equals(JSON.parse(JSON.stringify(two))), one.equals(structuredClone(two))]).toEqual([false, true, true, true]);
  expect(new Set([one, two].map((msg) => msg.toKey())).size).toBe(1);
  for (const other of [one.with({ id: 'n' }), one.with({ content: ['y'] }), one.with({ name: null }), one.with({ metadata: {} })]) {
    expect([one.equals(other), one.toKey() === other.toKey()]).toEqual([false, false]);
  }
});

test('whatever a message holds survives structuredClone and JSON', () => {
  for (const { name } of index) {
    const msg = foldEvents(eventsOf(name));
    const cloned = Msg.from(structuredClone(msg));
    expect(cloned).toBeInstanceOf(Msg);
    expect(JSON.stringify(cloned)).toBe(JSON.stringify(msg));
    expect({ ...cloned }).toEqual({ ...msg });
    expect({ ...parseMsg(JSON.stringify(msg)) }).toEqual({ ...msg });
  }
});

test('an event sent without an agent gets its id and time, and keeps what it has', () => {
  const bare = createEvent('TEXT_BLOCK_DELTA', { replyId: 'r', blockId: 'b', delta: 'x' });
  const stamped = stampEvent(bare);
  expect(stamped.id).toMatch(/^[0-9a-f]{32}$/);
  expect(stamped.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect([stampEvent(stamped), bare.id]).toEqual([stamped, '']);
  expect(stampEvent(bare).id).not.toBe(stamped.id);
});

test('a message of another language is the same message after each of the three forms', () => {
  for (const { name } of index) {
    const msg = foldEvents(eventsOf(name));
    expect(toJava2(parseMsg(toJava2(msg)))).toEqual(toJava2(msg));
    expect(toPython2(parseMsg(toPython2(msg)))).toEqual(toPython2(msg));
  }
});

test('the fixtures are those of the specification', { skip: process.env['AGENTSCOPE_SHARED'] === undefined && !existsSync(new URL('../../../../shared/fixtures', import.meta.url)) }, () => {
  const shared = process.env['AGENTSCOPE_SHARED'] === undefined ? new URL('../../../../shared/fixtures/wire/', import.meta.url) : new URL(`file://${process.env['AGENTSCOPE_SHARED']}/fixtures/wire/`);
  const ours = new URL('../fixtures/wire/', import.meta.url);
  for (const folder of ['java2', 'python1', 'python2', 'scenarios']) {
    for (const file of readdirSync(new URL(`${folder}/`, shared))) expect(readFileSync(new URL(`${folder}/${file}`, ours), 'utf8'), file).toBe(readFileSync(new URL(`${folder}/${file}`, shared), 'utf8'));
  }
});
