import { expect, test } from 'vitest';
import { foldEvents } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import { AssistantMessage, UserMessage } from '../message/index.ts';
import type { GenerateReason, Msg } from '../message/index.ts';
import { collect, scriptedModel } from '../testing/index.ts';
import { defineTool, toolResult } from '../tool/index.ts';
import type { Agent } from './agent.ts';
import { ReActAgent } from './react-agent.ts';

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  readOnly: true,
  execute: ({ a, b }) => a + b,
});
const callAdd = (a: number, b: number) => ({ tool: 'add', input: { a, b } });
const types = (events: readonly AgentEvent[]): string[] => events.map((event) => event.type);
const USAGE = { inputTokens: 10, outputTokens: 5 };

test('S4-002 S4-008 S4-015 a message in, a message out: one model call, reason MODEL_STOP', async () => {
  const model = scriptedModel('Hello.', 'Again.', 'And again.');
  const agent = new ReActAgent({ name: 'Friday', model });
  const reply = await agent.call('Hi');
  expect([reply.role, reply.name, reply.getTextContent(), reply.generateReason]).toEqual(['ASSISTANT', 'Friday', 'Hello.', 'MODEL_STOP']);
  expect(model.requests).toHaveLength(1);
  expect((await agent.call(new UserMessage('bob', 'Hi'))).role).toBe('ASSISTANT');
  expect((await agent.call(['text', { type: 'data', source: { type: 'url', url: 'https://example.com/a.png', mediaType: 'image/png' } }])).role).toBe('ASSISTANT');
  expect(model.requests[2]?.messages.at(-1)?.content.map((block) => block.type)).toEqual(['text', 'data']);
});

test('S0-002 S4-003 S4-040 the conversation holds input and reply, and the next request too', async () => {
  const model = scriptedModel('First.', 'Second.');
  const agent = new ReActAgent({ name: 'Friday', model });
  const reply = await agent.call('a');
  expect((await agent.session().messages()).map((msg) => msg.role)).toEqual(['USER', 'ASSISTANT']);
  expect((await agent.session().memory.getMessages()).at(-1)).toEqual(reply);
  await agent.call('b');
  expect(model.requests[1]?.messages.map((msg) => msg.getTextContent())).toEqual(['a', 'First.', 'b']);
});

test('S0-002 S3-001 a reply handed to another agent stands in its request, without conversion', async () => {
  const first = new ReActAgent({ name: 'A', model: scriptedModel('From A.') });
  const second = scriptedModel({ tool: 'shout', input: {} }, 'From B.');
  const shout = defineTool({ name: 'shout', description: 'Shouts.', readOnly: true, execute: () => toolResult('HEY') });
  const reply = await new ReActAgent({ name: 'B', model: second, toolkit: [shout] }).call(await first.call('Hi'));
  expect(second.requests[0]?.messages.map((msg) => [msg.name, msg.getTextContent()])).toEqual([['A', 'From A.']]);
  expect(reply.getToolCalls()[0]?.result?.output).toMatchObject([{ type: 'text', text: 'HEY' }]);
});

test('S0-003 a reader has the first delta while the model is still held', async () => {
  let open: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (open = resolve));
  const stream = new ReActAgent({ name: 'Friday', model: scriptedModel([{ text: 'first ' }, { until: held, text: 'second' }]) }).streamEvents('Hi');
  const seen: string[] = [];
  for await (const piece of stream.text()) {
    seen.push(piece);
    if (seen.length === 1) open();
  }
  expect(seen).toEqual(['first ', 'second']);
});

test('S0-007 S4-006 S4-007 S4-039 one message spans all rounds, each block knows its model call', async () => {
  const model = scriptedModel(callAdd(1, 2), callAdd(3, 4), 'Done.');
  const agent = new ReActAgent({ name: 'Friday', model, toolkit: [add] });
  const reply = await agent.call('Add.');
  expect(reply.content.map((block) => block.type)).toEqual(['tool_use', 'tool_result', 'tool_use', 'tool_result', 'text']);
  expect(reply.content.filter((block) => block.type !== 'tool_result').map((block) => block.call)).toEqual([1, 2, 3]);
  expect(model.requests[1]?.messages.at(-1)?.content.at(-1)).toMatchObject({ type: 'tool_result', output: [{ type: 'text', text: '3' }], state: 'success' });
  expect((await agent.session().memory.getMessages()).at(-1)).toEqual(reply);
});

