import { expect, test } from 'vitest';
import { foldEvents } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import type { Hook, HookEvent, HookEventType } from '../hook/index.ts';
import type { JsonValue } from '../internal/index.ts';
import { InMemoryMemory } from '../memory/index.ts';
import { InMemorySession } from '../session/index.ts';
import { scriptedModel } from '../testing/index.ts';
import type { ScriptedReply } from '../testing/index.ts';
import { defineTool } from '../tool/index.ts';
import { ReActAgent } from './react-agent.ts';
import type { ReActAgentOptions } from './options.ts';

type Of<T extends HookEventType> = Extract<HookEvent, { type: T }>;
/** A hook for one event. */
const at = <T extends HookEventType>(type: T, onEvent: (event: Of<T>) => unknown, priority?: number): Hook => ({ priority, onEvent: (event) => (event.type === type ? (onEvent(event as Of<T>) as never) : undefined) });
const ships = defineTool({ name: 'ship', description: 'ships', input: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] }, execute: async function* ({ to }) { yield 'card 4711 '; yield `to ${String(to)}`; } });
const agent = (script: readonly ScriptedReply[], hooks: readonly Hook[], options: Partial<ReActAgentOptions> = {}) => {
  const model = scriptedModel(...script);
  return { model, agent: new ReActAgent({ name: 'Ada', model, hooks, toolkit: [ships], session: new InMemorySession(), ...options }) };
};
const eventsOf = async (events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> => {
  const list: AgentEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
};
const json = (value: unknown): JsonValue => JSON.parse(JSON.stringify(value)) as JsonValue;
/** Viewers, the fold, the session and a replay of its journal in another process show the same message, and it is this. */
async function shown(subject: ReActAgent, events: readonly AgentEvent[], store: InMemorySession) {
  const stored = (await subject.session().messages()).at(-1);
  expect(json(foldEvents(events))).toEqual(json(stored));
  const fresh = new ReActAgent({ name: 'Ada', model: scriptedModel(), session: anotherProcess(store) });
  expect(json((await fresh.session().messages()).at(-1))).toEqual(json(stored));
  const replayed: AgentEvent[] = [];
  for await (const { event } of fresh.session().events()) if (event.replyId === stored?.id) replayed.push(event);
  expect(json(foldEvents(replayed))).toEqual(json(stored));
  return stored;
}
const anotherProcess = (store: InMemorySession): InMemorySession => new Proxy(store, { get: (target, name) => { const value: unknown = Reflect.get(target, name); return typeof value === 'function' ? value.bind(target) : value; } });

test('S4-051 PRE_CALL rewrites the input for the model, the context, a memory and a later process, once; the record keeps what was said', async () => {
  const store = new InMemorySession();
  let fired = 0;
  const shout = at('PRE_CALL', (event) => { fired++; event.inputMessages = event.inputMessages.map((msg) => msg.with({ content: `${msg.getTextContent()}!` })); });
  const memory = new InMemoryMemory();
  const { agent: subject, model } = agent([{ tool: 'ship', input: { to: 'Rome' } }, 'Done.'], [shout], { session: store, memory });
  await subject.call('Ship it');
  expect([fired, model.requests.map(({ messages }) => messages[0]?.getTextContent()), memory.getMessages()[0]?.getTextContent()]).toEqual([1, ['Ship it!', 'Ship it!'], 'Ship it!']);
  expect((await new ReActAgent({ name: 'Ada', model: scriptedModel(), session: anotherProcess(store) }).session().messages())[0]?.getTextContent()).toBe('Ship it!');
  const inputs: unknown[] = [];
  for await (const entry of store.read({ userId: undefined, sessionId: 'Ada' })) if (entry.kind === 'input') inputs.push(entry.msg.content);
  expect(inputs).toMatchObject([[{ text: 'Ship it' }]]);
});

test('S4-051 PRE_CALL may drop and add messages; they stand before the reply', async () => {
  const { agent: subject, model } = agent(['ok', 'ok'], [at('PRE_CALL', (event) => { const [first] = event.inputMessages; event.inputMessages = first ? [first.with({ content: 'A' }), { ...first, id: 'new', content: [{ type: 'text', text: 'B' }] } as never] : []; })]);
  await subject.observe([{ id: 'o', name: 'u', role: 'USER', content: [{ type: 'text', text: 'kept?' }], metadata: {}, timestamp: null, usage: null }]);
  await subject.call('second');
  expect(model.requests[0]?.messages.map((msg) => msg.getTextContent())).toEqual(['A', 'B']);
  expect((await subject.session().messages()).map((msg) => msg.getTextContent())).toEqual(['A', 'B', 'ok']);
});

test('S4-052 POST_CALL changes the final message: result, fold, memory and journal have it; a line more, another text, metadata', async () => {
  const changes: Readonly<Record<string, { change: (event: Of<'POST_CALL'>) => void; text: string }>> = {
    line: { change: (event) => { event.finalMessage = event.finalMessage.with({ content: [...event.finalMessage.content, { type: 'text', text: 'Bye.' }] }); }, text: 'I ship.\nShipped.\nBye.' },
    whole: { change: (event) => { event.finalMessage = event.finalMessage.with({ content: 'Short.' }); }, text: 'I ship.\nShort.' },
    metadata: { change: (event) => { event.finalMessage = event.finalMessage.with({ metadata: { ...event.finalMessage.metadata, checked: true } }); }, text: 'I ship.\nShipped.' },
  };
  for (const [what, { change, text }] of Object.entries(changes)) {
    const store = new InMemorySession();
    const { agent: subject } = agent([['I ship.', { tool: 'ship', input: { to: 'Rome' } }], 'Shipped.'], [at('POST_CALL', change)], { session: store });
    const stream = subject.streamEvents('go');
    const events = await eventsOf(stream);
    const stored = await shown(subject, events, store);
    expect([what, stored?.getTextContent(), (await stream.result).getTextContent()]).toEqual([what, text, text]);
    if (what === 'metadata') expect(stored?.metadata).toMatchObject({ checked: true });
    const result = events.find((event) => event.type === 'AGENT_RESULT');
    expect(result?.type === 'AGENT_RESULT' && result.result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')).toContain(text.split('\n').at(-1));
  }
});

test('S4-053 PRE_REASONING sets options and drops a message: the request shows it, the conversation does not change', async () => {
  const { agent: subject, model } = agent(['one', 'two'], [at('PRE_REASONING', (event) => { event.generateOptions = { ...event.generateOptions, temperature: 0 }; event.inputMessages = event.inputMessages.slice(-1); expect(event.modelName).toBe('scripted'); })]);
  await subject.call('first');
  await subject.call('second');
  expect(model.requests.map(({ messages, options }) => [messages.map((msg) => msg.getTextContent()), options?.temperature])).toEqual([[['first'], 0], [['second'], 0]]);
  expect(await subject.session().messages()).toHaveLength(4);
});

test('S4-054 S4-016 POST_REASONING replaces what the model said for everybody; a round with calls says TOOL_CALLS; usage and rounds count once', async () => {
  const store = new InMemorySession();
  const reasons: unknown[] = [];
  const rewrite = at('POST_REASONING', (event) => {
    reasons.push(event.reasoningMessage.generateReason);
    event.reasoningMessage = event.reasoningMessage.with({ content: event.reasoningMessage.content.map((block) => (block.type === 'text' ? { ...block, text: block.text.toUpperCase() } : block)) });
  });
  const usage = { inputTokens: 10, outputTokens: 5 };
  const { agent: subject, model } = agent([['I ship.', { tool: 'ship', input: { to: 'Rome' } }, { usage }] as never, ['Shipped.', { usage }] as never], [rewrite], { session: store, maxIters: 2 });
  const events = await eventsOf(subject.streamEvents('go'));
  const stored = await shown(subject, events, store);
  expect([stored?.getTextContent(), stored?.getToolCalls()[0]?.result?.state, reasons]).toEqual(['I SHIP.\nSHIPPED.', 'success', ['TOOL_CALLS', 'MODEL_STOP']]);
  expect([stored?.usage?.inputTokens, stored?.generateReason]).toEqual([20, 'MODEL_STOP']);
  expect(JSON.stringify(model.requests[1]?.messages)).toContain('I SHIP.');
  const kinds = events.flatMap((event) => (event.type.startsWith('MODEL_CALL') ? [[event.type.slice(11), event.metadata?.['call'] ?? '', event.metadata?.['purpose'] ?? event.metadata?.['discarded'] ?? '']] : []));
  expect(kinds.slice(0, 4)).toEqual([['START', 1, 'reason'], ['END', 1, true], ['START', 1, 'rewrite'], ['END', '', '']]);
});

test('S4-019 S4-020 stopAgent pauses after reasoning before the tool runs, after acting with its result kept; call() goes on', async () => {
  const ran: string[] = [];
  const tool = defineTool({ name: 'ship', description: 'ships', execute: () => (ran.push('ran'), 'shipped') });
  let once = true;
  const first = agent([{ tool: 'ship' }, 'Done.'], [at('POST_REASONING', (event) => { if (once) event.stopAgent(); once = false; })], { toolkit: [tool] });
  expect([(await first.agent.call('go')).generateReason, ran]).toEqual(['REASONING_STOP_REQUESTED', []]);
  expect([(await first.agent.call()).getTextContent(), ran]).toEqual(['Done.', ['ran']]);
  const second = agent([{ tool: 'ship' }, 'Done.'], [at('POST_ACTING', (event) => event.stopAgent())], { toolkit: [tool] });
  const paused = await second.agent.call('go');
  expect([paused.generateReason, paused.getToolCalls()[0]?.result?.state, second.model.requests.length]).toEqual(['ACTING_STOP_REQUESTED', 'success', 1]);
  expect((await second.agent.call()).getTextContent()).toBe('Done.');
});

test('S4-055 S4-058 S4-061 chunks are told one by one, with all so far; assigning to them is an error that names the hook', async () => {
  const chunks: string[] = [];
  const look: Hook = {
    onEvent(event) {
      if (event.type === 'REASONING_CHUNK') chunks.push(`r ${event.incrementalChunk.getTextContent()} | ${event.accumulated.getTextContent()}`);
      if (event.type === 'ACTING_CHUNK') chunks.push(`a ${event.chunk.output.map((block) => (block.type === 'text' ? block.text : '')).join()}`);
      if (event.type === 'SUMMARY_CHUNK') chunks.push(`s ${event.incrementalChunk.getTextContent()}`);
    },
  };
  const { agent: subject } = agent([[{ text: ['I ', 'sh', 'ip.'] } as never, { tool: 'ship', input: { to: 'Rome' } }], [{ text: ['All ', 'in all.'] } as never]], [look], { maxIters: 1 });
  await subject.call('go');
  expect(chunks).toEqual(['r I  | I ', 'r sh | I sh', 'r ip. | I ship.', 'a card 4711 ', 'a to Rome', 's All ', 's in all.']);
  class Assigns implements Hook { onEvent(event: HookEvent): void { if (event.type === 'REASONING_CHUNK') (event as { incrementalChunk: unknown }).incrementalChunk = null; } }
  await expect(agent(['text'], [new Assigns()]).agent.call('go')).rejects.toMatchObject({ code: 'agent/bad-event', message: expect.stringMatching(/Assigns.*REASONING_CHUNK/), details: { middleware: 'Assigns' } });
});

test('S4-056 I9 PRE_ACTING changes an approved argument: validated, asked anew, both inputs kept', async () => {
  const store = new InMemorySession();
  const asked: unknown[] = [];
  const tool = defineTool({ name: 'ship', description: 'ships', input: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] }, checkPermission: 'ask', execute: ({ to }) => `shipped to ${String(to)}` });
  const reroute = at('PRE_ACTING', (event) => { asked.push(event.toolUse.input); if (event.toolUse.input['to'] === 'Rome') event.toolUse = { ...event.toolUse, input: { to: 'Oslo' } }; });
  const { agent: subject } = agent([{ tool: 'ship', input: { to: 'Rome' } }, 'Done.'], [reroute], { session: store, toolkit: [tool] });
  const chat = subject.session();
  await chat.call('go');
  const [first] = await chat.pending('confirm');
  const again = await chat.confirm(first?.id ?? '', { approve: true });
  const [second] = await chat.pending('confirm');
  expect([again.generateReason, second?.toolCall.input, asked]).toEqual(['PERMISSION_ASKING', { to: 'Oslo' }, [{ to: 'Rome' }]]);
  const done = await chat.confirm(second?.id ?? '', { approve: true });
  const [{ call, result } = {}] = done.getToolCalls();
  expect([result?.output, call?.input, call?.metadata['proposed']]).toEqual([[{ type: 'text', text: 'shipped to Oslo' }], { to: 'Oslo' }, { to: 'Rome' }]);
  const broken = agent([{ tool: 'ship', input: { to: 'Rome' } }, 'Done.'], [at('PRE_ACTING', (event) => { event.toolUse = { ...event.toolUse, input: { to: 7 } as never }; })]);
  expect((await broken.agent.call('go')).getToolCalls()[0]?.result).toMatchObject({ state: 'error', output: [{ text: expect.stringContaining('Invalid arguments') }] });
});

