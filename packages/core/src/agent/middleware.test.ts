import { expect, test } from 'vitest';
import { AgentScopeError } from '../error/index.ts';
import { createEvent, foldEvents } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import type { RunContext } from '../hook/index.ts';
import type { JsonValue } from '../internal/index.ts';
import { mapText } from '../middleware/index.ts';
import type { Middleware } from '../middleware/index.ts';
import { InMemorySession } from '../session/index.ts';
import { stateKey } from '../state/index.ts';
import { scriptedModel } from '../testing/index.ts';
import type { ScriptedReply } from '../testing/index.ts';
import { defineTool } from '../tool/index.ts';
import { ReActAgent } from './react-agent.ts';
import type { ReActAgentOptions } from './options.ts';

const look = defineTool({ name: 'look', description: 'looks', readOnly: true, input: { type: 'object', properties: { at: { type: 'string' } } }, execute: ({ at }) => `saw ${String(at)} at 12:34` });
const agent = (script: readonly ScriptedReply[], middleware: readonly Middleware[], options: Partial<ReActAgentOptions> = {}) => {
  const model = scriptedModel(...script);
  return { model, agent: new ReActAgent({ name: 'Ada', sysPrompt: 'Be kind.', model, middleware, toolkit: [look], session: new InMemorySession(), ...options }) };
};
const eventsOf = async (events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> => {
  const list: AgentEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
};
const json = (value: unknown): JsonValue => JSON.parse(JSON.stringify(value)) as JsonValue;
/** What viewers saw, what the message is, and what the journal holds say the same. */
async function agrees(subject: ReActAgent, events: readonly AgentEvent[]): Promise<void> {
  const stored = (await subject.session().messages()).at(-1);
  const journaled: AgentEvent[] = [];
  for await (const { event } of subject.session().events()) if (event.replyId === stored?.id) journaled.push(event);
  expect(json(foldEvents(events))).toEqual(json(stored));
  expect(json(foldEvents(journaled))).toEqual(json(stored));
}

test('every stage is wrapped, high orders outside, the first of equals outermost; what a layer returns is ignored and next gives its stage\'s result', async () => {
  const log: string[] = [];
  const tracing = (name: string, order?: number): Middleware => ({
    name,
    order,
    async *onAgent(input, next) {
      log.push(`${name} agent ${input.messages.map((msg) => msg.getTextContent()).join()}`);
      const msg = yield* next(input);
      log.push(`${name} agent → ${msg.getTextContent()}`);
      return 'ignored';
    },
    async *onReasoning(input, next) {
      const msg = yield* next(input);
      log.push(`${name} reasoning ${input.purpose} ${input.tools.length} → ${msg.generateReason ?? ''} ${msg.content.length}`);
    },
    async *onModelCall(input, next) {
      const response = yield* next(input);
      log.push(`${name} model ${input.model.modelName} → ${response.finishReason} ${response.content.length}`);
    },
    async *onActing(input, next) {
      const results = yield* next(input);
      log.push(`${name} acting ${input.toolCalls.length} → ${results.map(({ state }) => state).join()}`);
    },
    async *onToolCall(input, next) {
      const result = yield* next(input);
      log.push(`${name} tool ${input.tool.name} → ${result.id === input.toolCall.id}`);
    },
    onSystemPrompt: (prompt) => `${prompt} ${name}`,
  });
  const { agent: subject, model } = agent([{ tool: 'look', id: 'c', input: { at: 'it' } }, 'Seen.'], [tracing('a'), tracing('b'), tracing('out', 10)]);
  const events = await eventsOf(subject.streamEvents('Look.'));
  await agrees(subject, events);
  expect(log.filter((line) => line.includes('agent')).map((line) => line.slice(0, 9))).toEqual(['out agent', 'a agent L', 'b agent L', 'b agent →', 'a agent →', 'out agent']);
  expect(log.filter((line) => line.startsWith('a '))).toEqual([
    'a agent Look.',
    'a model scripted → tool_calls 1',
    'a reasoning reason 1 → TOOL_CALLS 1',
    'a tool look → true',
    'a acting 1 → success',
    'a model scripted → stop 1',
    'a reasoning reason 1 → MODEL_STOP 1',
    'a agent → Seen.',
  ]);
  expect(model.requests.map(({ messages }) => messages[0]?.getTextContent())).toEqual(['Be kind. b a out', 'Be kind. b a out']);
});

test('C139 text of the model, output of a tool and arguments are changed for everybody: viewers, message, journal, and what the model is shown next', async () => {
  const mask = (text: string): string => text.replaceAll(/\d/g, '#');
  const masks: Middleware = {
    name: 'masks',
    async *onModelCall(input, next) {
      yield* mapText(next(input), mask);
    },
    async *onToolCall(input, next) {
      yield* mapText(next(input), mask);
    },
    async *onActing({ toolCalls }, next) {
      yield* next({ toolCalls: toolCalls.map((call) => ({ ...call, input: { at: 'the door' } })) });
    },
  };
  const { agent: subject, model } = agent([['I look 7 times.', { tool: 'look', input: { at: 'it' } }], 'Seen at 9.'], [masks]);
  const events = await eventsOf(subject.streamEvents('Look.'));
  await agrees(subject, events);
  const reply = foldEvents(events);
  const [{ call, result } = {}] = reply.getToolCalls();
  expect([reply.getTextContent(), call?.input, call?.metadata['proposed'], result?.output]).toEqual(['I look # times.\nSeen at #.', { at: 'the door' }, { at: 'it' }, [{ type: 'text', text: 'saw the door at ##:##' }]]);
  const shown = JSON.stringify(model.requests[1]?.messages);
  expect([shown.includes('12:34'), shown.includes('##:##'), shown.includes('7 times')]).toEqual([false, true, false]);
});

test('S0-052 a stop from any stage is an event, the reply pauses before its tools run, and call() goes on', async () => {
  for (const stage of ['onModelCall', 'onReasoning', 'onAgent', 'onAgentEvent'] as const) {
    let asked = false;
    const stops: Middleware = {
      [stage]: stage === 'onAgentEvent'
        ? (event: AgentEvent, ctx: RunContext) => void (event.type === 'MODEL_CALL_START' && !asked && ((asked = true), ctx.requestStop('enough')))
        : async function* (input: never, next: (given: never) => AsyncGenerator<AgentEvent>, ctx: RunContext) {
            if (!asked) ctx.requestStop('enough');
            asked = true;
            yield* next(input);
          },
    };
    const { agent: subject } = agent([{ tool: 'look' }, 'Seen.'], [stops]);
    const events = await eventsOf(subject.streamEvents('Look.'));
    const stop = events.filter(({ type }) => type === 'REQUEST_STOP');
    expect([stage, stop]).toMatchObject([stage, [{ reason: 'enough', generateReason: 'MIDDLEWARE_STOP_REQUESTED' }]]);
    expect([foldEvents(events).generateReason, events.some(({ type }) => type === 'TOOL_RESULT_START')]).toEqual(['MIDDLEWARE_STOP_REQUESTED', false]);
    expect((await subject.call()).getTextContent()).toBe('Seen.');
  }
});

test('S0-072 S0-073 ALL_TOOLS_DENIED goes through onActing, which may answer it with a stop', async () => {
  const asks = defineTool({ name: 'asks', description: 'asks', checkPermission: 'ask', execute: () => 'ran' });
  const seen: string[] = [];
  const stops: Middleware = {
    async *onActing(input, next, { replyId }) {
      for await (const event of next(input)) {
        yield event;
        if (event.type !== 'ALL_TOOLS_DENIED') continue;
        seen.push(event.deniedToolCalls[0]?.name ?? '');
        yield createEvent('REQUEST_STOP', { replyId, reason: 'denied', generateReason: 'ALL_TOOLS_DENIED' });
      }
    },
  };
  const { agent: subject, model } = agent([{ tool: 'asks' }, 'never'], [stops], { toolkit: [asks] });
  await subject.call('go');
  const [question] = await subject.session().pending('confirm');
  const reply = await subject.session().confirm(question?.id ?? '', { approve: false });
  expect([seen, reply.generateReason, model.requests.length]).toEqual([['asks'], 'ALL_TOOLS_DENIED', 1]);
});

test('a layer may answer itself: a cached answer asks no model, and a tool call gets its result without running', async () => {
  let ran = 0;
  const once = defineTool({ name: 'once', description: 'runs', execute: () => `ran ${++ran}` });
  const cache: Middleware = {
    name: 'cache',
    async *onModelCall(input, next, { replyId }) {
      if (input.messages.at(-1)?.getTextContent() !== 'cached?') return yield* next(input);
      const where = { replyId, blockId: 'cached' };
      yield createEvent('TEXT_BLOCK_START', where);
      yield createEvent('TEXT_BLOCK_DELTA', { ...where, delta: 'From the cache.' });
      yield createEvent('TEXT_BLOCK_END', where);
    },
    async *onToolCall({ toolCall }, _next, { replyId }) {
      yield createEvent('TOOL_RESULT_TEXT_DELTA', { replyId, toolCallId: toolCall.id, toolCallName: toolCall.name, delta: 'kept' });
    },
  };
  const { agent: subject, model } = agent([{ tool: 'once' }, 'Done.'], [cache], { toolkit: [once] });
  const events = await eventsOf(subject.streamEvents('cached?'));
  expect([foldEvents(events).getTextContent(), model.requests.length, events.filter(({ type }) => type.startsWith('MODEL_CALL')).length]).toEqual(['From the cache.', 0, 2]);
  const reply = await subject.call('run');
  expect([reply.getToolCalls()[0]?.result, ran]).toMatchObject([{ state: 'success', output: [{ text: 'kept' }] }, 0]);
});

test('F24 C009 a second model after a failed one: what the first said is taken back, its usage stays, and the call keeps its number', async () => {
  const second = scriptedModel('From the second.');
  const fallback: Middleware = {
    name: 'fallback',
    async *onModelCall(input, next) {
      try {
        yield* next(input);
      } catch (error) {
        if (!AgentScopeError.is(error)) throw error;
        yield* next({ ...input, model: second });
      }
    },
  };
  const { agent: subject } = agent([['half an ans', { usage: { inputTokens: 3, outputTokens: 2 } } as never, { error: new Error('scripted failure') }]], [fallback]);
  const events = await eventsOf(subject.streamEvents('go'));
  await agrees(subject, events);
  const calls = events.flatMap((event) => (event.type.startsWith('MODEL_CALL') ? [[event.type, event.metadata?.['call'] ?? null, event.metadata?.['discarded'] ?? false]] : []));
  expect(calls).toEqual([['MODEL_CALL_START', 1, false], ['MODEL_CALL_END', 1, true], ['MODEL_CALL_START', 1, false], ['MODEL_CALL_END', null, false]]);
  expect(foldEvents(events).getTextContent()).toBe('From the second.');
});

test('changed input, request and prompt: what onAgent changes is what the reply answers, once; what onReasoning changes is sent and not kept', async () => {
  const store = new InMemorySession();
  let runs = 0;
  const edits: Middleware = {
    name: 'edits',
    async *onAgent(input, next) {
      runs++;
      yield* next({ ...input, messages: input.messages.map((msg) => msg.with({ content: `${msg.getTextContent()} (${runs})` })) });
    },
    async *onReasoning(input, next) {
      yield* next({ ...input, messages: input.messages.slice(1), options: { ...input.options, temperature: 0 } });
    },
  };
  const stops = defineTool({ name: 'stops', description: 'stops', execute: (_: unknown, { requestStop }) => (requestStop('later'), 'ok') });
  const { agent: subject, model } = agent([{ tool: 'stops' }, 'Done.'], [edits], { session: store, toolkit: [stops] });
  expect((await subject.call('Hi')).generateReason).toBe('ACTING_STOP_REQUESTED');
  await subject.call();
  expect(model.requests.map(({ messages, options }) => [messages[0]?.getTextContent(), options?.temperature])).toEqual([['Hi (1)', 0], ['Hi (1)', 0]]);
  expect((await subject.session().messages()).map((msg) => msg.getTextContent())).toEqual(['Hi (1)', 'Done.']);
  const entries: unknown[] = [];
  for await (const entry of store.read({ userId: undefined, sessionId: 'Ada' })) if (entry.kind === 'input') entries.push(entry.msg.content[0]);
  expect(entries).toMatchObject([{ text: 'Hi' }]); // the record keeps what was given
});

test('values of a middleware are journaled; a watcher sees each committed event once, in order, and changes none', async () => {
  const spent = stateKey('test.spent', 0);
  const seen: AgentEvent[] = [];
  const meter: Middleware = {
    onAgentEvent(event, { state }) {
      seen.push(event);
      if (event.type === 'MODEL_CALL_END') state.set(spent, state.get(spent) + 1);
    },
  };
  const store = new InMemorySession();
  const { agent: subject } = agent([{ tool: 'look' }, 'Seen.', 'Again.'], [meter], { session: store });
  const events = await eventsOf(subject.streamEvents('Look.'));
  expect(seen).toEqual(events);
  await subject.call('Again?');
  let told: unknown;
  const reader: Middleware = { onAgentEvent: (event, { state }) => void (event.type === 'AGENT_END' && ((told = state.get(spent)), state.set(spent, 100))) };
  const fresh = agent(['Once more.', 'And more.'], [reader], { session: store }).agent;
  await fresh.call('And?');
  expect(told).toBe(3);
  await fresh.call('And?');
  expect(told).toBe(100); // also what was set at the very end is kept
});

test('tools that a middleware brings are there, and the toolkit it was given stays as it was', async () => {
  const extra = defineTool({ name: 'extra', description: 'extra', readOnly: true, execute: () => 'from outside' });
  const { agent: subject, model } = agent([{ tool: 'extra' }, 'ok'], [{ tools: [extra] }]);
  const reply = await subject.call('go');
  expect([reply.getToolCalls()[0]?.result?.output, model.requests[0]?.tools?.map(({ name }) => name)]).toEqual([[{ type: 'text', text: 'from outside' }], ['look', 'extra']]);
  const without = scriptedModel('alone');
  await subject.with({ middleware: [], model: without }).call('go');
  expect(without.requests[0]?.tools?.map(({ name }) => name)).toEqual(['look']);
  expect(() => agent([], [{ tools: [look] }])).toThrow(expect.objectContaining({ code: 'config/invalid' }));
});

const BAD: Readonly<Record<string, { readonly middleware: Middleware; readonly rule: RegExp }>> = {
  'yields what is no event': { middleware: { name: 'bad', async *onModelCall(input, next) { yield* next(input); yield 'text' as never; } }, rule: /no event/ },
  'is no generator': { middleware: { name: 'bad', onReasoning: (async () => undefined) as never }, rule: /async generator/ },
  'throws': { middleware: { name: 'bad', async *onReasoning(input, next) { for await (const event of next(input)) { yield event; throw new Error('mine'); } } }, rule: /it threw/ },
  'leaves a block open': { middleware: { name: 'bad', async *onModelCall(input, next, { replyId }) { yield* next(input); yield createEvent('TEXT_BLOCK_START', { replyId, blockId: 'x' }); } }, rule: /open/ },
  'drops a start': { middleware: { name: 'bad', async *onModelCall(input, next) { for await (const event of next(input)) if (event.type !== 'TEXT_BLOCK_START') yield event; } }, rule: /not open/ },
  'drops the end of the model call': { middleware: { name: 'bad', async *onAgent(input, next) { for await (const event of next(input)) if (event.type !== 'MODEL_CALL_END') yield event; } }, rule: /pass on MODEL_CALL_END/ },
  'drops the start of a tool': { middleware: { name: 'bad', async *onActing(input, next) { for await (const event of next(input)) if (event.type !== 'TOOL_RESULT_START') yield event; } }, rule: /pass on TOOL_RESULT_START/ },
  'changes what a tool was allowed': { middleware: { name: 'bad', async *onActing(input, next) { for await (const event of next(input)) yield event.type === 'TOOL_RESULT_START' ? { ...event, metadata: { run: {} } } : event; } }, rule: /metadata only/ },
  'says a result of its own outside': { middleware: { name: 'bad', async *onAgent(input, next, { replyId }) { yield createEvent('TOOL_RESULT_END', { replyId, toolCallId: 'x', toolCallName: 'y', state: 'success' }); yield* next(input); } }, rule: /cannot be added/ },
  'says something in another reply': { middleware: { name: 'bad', async *onModelCall(input, next) { yield createEvent('CUSTOM', { replyId: 'other', name: 'n', value: {} }); yield* next(input); } }, rule: /another reply/ },
  'leaves out a call': { middleware: { name: 'bad', async *onActing(_input, next) { yield* next({ toolCalls: [] }); } }, rule: /left out/ },
  'throws while it looks': { middleware: { name: 'bad', onAgentEvent(event) { if (event.type === 'TEXT_BLOCK_DELTA') throw new Error('mine'); } }, rule: /onAgentEvent/ },
  'gives back no prompt': { middleware: { name: 'bad', onSystemPrompt: () => undefined as never }, rule: /text/ },
};

for (const [what, { middleware, rule }] of Object.entries(BAD)) {
  test(`I2 I4 a middleware that ${what} is named, and the session stays sound`, async () => {
    const store = new InMemorySession();
    const { agent: subject } = agent([['I look.', { tool: 'look', id: 'c' }], 'Seen.'], [middleware], { session: store });
    const stream = subject.streamEvents('Look.');
    const events: AgentEvent[] = [];
    const error: unknown = await (async () => { for await (const event of stream) events.push(event); })().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'agent/bad-event', details: { rule: expect.stringMatching(what === 'throws' ? /threw/ : rule) } });
    expect(JSON.stringify((error as AgentScopeError).details)).toMatch(/bad|onActing/);
    expect(events.at(-1)).toMatchObject({ type: 'AGENT_END', error: { type: 'agent/bad-event' } });
    const balance = new Map<string, number>();
    for (const { type, ...event } of events as readonly (AgentEvent & { blockId?: string; toolCallId?: string })[]) {
      const [, name, edge] = /^(.*)_(START|END)$/.exec(type) ?? [];
      if (name) balance.set(`${name} ${event.blockId ?? event.toolCallId ?? ''}`, (balance.get(`${name} ${event.blockId ?? event.toolCallId ?? ''}`) ?? 0) + (edge === 'START' ? 1 : -1));
    }
    expect([...balance].filter(([, open]) => open !== 0)).toEqual([]);
    const reply = (await subject.session().messages()).at(-1);
    for (const { result } of reply?.getToolCalls() ?? []) expect(result?.state).toBeDefined();
    expect((await subject.with({ middleware: [], model: scriptedModel('Well again.') }).call('And now?')).getTextContent()).toBe('Well again.');
  });
}

