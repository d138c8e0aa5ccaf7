import { getEventListeners } from 'node:events';
import { expect, test, vi } from 'vitest';
import { stateKey } from '../state/index.ts';
import { defineTool, toolResult } from './index.ts';
import type { AnyTool, ToolContext, ToolOutput, ToolSink } from './index.ts';
import { createToolContext } from './tool-context.ts';

type Execute = (input: unknown, context: ToolContext) => unknown;
interface Run {
  readonly output: ToolOutput;
  readonly pieces: readonly Parameters<ToolSink>[0][];
}

async function run(execute: Execute, { timeoutMs = 1_000, ...given }: Partial<ToolContext> & { timeoutMs?: number } = {}): Promise<Run> {
  const pieces: Parameters<ToolSink>[0][] = [];
  const tool: AnyTool = defineTool({ name: 't', description: '', timeoutMs, execute });
  const output = await tool.execute({}, createToolContext(given), (piece) => pieces.push(piece));
  return { output, pieces };
}
const text = (value: string): { type: 'text'; text: string } => ({ type: 'text', text: value });
const success = (value: string): ToolOutput => ({ content: [text(value)], state: 'success', metadata: {} });
const textOf = ({ output }: Run): string => output.content.map((block) => (block.type === 'text' ? block.text : '')).join('');

test('S4-035 a value and a promise of it give the same result', async () => {
  const both = [await run(() => 'sunny'), await run(async () => 'sunny')];
  expect(both).toEqual([{ output: success('sunny'), pieces: [] }, { output: success('sunny'), pieces: [] }]);
});

test('S4-036 three chunks are three pieces, a plain return is none', async () => {
  async function* three(): AsyncGenerator<string> {
    yield 'a';
    yield 'b';
    yield 'c';
  }
  expect(await run(three)).toEqual({ pieces: [text('a'), text('b'), text('c')], output: { content: [], state: 'success', metadata: {} } });
  const emitted = await run((_input, ctx) => { ctx.emit('a'); ctx.emit('b'); ctx.emit('c'); });
  expect(emitted).toEqual({ pieces: [text('a'), text('b'), text('c')], output: { content: [], state: 'success', metadata: {} } });
  expect((await run(() => 'abc')).pieces).toEqual([]);
});

test('the value a generator returns closes its output', async () => {
  const picture = { type: 'data', source: { type: 'base64', data: 'AA==', mediaType: 'image/png' } } as const;
  const { output, pieces } = await run(async function* (_input, ctx) {
    yield 'log\n';
    ctx.emit({ type: 'CUSTOM', name: 'done', value: { id: 1 } });
    yield picture;
    return toolResult(['ok', picture], { metadata: { id: 1 } });
  });
  expect(pieces).toEqual([text('log\n'), { type: 'CUSTOM', name: 'done', value: { id: 1 } }, picture]);
  expect(output).toEqual({ content: [text('ok'), picture], state: 'success', metadata: { id: 1 } });
});

test('an async function may return a generator', async () => {
  async function* one(): AsyncGenerator<string> { yield 'a'; }
  expect((await run(async () => one())).pieces).toEqual([text('a')]);
});

test.each<[string, unknown, string]>([
  ['an object', { a: [1, null] }, '{"a":[1,null]}'],
  ['a list that looks like blocks', [{ type: 'text', text: 'x' }], '[{"type":"text","text":"x"}]'],
  ['an object that looks like a result', { content: [], state: 'success', metadata: {} }, '{"content":[],"state":"success","metadata":{}}'],
  ['a number', 3, '3'],
  ['null', null, 'null'],
  ['false', false, 'false'],
  ['empty text', '', ''],
  ['a date', new Date(0), '"1970-01-01T00:00:00.000Z"'],
  ['nothing', undefined, 'The tool returned nothing.'],
])('%s becomes text', async (_name, value, expected) => {
  expect((await run(() => value)).output).toEqual(success(expected));
});

const cycle: { self?: unknown } = {};
cycle.self = cycle;
test.each<[string, unknown]>([
  ['a bigint', { n: 1n }], ['a cycle', cycle], ['a function', () => 1], ['a symbol', Symbol('x')], ['NaN', Number.NaN], ['a Map', { m: new Map([[1, 2]]) }], ['a Set', new Set([1])],
])('%s is an error result that says it is not JSON-safe', async (_name, value) => {
  const { output } = await run(() => value);
  expect(output.state).toBe('error');
  expect(output.content).toEqual([{ type: 'text', text: expect.stringMatching(/^\[ERROR\] .*not JSON-safe/s) }]);
});

async function* failing(): AsyncGenerator<string> {
  if (Date.now() > 0) throw new Error('boom');
  yield 'never';
}
test('C078 a throw is an error result with its message and no stack', async () => {
  for (const fail of [() => { throw new Error('boom'); }, () => Promise.reject(new Error('boom')), failing]) {
    expect((await run(fail)).output).toEqual({ content: [text('[ERROR] boom')], state: 'error', metadata: {} });
  }
});

test('whatever is thrown, there is a result', async () => {
  const thrown = ['text', undefined, Object.create(null), { message: 'm' }, new Error(''), 1n, { toString() { throw new Error('x'); } }];
  for (const value of thrown) {
    const { output } = await run(() => { throw value; });
    expect(output).toMatchObject({ state: 'error', content: [{ text: expect.stringMatching(/^\[ERROR\] ./) }] });
  }
});

