import { context, metrics as globalMetrics, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { AlwaysOffSampler, BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { ReActAgent } from '../agent/index.ts';
import type { ReActAgentOptions } from '../agent/index.ts';
import { createEvent } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import type { Middleware } from '../middleware/index.ts';
import { defineChatModel } from '../model/index.ts';
import { agentAsTool } from '../multi-agent/index.ts';
import { InMemorySession } from '../session/index.ts';
import { scriptedModel } from '../testing/index.ts';
import type { ScriptedReply } from '../testing/index.ts';
import { defineTool } from '../tool/index.ts';
import { otelTracing } from './index.ts';
import type { OtelTracingOptions } from './index.ts';

const spanMemory = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spanMemory)] });
const metricMemory = new InMemoryMetricExporter(AggregationTemporality.DELTA);
const reader = new PeriodicExportingMetricReader({ exporter: metricMemory, exportIntervalMillis: 3_600_000 });
const meterProvider = new MeterProvider({ readers: [reader] });
const tracer = provider.getTracer('test');
const meter = meterProvider.getMeter('test');

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterEach(async () => {
  spanMemory.reset();
  await reader.forceFlush();
  metricMemory.reset();
});

const USAGE = { usage: { inputTokens: 11, outputTokens: 7, cachedTokens: 5, cacheCreationTokens: 2 } };
const look = defineTool({ name: 'look', description: 'Looks around.', readOnly: true, execute: () => 'saw it' });
const traced = (script: readonly ScriptedReply[], options: Partial<ReActAgentOptions> = {}, tracing: OtelTracingOptions = {}) =>
  new ReActAgent({ name: 'Ada', model: scriptedModel(...script), toolkit: [look], session: new InMemorySession(), middleware: [otelTracing({ tracer, meter, ...tracing })], ...options });

const spans = (): readonly ReadableSpan[] => spanMemory.getFinishedSpans();
const named = (name: string): ReadableSpan => spans().find((span) => span.name === name) ?? expect.fail(`no span ${name} among ${spans().map((span) => span.name).join(', ')}`);
/** Each span below its parent, in the order they began. */
function tree(): string[] {
  const started = (list: readonly ReadableSpan[]): ReadableSpan[] => list.toSorted((a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1]);
  const below = (id: string | undefined, depth: number): string[] =>
    started(spans().filter((span) => span.parentSpanContext?.spanId === id)).flatMap((span) => [`${'  '.repeat(depth)}${span.name}`, ...below(span.spanContext().spanId, depth + 1)]);
  return below(undefined, 0);
}
interface Point {
  readonly attributes: Attributes;
  readonly count: number;
  readonly sum: number | undefined;
  readonly boundaries: readonly number[];
}
async function points(name: string): Promise<readonly Point[]> {
  await reader.forceFlush();
  const found = metricMemory.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics)).filter(({ descriptor }) => descriptor.name === name);
  return found.flatMap(({ dataPoints }) => dataPoints.map(({ attributes, value }) => {
    const { count, sum, buckets } = value as { count: number; sum?: number; buckets: { boundaries: number[] } };
    return { attributes, count, sum, boundaries: buckets.boundaries };
  }));
}

/** What the conventions (1.41) require, and what they recommend and we know. */
const OWED = {
  invoke_agent: ['gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.agent.id', 'gen_ai.agent.name', 'gen_ai.conversation.id', 'gen_ai.request.model', 'gen_ai.response.finish_reasons', 'gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens'],
  chat: [
    'gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.request.model', 'gen_ai.conversation.id', 'gen_ai.output.type', 'gen_ai.request.seed', 'gen_ai.request.top_k', 'gen_ai.request.frequency_penalty', 'gen_ai.request.max_tokens',
    'gen_ai.request.presence_penalty', 'gen_ai.request.temperature', 'gen_ai.request.top_p', 'gen_ai.response.finish_reasons', 'gen_ai.response.id', 'gen_ai.response.model', 'gen_ai.response.time_to_first_chunk',
    'gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens', 'gen_ai.usage.cache_read.input_tokens', 'gen_ai.usage.cache_creation.input_tokens',
  ],
  execute_tool: ['gen_ai.operation.name', 'gen_ai.tool.name', 'gen_ai.tool.call.id', 'gen_ai.tool.description', 'gen_ai.tool.type'],
};