test('what is no middleware is refused when the agent is made, naming the option', () => {
  const refused = (middleware: unknown) => expect(() => agent([], middleware as never)).toThrow(expect.objectContaining({ code: 'config/invalid', details: { option: 'middleware' } }));
  refused([null]);
  refused([{ onModelCall: 'yes' }]);
  refused([{ onModelCal: () => undefined, onModellCall: () => undefined }]);
  refused([{ order: 'first' }]);
  refused([{ tools: look }]);
});

test('an abort ends a run whose layer waits for something of its own', async () => {
  const slow: Middleware = { async *onModelCall(input, next, { signal }) { await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true })); yield* next(input); } };
  const { agent: subject } = agent(['never'], [slow]);
  const running = subject.call('go');
  setTimeout(() => void subject.interrupt(), 20);
  expect((await running).generateReason).toBe('INTERRUPTED');
});

test('a layer that hears no abort is left behind, and the reply has its end', { timeout: 20_000 }, async () => {
  const deaf: Middleware = { async *onModelCall(input, next) { await new Promise(() => undefined); yield* next(input); } };
  const { agent: subject } = agent(['never'], [deaf]);
  const running = subject.call('go');
  setTimeout(() => void subject.interrupt(), 20);
  expect((await running).generateReason).toBe('INTERRUPTED');
});