test('S0-014 S4-014 usage is the sum over model calls, with the time they took', async () => {
  let now = 0;
  const model = scriptedModel({ ...callAdd(1, 2), usage: USAGE }, () => {
    now += 2000;
    return { text: 'Done.', usage: { inputTokens: 20, outputTokens: 7 } };
  });
  const agent = new ReActAgent({ name: 'Friday', model, toolkit: [add], clock: () => now });
  const reply = await agent.call('Add.');
  expect(reply.getUsage()).toMatchObject({ inputTokens: 30, outputTokens: 12, time: 2 });
  expect(reply.getChatUsage()).toBe(reply.getUsage());
  expect((await agent.session().messages())[0]?.usage).toBeNull();
});

test('S0-037 S0-038 S0-054 S0-055 S0-064 S0-065 the order of a reply with thinking and text', async () => {
  const model = scriptedModel([{ thinking: ['hm', 'm'] }, { text: ['ab', 'c'], usage: USAGE }]);
  const stream = new ReActAgent({ name: 'Friday', model }).streamEvents('Hi', { sessionId: 's1' });
  const events = await collect(stream);
  expect(types(events)).toEqual([
    'AGENT_START',
    'MODEL_CALL_START',
    'THINKING_BLOCK_START',
    'THINKING_BLOCK_DELTA',
    'THINKING_BLOCK_DELTA',
    'THINKING_BLOCK_END',
    'TEXT_BLOCK_START',
    'TEXT_BLOCK_DELTA',
    'TEXT_BLOCK_DELTA',
    'TEXT_BLOCK_END',
    'MODEL_CALL_END',
    'AGENT_RESULT',
    'AGENT_END',
  ]);
  expect(events[1]).toMatchObject({ modelName: 'scripted', metadata: { call: 1, purpose: 'reason' } });
  expect(events[10]).toMatchObject({ usage: USAGE, metadata: { finishReason: 'stop' } });
  expect(events.flatMap((event) => (event.type === 'TEXT_BLOCK_DELTA' ? [event.delta] : [])).join('')).toBe('abc');
  const blockIds = new Set(events.flatMap((event) => ('blockId' in event ? [event.blockId] : [])));
  expect(blockIds.size).toBe(2);
});

test('S0-034 S0-050 every event has the reply id of the message, START says who and where', async () => {
  const stream = new ReActAgent({ name: 'Friday', model: scriptedModel('Hello.') }).streamEvents('Hi', { sessionId: 's1' });
  const events = await collect(stream);
  const reply = await stream.result;
  expect(new Set(events.map((event) => event.replyId))).toEqual(new Set([reply.id]));
  expect(events[0]).toMatchObject({ type: 'AGENT_START', name: 'Friday', sessionId: 's1', role: 'assistant' });
  expect(events.at(-1)).toMatchObject({ type: 'AGENT_END', replyId: reply.id });
});