test('a run with a tool: the spans of the conventions with what they require and recommend, of the right kind, each below its parent', async () => {
  let asked = 0;
  const model = defineChatModel({
    provider: 'gemini',
    modelName: 'g-1',
    async *stream() {
      yield asked++ === 0
        ? { id: 'r1', content: [{ type: 'tool_use', id: 'c1', name: 'look', input: {}, content: '{}', state: 'pending', metadata: {} }], ...USAGE, metadata: { model: 'g-1-0001' } }
        : { id: 'r2', content: 'Seen.', ...USAGE, metadata: { model: 'g-1-0001' } };
    },
  });
  const generateOptions = { temperature: 0.5, topP: 0.9, topK: 3, maxTokens: 100, seed: 4, frequencyPenalty: 0.1, presencePenalty: 0.2 };
  await traced([], { model, generateOptions, description: 'Looks at things.' }).call('Look.', { sessionId: 's1' });
  expect(tree()).toEqual(['invoke_agent Ada', '  chat g-1', '  execute_tool look', '  chat g-1']);
  for (const span of spans()) {
    const operation = span.attributes['gen_ai.operation.name'] as keyof typeof OWED;
    expect([span.name, OWED[operation].filter((key) => span.attributes[key] === undefined)]).toEqual([span.name, []]);
    expect([span.name, span.kind, span.status.code, span.ended]).toEqual([span.name, operation === 'chat' ? SpanKind.CLIENT : SpanKind.INTERNAL, SpanStatusCode.UNSET, true]);
  }
  expect(named('chat g-1').attributes).toMatchObject({
    'gen_ai.provider.name': 'gcp.gemini', 'gen_ai.response.id': 'r1', 'gen_ai.response.model': 'g-1-0001', 'gen_ai.response.finish_reasons': ['tool_calls'], 'gen_ai.request.temperature': 0.5, 'gen_ai.request.max_tokens': 100,
    'gen_ai.usage.input_tokens': 11, 'gen_ai.usage.output_tokens': 7, 'gen_ai.usage.cache_read.input_tokens': 5, 'gen_ai.conversation.id': 's1', 'agentscope.model_call.purpose': 'reason',
  });
  expect(named('invoke_agent Ada').attributes).toMatchObject({ 'gen_ai.usage.input_tokens': 22, 'gen_ai.usage.output_tokens': 14, 'gen_ai.agent.description': 'Looks at things.', 'agentscope.reply.reason': 'MODEL_STOP', 'gen_ai.response.finish_reasons': ['stop'] });
  expect(named('execute_tool look').attributes).toMatchObject({ 'gen_ai.tool.call.id': 'c1', 'gen_ai.tool.description': 'Looks around.', 'agentscope.tool.state': 'success' });
});

test('the metrics of the conventions: duration of each operation, tokens by type, time to the first chunk, with their bounds', async () => {
  await traced([{ tool: 'look', ...USAGE }, { text: 'Seen.', ...USAGE }]).call('Look.');
  const duration = await points('gen_ai.client.operation.duration');
  expect(duration.map(({ attributes, count }) => [attributes['gen_ai.operation.name'], count]).toSorted()).toEqual([['chat', 2], ['execute_tool', 1], ['invoke_agent', 1]]);
  expect(duration.find(({ attributes }) => attributes['gen_ai.operation.name'] === 'chat')).toMatchObject({ attributes: { 'gen_ai.provider.name': 'scripted', 'gen_ai.request.model': 'scripted' }, boundaries: expect.arrayContaining([0.01, 81.92]) });
  await traced([{ text: 'Seen.', ...USAGE }]).call('Look.');
  const tokens = await points('gen_ai.client.token.usage');
  expect(tokens.slice(-2).map(({ attributes, sum, count }) => [attributes['gen_ai.token.type'], attributes['gen_ai.operation.name'], sum, count])).toEqual([['input', 'chat', 11, 1], ['output', 'chat', 7, 1]]);
  expect((await points('gen_ai.client.operation.time_to_first_chunk'))[0]).toMatchObject({ count: 2, boundaries: expect.arrayContaining([0.001, 10]) });
  for (const { attributes } of duration) expect(Object.keys(attributes).filter((key) => key.endsWith('.id'))).toEqual([]); // ids would make a series of each call
});