test('what came before a throw stays, and the error begins a line of its own', async () => {
  const result = await run(async function* () {
    yield 'half a line';
    throw new Error('boom');
  });
  expect(result.pieces).toEqual([text('half a line')]);
  expect(result.output.content).toEqual([text('\n[ERROR] boom')]);
});

test('toolResult may say that it failed', async () => {
  expect((await run(() => toolResult('no such file', { state: 'error' }))).output).toEqual({ content: [text('no such file')], state: 'error', metadata: {} });
});

test('C078 a time-out is an error naming the milliseconds, at once; the late answer is dropped', async () => {
  let late: (() => void) | undefined;
  let reason: unknown;
  const result = await run(
    (_input, ctx) => new Promise((_resolve, reject) => {
      ctx.signal.addEventListener('abort', () => { reason = ctx.signal.reason; });
      late = () => { ctx.emit('late'); ctx.requestStop('late'); reject(new Error('late')); };
    }),
    { timeoutMs: 20, requestStop: () => expect.unreachable() },
  );
  expect(result.output).toMatchObject({ state: 'error', content: [{ text: expect.stringMatching(/^\[ERROR\] .*20 ms/) }] });
  expect(reason).toMatchObject({ name: 'TimeoutError' });
  late?.();
  await new Promise((resolve) => setImmediate(resolve));
  expect(result.pieces).toEqual([]);
});

test('C078 three tools at once: a throw, a time-out and a success each have their result', async () => {
  const states = await Promise.all([
    run(() => Promise.reject(new Error('x'))),
    run(() => new Promise(() => undefined), { timeoutMs: 10 }),
    run(() => new Promise((resolve) => setTimeout(() => resolve('late but fine'), 30))),
  ]);
  expect(states.map(({ output }) => output.state)).toEqual(['error', 'error', 'success']);
});

test('C071 an abort reaches the tool and gives an interrupted result at once, keeping what came so far', async () => {
  const caller = new AbortController();
  let seen: AbortSignal | undefined;
  const running = run(async function* (_input, ctx) {
    seen = ctx.signal;
    ctx.signal.addEventListener('abort', () => ctx.emit(' last words'));
    yield 'first';
    await new Promise(() => undefined);
  }, { signal: caller.signal });
  setTimeout(() => caller.abort(new Error('enough')), 10);
  const result = await running;
  expect(seen?.reason).toMatchObject({ message: 'enough' });
  expect(result.pieces).toEqual([text('first'), text(' last words')]);
  expect(result.output).toMatchObject({ state: 'interrupted', content: [{ text: expect.stringContaining('interrupted') }] });
});

test('C071 a tool that rejects because of the abort is interrupted, not failed; an aborted call does not start', async () => {
  const caller = new AbortController();
  const running = run((_input, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))), { signal: caller.signal });
  caller.abort();
  expect((await running).output.state).toBe('interrupted');
  expect((await run(() => expect.unreachable(), { signal: AbortSignal.abort() })).output.state).toBe('interrupted');
});

test('a tool that aborts its own call while it starts is interrupted', async () => {
  const caller = new AbortController();
  const { output } = await run((_input, { signal }) => { caller.abort(); expect(signal.aborted).toBe(false); return new Promise(() => undefined); }, { signal: caller.signal });
  expect(output.state).toBe('interrupted');
});

test('C073 nothing stays on a signal that many tools share', async () => {
  const { signal } = new AbortController();
  for (let round = 0; round < 50; round++) {
    await run(async (_input, ctx) => ctx.signal.aborted, { signal });
    await run(() => Promise.reject(new Error('x')), { signal });
    await run(() => new Promise(() => undefined), { signal, timeoutMs: 1 });
  }
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('C073 a synchronous tool needs neither timer nor listener', async () => {
  const signal = new AbortController().signal;
  const spies = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(signal, 'addEventListener')];
  await run(() => 'x', { signal });
  spies.forEach((spy) => { expect(spy).not.toHaveBeenCalled(); spy.mockRestore(); });
});

test('a generator that is left runs its finally', async () => {
  let cleaned = false;
  const result = await run(async function* (_input, { signal }) {
    try {
      yield 'a';
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      yield 'late';
    } finally {
      cleaned = true;
    }
  }, { timeoutMs: 10 });
  await new Promise((resolve) => setImmediate(resolve));
  expect([cleaned, result.pieces]).toEqual([true, [text('a')]]);
});

test('C133 a generator that never stops and never waits is stopped by its time limit', async () => {
  const result = await run(async function* () { for (;;) yield 'line\n'; }, { timeoutMs: 30 });
  expect(result.output.state).toBe('error');
  expect(textOf(result)).toContain('30 ms');
});

test('an infinite time limit does not fire at once', async () => {
  expect((await run(() => new Promise((resolve) => setTimeout(() => resolve('x'), 10)), { timeoutMs: Number.POSITIVE_INFINITY })).output).toEqual(success('x'));
});

test('state and stop requests reach the agent while the tool runs', async () => {
  const key = stateKey('n', 0);
  const stops: unknown[] = [];
  const context = createToolContext({ requestStop: (...args) => stops.push(args) });
  await run(async (_input, ctx) => { ctx.state.set(key, ctx.state.get(key) + 2); ctx.requestStop('enough', 'TOOL_SUSPENDED'); }, { ...context });
  expect([context.state.get(key), stops]).toEqual([2, [['enough', 'TOOL_SUSPENDED']]]);
});