test('S0-038 S0-039 S0-058 S0-059 S0-060 S0-061 S4-036 a call inside the model call, its result after it, piece by piece', async () => {
  const seen: string[] = [];
  const draw = defineTool({
    name: 'draw',
    description: 'Draws.',
    readOnly: true,
    async *execute() {
      seen.push('running');
      yield 'a';
      yield { type: 'data' as const, source: { type: 'base64' as const, mediaType: 'image/png', data: 'iVBORw==' } };
      yield 'b';
      return 'c';
    },
  });
  const model = scriptedModel([{ text: 'Look: ' }, { data: { mediaType: 'image/png', base64: 'AAAA' } }, { tool: 'draw', arguments: ['{', '}'], id: 'c1' }], 'Done.');
  const stream = new ReActAgent({ name: 'Friday', model, toolkit: [draw] }).streamEvents('Draw.');
  const events: AgentEvent[] = [];
  for await (const event of stream) {
    if (event.type === 'TOOL_RESULT_START') expect(event.toolCallName).toBe('draw');
    events.push(event);
  }
  expect(types(events).slice(1, 19)).toEqual([
    'MODEL_CALL_START',
    'TEXT_BLOCK_START',
    'TEXT_BLOCK_DELTA',
    'TEXT_BLOCK_END',
    'DATA_BLOCK_START',
    'DATA_BLOCK_DELTA',
    'DATA_BLOCK_END',
    'TOOL_CALL_START',
    'TOOL_CALL_DELTA',
    'TOOL_CALL_DELTA',
    'TOOL_CALL_END',
    'MODEL_CALL_END',
    'TOOL_RESULT_START',
    'TOOL_RESULT_TEXT_DELTA',
    'TOOL_RESULT_DATA_DELTA',
    'TOOL_RESULT_TEXT_DELTA',
    'TOOL_RESULT_TEXT_DELTA',
    'TOOL_RESULT_END',
  ]);
  expect(new Set(events.flatMap((event) => ('toolCallId' in event ? [event.toolCallId] : [])))).toEqual(new Set(['c1']));
  const { result } = (await stream.result).getToolCalls()[0] ?? {};
  expect(result?.output.map((block) => (block.type === 'text' ? block.text : block.type))).toEqual(['a', 'data', 'bc']);
});

test('S0-060 the start of a result is seen before the tool has an answer', async () => {
  let answer: (value: string) => void = () => undefined;
  const slow = defineTool({ name: 'slow', description: 'Slow.', execute: () => new Promise<string>((resolve) => (answer = resolve)) });
  const stream = new ReActAgent({ name: 'Friday', model: scriptedModel({ tool: 'slow' }, 'Done.'), toolkit: [slow] }).streamEvents('Go.');
  for await (const event of stream) {
    if (event.type === 'TOOL_RESULT_START') setTimeout(() => answer('late'), 0);
  }
  expect((await stream.result).getToolCalls()[0]?.result?.state).toBe('success');
});

test('S0-042 S0-043 ids of our own count, unique over a session, and times that never fall', async () => {
  const agent = new ReActAgent({ name: 'Friday', model: scriptedModel(callAdd(1, 1), 'Done.', 'More.'), toolkit: [add] });
  const events = [...(await collect(agent.streamEvents('a'))), ...(await collect(agent.streamEvents('b')))];
  expect(new Set(events.map((event) => event.id)).size).toBe(events.length);
  expect(events.every((event) => event.id.startsWith(`${event.replyId}:1:`))).toBe(true);
  const times = events.map((event) => Date.parse(event.createdAt));
  expect(times.every((time, i) => Number.isFinite(time) && time >= (times[i - 1] ?? 0))).toBe(true);
  expect(events.every((event) => event.createdAt.endsWith('Z'))).toBe(true);
});

test('S0-051 S4-022 the limit: one event, one summary without tools, MAX_ITERATIONS, every call sealed', async () => {
  const model = scriptedModel(callAdd(1, 1), callAdd(2, 2), [{ text: 'Summary.' }, callAdd(3, 3)]);
  const stream = new ReActAgent({ name: 'Friday', model, toolkit: [add], maxIters: 2 }).streamEvents('Go.');
  const events = await collect(stream);
  const reply = await stream.result;
  expect(events.filter((event) => event.type === 'EXCEED_MAX_ITERS')).toMatchObject([{ maxIters: 2, currentIter: 2 }]);
  expect(model.requests[2]).toMatchObject({ toolChoice: 'none', tools: [{ name: 'add' }] });
  expect([reply.generateReason, reply.getTextContent()]).toEqual(['MAX_ITERATIONS', 'Summary.']);
  expect(reply.getToolCalls().map(({ result }) => result?.state)).toEqual(['success', 'success']);
  expect(events.at(-1)).toMatchObject({ type: 'AGENT_END', generateReason: 'MAX_ITERATIONS' });
});