test('a model that fails: both spans say so with a word, and none of the words are recorded', async () => {
  const failing = traced([{ error: new Error('key sk-abcdefghijklmnopqrstuvwx was refused') }]);
  await expect(failing.call('My secret question.')).rejects.toMatchObject({ code: 'model/failed' });
  expect(tree()).toEqual(['invoke_agent Ada', '  chat scripted']);
  for (const span of spans()) expect([span.attributes['error.type'], span.status, span.ended, span.events]).toEqual(['model/failed', { code: SpanStatusCode.ERROR }, true, []]);
  const duration = await points('gen_ai.client.operation.duration');
  expect(duration.map(({ attributes }) => attributes['error.type'])).toEqual(['model/failed', 'model/failed']);
});

test('an interrupt ends every span without an error: the model, and tools that run', async () => {
  const hanging = traced([['half', { hang: true }]]);
  const stream = hanging.streamEvents('go');
  for await (const event of stream) if (event.type === 'TEXT_BLOCK_DELTA') void hanging.interrupt();
  expect(tree()).toEqual(['invoke_agent Ada', '  chat scripted']);
  expect(named('chat scripted').attributes['gen_ai.response.finish_reasons']).toEqual(['interrupted']);
  expect(named('invoke_agent Ada').attributes['agentscope.reply.reason']).toBe('INTERRUPTED');
  spanMemory.reset();
  const waits = defineTool({ name: 'waits', description: 'waits', execute: (_: unknown, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))) });
  const acting = traced([{ tool: 'waits' }], { toolkit: [waits] });
  for await (const event of acting.streamEvents('go')) if (event.type === 'TOOL_RESULT_START') setTimeout(() => void acting.interrupt(), 10);
  expect(tree()).toEqual(['invoke_agent Ada', '  chat scripted', '  execute_tool waits']);
  expect(named('execute_tool waits').attributes['agentscope.tool.state']).toBe('interrupted');
  for (const span of spans()) expect([span.name, span.status.code, span.ended]).toEqual([span.name, SpanStatusCode.UNSET, true]);
});

test('a reader who breaks off leaves no span open', async () => {
  for await (const event of traced([['one', 'two', { hang: true }]]).streamEvents('go')) if (event.type === 'TEXT_BLOCK_DELTA') break;
  await expect.poll(() => tree()).toEqual(['invoke_agent Ada', '  chat scripted']);
});

test('a shutdown leaves a reply open: its span says so, and is ended', async () => {
  const agent = traced([[{ tool: 'look' }, 'Wait.', { delayMs: 20 }], 'never']);
  let ending: Promise<void> | undefined;
  const reading = (async () => {
    for await (const event of agent.streamEvents('go')) if (event.type === 'TEXT_BLOCK_START') ending = agent.shutdown();
  })();
  await expect(reading).rejects.toMatchObject({ code: 'agent/shut-down' });
  await ending;
  expect(tree()).toEqual(['invoke_agent Ada', '  chat scripted']);
  expect(named('invoke_agent Ada').attributes['agentscope.reply.left_open']).toBe(true);
});

test('another middleware that throws leaves no span open', async () => {
  for (const stage of ['onAgent', 'onReasoning', 'onModelCall', 'onActing', 'onToolCall'] as const) {
    spanMemory.reset();
    const bad: Middleware = {
      [stage]: async function* (input: never, next: (given: never) => AsyncGenerator<AgentEvent>) {
        for await (const event of next(input)) {
          yield event;
          if (stage !== 'onAgent' || event.type === 'MODEL_CALL_END') throw new Error('mine');
        }
      },
    };
    const [running, ended] = [new Set<string>(), new Set<string>()];
    const counting = new BasicTracerProvider({ spanProcessors: [{ onStart: (span) => void running.add(span.spanContext().spanId), onEnd: (span) => void ended.add(span.spanContext().spanId), forceFlush: async () => undefined, shutdown: async () => undefined }] });
    const agent = traced([{ tool: 'look' }, 'Seen.'], { middleware: [otelTracing({ tracer: counting.getTracer('t') }), bad] });
    await expect(agent.call('go')).rejects.toMatchObject({ code: 'agent/bad-event' });
    expect([stage, running.size >= 1]).toEqual([stage, true]);
    await expect.poll(() => [stage, ended]).toEqual([stage, running]);
  }
});