test('next in onToolCall gives the result that everybody has, of each of several at once', async () => {
  const seen: unknown[] = [];
  const looks: Middleware = {
    async *onToolCall(input, next) {
      const { id, state, output } = yield* next(input);
      seen.push([id, state, output]);
    },
  };
  const { agent: subject } = agent([[{ tool: 'look', id: 'a', input: { at: 'one' } }, { tool: 'look', id: 'b', input: { at: 'two' } }], 'Seen.'], [looks]);
  const reply = await subject.call('Look.');
  expect(seen).toEqual(reply.getToolCalls().map(({ result }) => [result?.id, result?.state, result?.output]));
  expect(seen).toMatchObject([['a', 'success', [{ text: 'saw one at 12:34' }]], ['b', 'success', [{ text: 'saw two at 12:34' }]]]);
});

test('a layer around a run that a shutdown leaves open comes to its finally', async () => {
  const log: string[] = [];
  const holds: Middleware = {
    async *onAgent(input, next) {
      try {
        yield* next(input);
        log.push('ended');
      } finally {
        log.push('left');
      }
    },
  };
  const { agent: subject } = agent([['I look.', { delayMs: 10, tool: 'look' }], 'never'], [holds]);
  let ending: Promise<void> | undefined;
  const reading = (async () => {
    for await (const event of subject.streamEvents('go')) if (event.type === 'TEXT_BLOCK_START') ending = subject.shutdown();
  })();
  await expect(reading).rejects.toMatchObject({ code: 'agent/shut-down' });
  await ending;
  expect(log).toEqual(['left']);
});