test('a summary that fails is said as text, and the call fulfils', async () => {
  const model = scriptedModel(callAdd(1, 1), { text: 'Half', error: new Error('gone') });
  const reply = await new ReActAgent({ name: 'Friday', model, toolkit: [add], maxIters: 1 }).call('Go.');
  expect(reply.generateReason).toBe('MAX_ITERATIONS');
  expect(reply.getTextContent()).toBe('Half\nThe limit of model calls is reached, and the summary failed: The model failed: gone');
});

test('S4-004 three tools are three schemas in the request', async () => {
  const tools = ['one', 'two', 'three'].map((name) => defineTool({ name, description: name, execute: () => '' }));
  const model = scriptedModel('Hi.');
  await new ReActAgent({ name: 'Friday', model, toolkit: tools }).call('Hi');
  expect(model.requests[0]?.tools?.map((tool) => tool.name)).toEqual(['one', 'two', 'three']);
  const without = scriptedModel('Hi.');
  await new ReActAgent({ name: 'Friday', model: without }).call('Hi');
  expect(without.requests[0]?.tools).toBeUndefined();
});

test('S4-013 the reason tells every ending apart, exhaustively', async () => {
  const said = (reason: GenerateReason): string => {
    switch (reason) {
      case 'MODEL_STOP':
      case 'STRUCTURED_OUTPUT':
        return 'done';
      case 'PERMISSION_ASKING':
      case 'TOOL_SUSPENDED':
        return 'waiting';
      case 'MAX_ITERATIONS':
      case 'REASONING_STOP_REQUESTED':
      case 'ACTING_STOP_REQUESTED':
      case 'MIDDLEWARE_STOP_REQUESTED':
      case 'ALL_TOOLS_DENIED':
        return 'stopped';
      case 'INTERRUPTED':
        return 'interrupted';
      case 'TOOL_CALLS':
        return 'never a result';
    }
  };
  const ask = defineTool({ name: 'ask', description: 'Asks.', checkPermission: 'ask', execute: () => '' });
  const reply = await new ReActAgent({ name: 'Friday', model: scriptedModel({ tool: 'ask' }), toolkit: [ask] }).call('Go.');
  expect(said(reply.generateReason)).toBe('waiting');
});

test('S4-024 an agent is four methods', async () => {
  const inner = new ReActAgent({ name: 'inner', model: scriptedModel('x') });
  const mine: Agent = {
    id: '1',
    name: 'mine',
    call: async () => new AssistantMessage('mine', 'hello'),
    streamEvents: (input) => inner.streamEvents(input),
    observe: async () => undefined,
    interrupt: async () => ({ replyId: null }),
  };
  const members: readonly Agent[] = [mine, inner, inner.session()];
  expect((await members[0]?.call())?.getTextContent()).toBe('hello');
});

test('S4-025 observe takes in without answering, and the next call without input speaks from it', async () => {
  const model = scriptedModel('I heard you.');
  const agent = new ReActAgent({ name: 'Friday', model });
  await agent.observe(new UserMessage('bob', 'Listen.'));
  await agent.observe([new UserMessage('eve', 'And this.')]);
  expect(model.requests).toHaveLength(0);
  await agent.call();
  expect(model.requests[0]?.messages.map((msg) => msg.getTextContent())).toEqual(['Listen.', 'And this.']);
});

test('S4-028 two agents with default stores share nothing; nor do two sessions of one', async () => {
  const [one, two] = [scriptedModel('a', 'b'), scriptedModel('c')];
  const first = new ReActAgent({ name: 'same', model: one });
  await first.call('secret');
  await first.call('open', { sessionId: 'other' });
  await new ReActAgent({ name: 'same', model: two }).call('hello');
  expect(one.requests[1]?.messages.map((msg) => msg.getTextContent())).toEqual(['open']);
  expect(two.requests[0]?.messages.map((msg) => msg.getTextContent())).toEqual(['hello']);
});