test('a pause ends its run; the run that goes on is a span of its own that links to it, with the tool below', async () => {
  const asks = defineTool({ name: 'asks', description: 'asks', checkPermission: 'ask', execute: () => 'ran' });
  const store = new InMemorySession();
  const agent = traced([{ tool: 'asks', id: 'c1' }], { toolkit: [asks], session: store });
  const paused = await agent.call('go');
  const first = named('invoke_agent Ada');
  expect(first.attributes).toMatchObject({ 'agentscope.reply.reason': 'PERMISSION_ASKING', 'agentscope.reply.goes_on': false, 'agentscope.reply.id': paused.id });
  spanMemory.reset();
  const elsewhere = traced(['Done.'], { toolkit: [asks], session: store }); // a new process would find the same
  const [question] = await elsewhere.session().pending('confirm');
  await elsewhere.session().confirm(question?.id ?? '', { approve: true });
  expect(tree()).toEqual(['invoke_agent Ada', '  execute_tool asks', '  chat scripted']);
  const second = named('invoke_agent Ada');
  expect(second.attributes).toMatchObject({ 'agentscope.reply.reason': 'MODEL_STOP', 'agentscope.reply.goes_on': true, 'agentscope.reply.id': paused.id });
  expect(second.links.map((link) => link.context.spanId)).toEqual([first.spanContext().spanId]);
  spanMemory.reset();
  await traced(['Again.'], { toolkit: [asks], session: store }).call('next');
  expect(named('invoke_agent Ada').links).toEqual([]);
});

test('a call that does not run has no span: denied, unknown or wrong ones are events of the run', async () => {
  const denies = defineTool({ name: 'denies', description: 'denies', checkPermission: 'deny', execute: () => 'never' });
  await traced([[{ tool: 'denies', id: 'c1' }, { tool: 'nobody', id: 'c2' }], 'Done.'], { toolkit: [denies] }).call('go');
  expect(tree()).toEqual(['invoke_agent Ada', '  chat scripted', '  chat scripted']);
  expect(named('invoke_agent Ada').events.map(({ name, attributes }) => [name, attributes?.['gen_ai.tool.name'], attributes?.['gen_ai.tool.call.id'], attributes?.['agentscope.tool.state']]).toSorted()).toEqual([
    ['agentscope.tool.not_run', 'denies', 'c1', 'denied'],
    ['agentscope.tool.not_run', 'nobody', 'c2', 'error'],
  ]);
});

test('parallel tools are siblings, one that fails says so, and what each traces itself hangs below it', async () => {
  const own = (name: string, fails = false) => defineTool({
    name, description: name, readOnly: true,
    execute: async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return tracer.startActiveSpan(`inside ${name}`, (span) => {
        span.end();
        if (fails) throw new Error('the private reason');
        return 'ok';
      });
    },
  });
  await traced([[{ tool: 'a' }, { tool: 'b' }], 'Done.'], { toolkit: [own('a'), own('b', true)] }).call('go');
  expect(tree().filter((line) => !line.includes('chat'))).toEqual(['invoke_agent Ada', '  execute_tool a', '    inside a', '  execute_tool b', '    inside b']);
  expect([named('execute_tool a').status.code, named('execute_tool b').status, named('execute_tool b').attributes['error.type']]).toEqual([SpanStatusCode.UNSET, { code: SpanStatusCode.ERROR }, 'tool_error']);
});

test('a run stands below the span that was active when the agent was called; two at once stay apart', async () => {
  const agent = traced([['a', { delayMs: 5 }], ['b', { delayMs: 5 }]]);
  await Promise.all(['one', 'two'].map((name) => tracer.startActiveSpan(name, async (span) => {
    await agent.call(name, { sessionId: 'same' }); // the second waits for the first
    span.end();
  })));
  expect(tree()).toEqual(['one', '  invoke_agent Ada', '    chat scripted', 'two', '  invoke_agent Ada', '    chat scripted']);
});

const family = (tracing: OtelTracingOptions = {}) => {
  const shelf = defineTool({ name: 'shelf', description: 'shelf', readOnly: true, execute: () => 'Shelf 7.' });
  const child = traced([{ tool: 'shelf' }, 'It stands on shelf 7.'], { name: 'librarian', toolkit: [shelf] }, tracing);
  return traced([{ tool: 'librarian', input: { message: 'Where?' } }, 'There.'], { name: 'host', toolkit: [agentAsTool(child)] }, tracing);
};
const FAMILY = ['invoke_agent host', '  chat scripted', '  execute_tool librarian', '    invoke_agent librarian', '      chat scripted', '      execute_tool shelf', '      chat scripted', '  chat scripted'];