test('S4-057 POST_ACTING masks a number in a result that was shown already: block, fold, journal and the next request have the mask only', async () => {
  const store = new InMemorySession();
  const mask = at('POST_ACTING', (event) => { event.toolResult = { ...event.toolResult, output: event.toolResult.output.map((block) => (block.type === 'text' ? { ...block, text: block.text.replaceAll(/\d/g, '*') } : block)), metadata: { masked: true } }; });
  const { agent: subject, model } = agent([{ tool: 'ship', input: { to: 'Rome' } }, 'Done.'], [mask], { session: store });
  const events = await eventsOf(subject.streamEvents('go'));
  const stored = await shown(subject, events, store);
  expect(stored?.getToolCalls()[0]?.result).toMatchObject({ output: [{ type: 'text', text: 'card **** to Rome' }], metadata: { masked: true }, state: 'success' });
  expect([JSON.stringify(model.requests[1]?.messages).includes('4711'), JSON.stringify(model.requests[1]?.messages).includes('****')]).toEqual([false, true]);
});

test('S4-059 S4-060 PRE_SUMMARY adds to the request of the summary, POST_SUMMARY changes what it said', async () => {
  const store = new InMemorySession();
  const hooks = [
    at('PRE_SUMMARY', (event) => { const last = event.inputMessages.at(-1); event.inputMessages = [...event.inputMessages, { ...last, id: 'x', role: 'USER', content: [{ type: 'text', text: 'In one word.' }] } as never]; }),
    at('POST_SUMMARY', (event) => { event.summaryMessage = event.summaryMessage.with({ content: 'Short.' }); }),
  ];
  const { agent: subject, model } = agent([{ tool: 'ship', input: { to: 'Rome' } }, 'A long summary.'], hooks, { session: store, maxIters: 1 });
  const stored = await shown(subject, await eventsOf(subject.streamEvents('go')), store);
  expect([stored?.getTextContent(), stored?.generateReason, model.requests[1]?.messages.at(-1)?.getTextContent()]).toEqual(['Short.', 'MAX_ITERATIONS', 'In one word.']);
});