test('S4-029 two calls at once are answered in order; with "reject" the second is agent/busy', async () => {
  const model = scriptedModel({ delayMs: 5, text: 'one' }, 'two');
  const agent = new ReActAgent({ name: 'Friday', model });
  const [first, second] = await Promise.all([agent.call('1'), agent.call('2')]);
  expect([first.getTextContent(), second.getTextContent()]).toEqual(['one', 'two']);
  expect((await agent.session().messages()).map((msg) => msg.getTextContent())).toEqual(['1', 'one', '2', 'two']);
  const strict = new ReActAgent({ name: 'Friday', model: scriptedModel({ delayMs: 5, text: 'one' }), concurrency: 'reject' });
  const running = strict.call('1');
  await expect(strict.call('2')).rejects.toMatchObject({ code: 'agent/busy' });
  expect((await running).getTextContent()).toBe('one');
});

test('concurrency "interrupt" ends the running reply for the new one', async () => {
  const agent = new ReActAgent({ name: 'Friday', model: scriptedModel([{ text: 'half' }, { hang: true }], 'two'), concurrency: 'interrupt' });
  const stream = agent.streamEvents('1', { detach: true });
  for await (const event of stream) if (event.type === 'TEXT_BLOCK_DELTA') break;
  const second = agent.call('2');
  expect((await stream.result).generateReason).toBe('INTERRUPTED');
  expect((await second).getTextContent()).toBe('two');
});

test('S4-030 a hundred sessions in parallel get a hundred right answers', async () => {
  const model = scriptedModel(...Array.from({ length: 100 }, () => (request: { messages: readonly Msg[] }) => ({ delayMs: 1, text: `re: ${request.messages.at(-1)?.getTextContent()}` })));
  const agent = new ReActAgent({ name: 'Friday', model });
  const replies = await Promise.all(Array.from({ length: 100 }, (_, i) => agent.call(`q${i}`, { sessionId: `s${i}` })));
  expect(replies.map((reply) => reply.getTextContent())).toEqual(Array.from({ length: 100 }, (_, i) => `re: q${i}`));
});

test('S4-035 a tool may answer at once or later', async () => {
  const sync = defineTool({ name: 'sync', description: '', readOnly: true, execute: () => 'x' });
  const later = defineTool({ name: 'later', description: '', readOnly: true, execute: async () => 'x' });
  const reply = await new ReActAgent({ name: 'F', model: scriptedModel([{ tool: 'sync' }, { tool: 'later' }], 'ok'), toolkit: [sync, later] }).call('Go.');
  expect(reply.getToolCalls().map(({ result }) => result?.output.map((block) => block.type === 'text' && block.text))).toEqual([['x'], ['x']]);
});

test('S4-038 the message is kept also when the model throws', async () => {
  const agent = new ReActAgent({ name: 'Friday', model: scriptedModel({ error: new Error('no') }) });
  await expect(agent.call('keep me')).rejects.toThrow('no');
  expect((await agent.session().memory.getMessages()).map((msg) => msg.getTextContent())).toEqual(['keep me', '']);
});

test('S4-042 without options it works in memory', async () => {
  const agent = new ReActAgent({ name: 'Friday', model: scriptedModel('Hi.') });
  expect((await agent.call('Hi')).getTextContent()).toBe('Hi.');
  expect(await agent.session().messages()).toHaveLength(2);
});

test('S4-071 ten sessions on models held by one gate: all ten are asked before it opens', async () => {
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const model = scriptedModel(...Array.from({ length: 10 }, () => ({ until: gate, text: 'ok' })));
  const agent = new ReActAgent({ name: 'Friday', model });
  const replies = Promise.all(Array.from({ length: 10 }, (_, i) => agent.call('go', { sessionId: `s${i}` })));
  while (model.requests.length < 10) await new Promise((resolve) => setTimeout(resolve, 1));
  open();
  expect(await replies).toHaveLength(10);
});

test('S4-072 call starts at once, without await', async () => {
  const model = scriptedModel('ok');
  const agent = new ReActAgent({ name: 'Friday', model });
  const promise = agent.call('go');
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(model.requests).toHaveLength(1);
  expect(await promise.then((msg) => msg)).toBe(await promise);
});

test('S4-073 a stream is lazy: nothing runs until it is asked; leaving it interrupts', async () => {
  const model = scriptedModel([{ text: 'a' }, { hang: true }]);
  const agent = new ReActAgent({ name: 'Friday', model });
  const stream = agent.streamEvents('go');
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(model.requests).toHaveLength(0);
  expect('then' in stream).toBe(false);
  for await (const event of stream) if (event.type === 'TEXT_BLOCK_DELTA') break;
  expect((await stream.result).generateReason).toBe('INTERRUPTED');
  expect(model.running).toBe(0);
});