test('a layer that stops the reply instead of asking the model leaves no empty call behind', async () => {
  let once = true;
  const stops: Middleware = { async *onReasoning(input, next, { requestStop }) { if (once) { once = false; requestStop('not now'); return; } yield* next(input); } };
  const { agent: subject, model } = agent(['Now.'], [stops]);
  const events = await eventsOf(subject.streamEvents('go'));
  expect([foldEvents(events).generateReason, events.some(({ type }) => type.startsWith('MODEL_CALL'))]).toEqual(['MIDDLEWARE_STOP_REQUESTED', false]);
  expect([(await subject.call()).getTextContent(), model.requests.length]).toEqual(['Now.', 1]);
});

test('a hint of a layer is in its own call, whatever others make of the messages; a second try is not shown the first', async () => {
  const hint: Middleware = {
    async *onReasoning(input, next, ctx) {
      yield createEvent('HINT_BLOCK', { replyId: ctx.replyId, blockId: 'h', hint: 'Think twice.', hintSource: 'test' } as never);
      yield* next(input);
    },
  };
  const copying: Middleware = {
    async *onReasoning(input, next) {
      yield* next({ ...input, messages: [...input.messages] });
    },
  };
  const retry: Middleware = {
    async *onReasoning(input, next) {
      try {
        yield* next(input);
      } catch {
        yield* next(input);
      }
    },
  };
  for (const [middleware, hooks] of [
    [[hint, copying, retry], []],
    [[copying, retry, hint], []],
    [[hint, retry], [{ onEvent: async (event: never) => event }]],
  ] as const) {
    const { model, agent: subject } = agent([['Half an ans', { error: new Error('scripted failure') }] as never, 'Whole.'], middleware, { hooks: hooks as never });
    const reply = await subject.call('hi');
    expect([reply.generateReason, reply.getTextContent()]).toEqual(['MODEL_STOP', 'Whole.']);
    const shown = model.requests.map(({ messages }) => messages.flatMap(({ content }) => content.map((block) => (block.type === 'hint' ? block.hint : block.type === 'text' ? block.text : block.type))));
    expect(shown.map((blocks) => blocks.slice(0, 3))).toEqual([['Be kind.', 'hi', 'Think twice.'], ['Be kind.', 'hi', 'Think twice.']]);
    expect(JSON.stringify(shown)).not.toContain('Half');
  }
});