test('S4-062 ERROR is told once with what failed, and the call still rejects with it', async () => {
  const errors: unknown[] = [];
  const posts: string[] = [];
  const { agent: subject } = agent([{ error: new Error('scripted failure') }], [at('ERROR', (event) => void errors.push(event.error)), at('POST_CALL', () => void posts.push('post'))]);
  const thrown: unknown = await subject.call('go').catch((error: unknown) => error);
  expect([errors, posts]).toEqual([[thrown], []]);
});

test('S4-063 low priorities first, 100 by default, equal ones in the order given; each sees what the one before changed', async () => {
  const order = (name: string, priority?: number) => at('PRE_CALL', (event) => { event.inputMessages = event.inputMessages.map((msg) => msg.with({ content: `${msg.getTextContent()} ${name}` })); }, priority);
  const { agent: subject, model } = agent(['ok'], [order('fifty', 50), order('none'), order('hundred', 100), order('ten', 10)]);
  await subject.call('go');
  expect(model.requests[0]?.messages[0]?.getTextContent()).toBe('go ten fifty none hundred');
});

test('a hook may return another event, as in Java; what is no hook, or leaves what cannot stand there, is an error by code', async () => {
  const { agent: subject, model } = agent(['ok'], [{ onEvent: (event) => (event.type === 'PRE_CALL' ? { ...event, inputMessages: event.inputMessages.map((msg) => msg.with({ content: 'other' })) } : undefined) }]);
  await subject.call('go');
  expect(model.requests[0]?.messages[0]?.getTextContent()).toBe('other');
  expect(() => agent([], [{} as never])).toThrow(expect.objectContaining({ code: 'config/invalid', details: { option: 'hooks' } }));
  expect(() => agent([], [(() => undefined) as never])).toThrow(expect.objectContaining({ code: 'config/invalid' }));
  for (const bad of [at('PRE_CALL', (event) => { event.inputMessages = 'text' as never; }), at('POST_ACTING', (event) => { event.toolResult = { ...event.toolResult, state: 'running' }; }), at('PRE_ACTING', (event) => { event.toolUse = { ...event.toolUse, name: 'other' }; }), at('POST_CALL', () => { throw new Error('mine'); }), at('POST_REASONING', (event) => { event.reasoningMessage = event.reasoningMessage.with({ content: [{ type: 'hint', id: 'h', hint: 'x', source: null }] as never }); }), at('POST_CALL', (event) => { event.finalMessage = event.finalMessage.with({ content: event.finalMessage.content.slice(1) }); })]) {
    const failing = agent([{ tool: 'ship', input: { to: 'Rome' } }, 'Done.'], [bad]);
    await expect(failing.agent.call('go')).rejects.toMatchObject({ code: 'agent/bad-event', details: { middleware: 'hook 1' } });
    const reply = (await failing.agent.session().messages()).at(-1);
    for (const { result } of reply?.getToolCalls() ?? []) expect(result?.state).not.toBe('running');
  }
});