test('detach: leaving the loop lets the reply go on, and a late reader gets all of it', async () => {
  const agent = new ReActAgent({ name: 'Friday', model: scriptedModel([{ text: 'a' }, { delayMs: 5, text: 'b' }]) });
  const stream = agent.streamEvents('go', { detach: true });
  for await (const event of stream) if (event.type === 'TEXT_BLOCK_DELTA') break;
  const rest = await collect(stream);
  expect((await stream.result).getTextContent()).toBe('ab');
  expect(JSON.stringify(foldEvents(rest))).toBe(JSON.stringify(await stream.result));
});

test('accepted tells that the input is durable; a late reader still gets every event', async () => {
  const agent = new ReActAgent({ name: 'Friday', model: scriptedModel('Hello.') });
  const stream = agent.streamEvents('go');
  const { replyId, seq } = await stream.accepted;
  expect(seq).toBeGreaterThan(0);
  const events = await collect(stream);
  expect(events[0]).toMatchObject({ type: 'AGENT_START', replyId });
  expect(JSON.stringify(foldEvents(events))).toBe(JSON.stringify(await stream.result));
});

test('the system prompt comes first and is not stored; options of the call win', async () => {
  const model = scriptedModel('Hi.');
  const agent = new ReActAgent({ name: 'Friday', model, sysPrompt: 'Be kind.', generateOptions: { temperature: 1, topP: 0.5 } });
  await agent.call('Hi', { generateOptions: { temperature: 0 } });
  expect(model.requests[0]?.messages.map((msg) => [msg.role, msg.getTextContent()])).toEqual([
    ['SYSTEM', 'Be kind.'],
    ['USER', 'Hi'],
  ]);
  expect(model.requests[0]?.options).toEqual({ temperature: 0, topP: 0.5 });
  expect((await agent.session().messages()).map((msg) => msg.role)).toEqual(['USER', 'ASSISTANT']);
});

test('bad options are config/invalid, naming the option', () => {
  const model = scriptedModel();
  for (const [options, option] of [
    [{ name: '', model }, 'name'],
    [{ name: 'a', model, maxIters: 0 }, 'maxIters'],
    [{ name: 'a', model: undefined }, 'model'],
    [{ name: 'a', model, concurrency: 'both' }, 'concurrency'],
    [{ name: 'a', model, durability: 'all' }, 'durability'],
    [{ name: 'a', model, toolkit: [add, add] }, 'tools'],
  ] as const) {
    expect(() => new ReActAgent(options as never)).toThrow(expect.objectContaining({ code: 'config/invalid', details: { option } }));
  }
});

test('bad input is message/invalid, stores nothing and makes no stream', async () => {
  const model = scriptedModel();
  const agent = new ReActAgent({ name: 'Friday', model });
  for (const input of ['', '  ', [], [''], [new UserMessage('x'), 'text'], { role: 'owner', content: 'x' }, 3]) {
    const events: AgentEvent[] = [];
    const stream = agent.streamEvents(input as never);
    await expect(
      (async () => {
        for await (const event of stream) events.push(event);
      })(),
    ).rejects.toMatchObject({ code: 'message/invalid' });
    expect(events).toEqual([]);
  }
  expect(await agent.session().messages()).toEqual([]);
  expect(model.requests).toHaveLength(0);
});

test('a message that is in the journal already attaches to the reply it began', async () => {
  const model = scriptedModel('Once.');
  const agent = new ReActAgent({ name: 'Friday', model });
  const msg = new UserMessage('bob', 'Hi');
  const reply = await agent.call(msg);
  const stream = agent.streamEvents(msg);
  const events = await collect(stream);
  expect(await stream.result).toEqual(reply);
  expect(JSON.stringify(foldEvents(events))).toBe(JSON.stringify(reply));
  expect([model.requests.length, (await agent.session().messages()).length]).toEqual([1, 2]);
});