test('an agent that a tool asks stands below the span of that tool, and its tokens are not counted twice', async () => {
  await family().call('Where is Faust?');
  expect(tree()).toEqual(FAMILY);
  expect(new Set(spans().map((span) => span.spanContext().traceId)).size).toBe(1);
});

test('it does so too where no context manager follows calls', async () => {
  context.disable();
  try {
    await family().call('Where is Faust?');
  } finally {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  }
  expect(tree()).toEqual(FAMILY);
});

test('a child that waits for a person: its span and the tool\'s end with the pause, and again below each other when it goes on', async () => {
  const pay = defineTool({ name: 'pay', description: 'pays', checkPermission: 'ask', execute: () => 'paid' });
  const clerk = traced([{ tool: 'pay' }, 'Done.'], { name: 'clerk', toolkit: [pay] });
  const boss = traced([{ tool: 'clerk', input: { message: 'Pay.' } }, 'It is paid.'], { name: 'boss', toolkit: [agentAsTool(clerk)] });
  await boss.call('Pay the bill.');
  expect(tree()).toEqual(['invoke_agent boss', '  chat scripted', '  execute_tool clerk', '    invoke_agent clerk', '      chat scripted']);
  expect(named('execute_tool clerk').attributes['agentscope.tool.state']).toBe('running');
  spanMemory.reset();
  const [question] = await boss.session().pending('confirm');
  await boss.session().confirm(question?.id ?? '', { approve: true });
  expect(tree()).toEqual(['invoke_agent boss', '  execute_tool clerk', '    invoke_agent clerk', '      execute_tool pay', '      chat scripted', '  chat scripted']);
});

const SECRET = 'sk-proj-abcdefghijklmnop1234';
const SAID = ['PROMPT-1', 'QUESTION-2', 'ARGUMENT-3', 'OUTPUT-4', 'ANSWER-5', 'REASON-6'];
const talkative = (tracing: OtelTracingOptions) => {
  const tells = defineTool({ name: 'tells', description: 'tells', input: { type: 'object', properties: { text: { type: 'string' }, password: { type: 'string' } } }, execute: () => `OUTPUT-4 ${SECRET}` });
  return traced([[{ thinking: 'REASON-6' }, { tool: 'tells', input: { text: 'ARGUMENT-3', password: 'hunter2' } }], 'ANSWER-5'], { sysPrompt: 'PROMPT-1', toolkit: [tells] }, tracing);
};
const recorded = (): string => JSON.stringify(spans().map(({ name, attributes, events, status }) => ({ name, attributes, events, status })));

test('nothing that was said is recorded unless asked for', async () => {
  await talkative({}).call(`QUESTION-2 ${SECRET}`);
  await expect(traced([{ error: new Error('QUESTION-2') }]).call('QUESTION-2')).rejects.toMatchObject({ code: 'model/failed' });
  expect([...SAID, SECRET, 'hunter2'].filter((text) => recorded().includes(text))).toEqual([]);
  const series = JSON.stringify(await points('gen_ai.client.operation.duration'));
  expect([...SAID, SECRET].filter((text) => series.includes(text))).toEqual([]);
});

test('asked for, all of it is there in the form of the conventions, without secrets', async () => {
  await talkative({ captureContent: true }).call(`QUESTION-2 ${SECRET}`);
  expect(SAID.filter((text) => !recorded().includes(text))).toEqual([]);
  expect([SECRET, 'hunter2'].filter((text) => recorded().includes(text))).toEqual([]);
  const last = spans().filter(({ name }) => name === 'chat scripted').at(-1)?.attributes ?? {};
  const json = (key: string): unknown => JSON.parse(String(last[key]));
  expect(json('gen_ai.system_instructions')).toEqual([{ type: 'text', content: 'PROMPT-1' }]);
  expect(json('gen_ai.input.messages')).toEqual([
    { role: 'user', parts: [{ type: 'text', content: 'QUESTION-2 [redacted]' }] },
    { role: 'assistant', parts: [{ type: 'reasoning', content: 'REASON-6' }, { type: 'tool_call', id: 'call-1', name: 'tells', arguments: { text: 'ARGUMENT-3', password: '[redacted]' } }] },
    { role: 'tool', parts: [{ type: 'tool_call_response', id: 'call-1', response: [{ type: 'text', content: 'OUTPUT-4 [redacted]' }] }] },
  ]);
  expect(json('gen_ai.output.messages')).toEqual([{ role: 'assistant', parts: [{ type: 'text', content: 'ANSWER-5' }], finish_reason: 'stop' }]);
  expect(named('execute_tool tells').attributes['gen_ai.tool.call.arguments']).toBe('{"text":"ARGUMENT-3","password":"[redacted]"}');
});

test('a function changes what is recorded; one that throws has it left out, and the reply goes on', async () => {
  await talkative({ captureContent: (text) => text.toLowerCase() }).call('QUESTION-2');
  expect([recorded().includes('question-2'), recorded().includes('QUESTION-2')]).toEqual([true, false]);
  spanMemory.reset();
  const reply = await talkative({ captureContent: () => { throw new Error('mine'); } }).call('QUESTION-2');
  expect([reply.getTextContent(), recorded().includes('QUESTION-2'), spans().length]).toEqual(['ANSWER-5', false, 4]);
});

test('each model that is asked has its own span, also where another middleware asks a second one; a cached answer has none', async () => {
  const second = scriptedModel('From the second.');
  const fallback: Middleware = {
    async *onModelCall(input, next, { replyId }) {
      if (input.messages.at(-1)?.getTextContent() === 'cached?') {
        yield createEvent('TEXT_BLOCK_START', { replyId, blockId: 'x' });
        yield createEvent('TEXT_BLOCK_DELTA', { replyId, blockId: 'x', delta: 'Kept.' });
        yield createEvent('TEXT_BLOCK_END', { replyId, blockId: 'x' });
        return;
      }
      try {
        yield* next(input);
      } catch {
        yield* next({ ...input, model: { ...second, modelName: 'second' } });
      }
    },
  };
  const agent = traced([{ error: new Error('down') }], { middleware: [otelTracing({ tracer, meter }), fallback] });
  expect((await agent.call('go')).getTextContent()).toBe('From the second.');
  expect(tree()).toEqual(['invoke_agent Ada', '  chat scripted', '  chat second']);
  expect([named('chat scripted').attributes['error.type'], named('chat second').attributes['error.type'], named('invoke_agent Ada').status.code]).toEqual(['model/failed', undefined, SpanStatusCode.UNSET]);
  spanMemory.reset();
  await agent.call('cached?');
  expect(tree()).toEqual(['invoke_agent Ada']); // an answer of the cache asks no model
});

test('without an SDK the events are the same, and nothing is made', async () => {
  const script: ScriptedReply[] = [{ tool: 'look', id: 'c1' }, ['See', 'n.']];
  const types = async (middleware: readonly Middleware[]): Promise<string[]> => {
    const list: string[] = [];
    for await (const event of traced(script, { middleware }).streamEvents('Look.')) list.push(event.type);
    return list;
  };
  expect(await types([otelTracing()])).toEqual(await types([]));
  expect(spans()).toEqual([]);
});

test('an SDK that is registered after the agent was made is used; what is sampled out is not recorded and has no content made', async () => {
  const agent = traced(['One.', 'Two.'], { middleware: [otelTracing()] });
  await agent.call('go');
  expect(spans()).toEqual([]);
  trace.setGlobalTracerProvider(provider);
  globalMetrics.setGlobalMeterProvider(meterProvider);
  try {
    await agent.call('go');
    expect(tree()).toEqual(['invoke_agent Ada', '  chat scripted']);
    expect((await points('gen_ai.client.operation.duration')).length).toBe(2);
  } finally {
    trace.disable();
    globalMetrics.disable();
  }
  let looked = 0;
  const off = new BasicTracerProvider({ sampler: new AlwaysOffSampler(), spanProcessors: [new SimpleSpanProcessor(spanMemory)] });
  spanMemory.reset();
  await traced(['Three.'], { middleware: [otelTracing({ tracer: off.getTracer('off'), captureContent: (text) => (looked++, text) })] }).call('go');
  expect([spans(), looked]).toEqual([[], 0]);
});
