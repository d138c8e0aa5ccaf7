// What a tool says goes on record: nothing that is no JSON may get there, and nothing may change there afterwards.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stateKey } from '../state/index.ts';
import { defineTool, toolResult } from './index.ts';
import type { ToolContext, ToolOutput, ToolSink } from './index.ts';
import { jsonCopy } from './json-copy.ts';
import { createToolContext } from './tool-context.ts';

interface Run {
  readonly output: ToolOutput;
  readonly pieces: readonly Parameters<ToolSink>[0][];
  readonly context: ToolContext;
}
async function run(execute: (context: ToolContext) => unknown): Promise<Run> {
  const pieces: Parameters<ToolSink>[0][] = [];
  const context = createToolContext();
  const output = await defineTool({ name: 't', description: '', execute: (_input, inner) => execute(inner) }).execute({}, context, (piece) => pieces.push(piece));
  return { output, pieces, context };
}

const cycle: { self?: unknown } = {};
cycle.self = cycle;
const deep = JSON.parse(`${'['.repeat(2_000)}${']'.repeat(2_000)}`) as unknown;
const UNSAFE: readonly (readonly [string, unknown])[] = [
  ['a bigint', 1n], ['a cycle', cycle], ['a function', () => 1], ['a symbol', Symbol('x')], ['NaN', Number.NaN], ['Infinity', Number.POSITIVE_INFINITY],
  ['a Map', new Map([[1, 2]])], ['a Set', new Set([1])], ['an Error', new Error('x')], ['a RegExp', /x/], ['a Promise', Promise.resolve(1)], ['bytes', new Uint8Array(3)],
  ['a buffer', new ArrayBuffer(3)], ['too many levels', deep], ['a getter that throws', { get x() { throw new Error('no'); } }],
];
const key = stateKey<unknown>('slot', 0);
const block = (metadata: unknown): never => ({ type: 'text', text: 'x', metadata: { v: metadata } }) as never;

const WAYS: readonly (readonly [string, (context: ToolContext, value: unknown) => unknown])[] = [
  ['returned', (_context, value) => ({ rows: [value] })],
  ['metadata of a result', (_context, value) => toolResult('x', { metadata: { rows: value as never } })],
  ['a block of a result', (_context, value) => toolResult(['fine', block(value)])],
  ['an emitted block', (context, value) => context.emit(block(value))],
  ['an emitted event', (context, value) => context.emit({ type: 'CUSTOM', name: 'acme.x', value: { v: value as never } })],
  ['a state', (context, value) => context.state.set(key, { v: value })],
  ['a yielded block', async function* (_context, value) { yield block(value); }],
  ['a yielded value', async function* (_context, value) { yield { v: value }; }],
  ['a yielded result', async function* (_context, value) { yield toolResult([block(value)]); }],
];
test.each(WAYS.flatMap(([way, use]) => UNSAFE.map(([what, value]) => [way, what, use, value] as const)))('%s with %s inside is an error result that says so, and nothing of it is kept', async (_way, _what, use, value) => {
  const { output, pieces, context } = await run((inner) => use(inner, value));
  expect(output).toEqual({ state: 'error', content: [{ type: 'text', text: expect.stringMatching(/^\[ERROR\] .*not JSON-safe: ./) }], metadata: {} });
  expect(pieces).toEqual([]);
  expect(context.state.get(key)).toBe(0);
});

test('the message names the place and the kind', async () => {
  const { output } = await run(() => toolResult('x', { metadata: { rows: [{ id: 10n }] as never } }));
  expect(output.content).toEqual([{ type: 'text', text: "[ERROR] The metadata of the tool's result is not JSON-safe: a bigint at `rows.0.id` has no JSON form" }]);
});

test.each<[string, (context: ToolContext) => unknown]>([
  ['undefined as state', ({ state }) => state.set(key, undefined)],
  ['a function as state', ({ state }) => state.set(key, () => 1)],
  ['a block without its source', () => toolResult([{ type: 'data' } as never])],
  ['a source of no known kind', () => toolResult([{ type: 'data', source: { type: 'file' } } as never])],
  ['text that is none', () => toolResult([{ type: 'text', text: 1 } as never])],
  ['an unknown block', () => toolResult([{ type: 'nonsense' } as never])],
  ['a block that is none', () => toolResult([3 as never])],
  ['no content', () => toolResult(undefined as never)],
  ['a result inside of it that holds no blocks', () => toolResult([{ type: 'tool_result', id: 'a', name: 'b', output: [{ type: 'image' }] } as never])],
  ['metadata that are no object', () => toolResult('x', { metadata: [1] as never })],
  ['a state of no known name', () => toolResult('x', { state: 'maybe' as never })],
  ['an emitted block without its source', ({ emit }) => emit({ type: 'data' } as never)],
  ['an event without a name', ({ emit }) => emit({ type: 'CUSTOM', value: { a: 1 } } as never)],
  ['a reason to stop that is no text', ({ requestStop }) => requestStop(1n as never)],
  ['a reason of no known name', ({ requestStop }) => requestStop('x', 'SOON' as never)],
])('%s is an error result', async (_name, execute) => {
  const { output, pieces } = await run(execute);
  expect([output.state, pieces]).toEqual(['error', []]);
});

test('emit and state.set throw inside the tool, which may go on', async () => {
  const { output, pieces } = await run(({ emit, state }) => {
    expect(() => state.set(key, 1n)).toThrow(TypeError);
    expect(() => emit({ type: 'CUSTOM', name: 'acme.x', value: { v: 1n as never } })).toThrow(TypeError);
    expect(() => emit({ type: 'data' } as never)).toThrow(TypeError);
    return 'fine';
  });
  expect([output.state, pieces]).toEqual(['success', []]);
});

test('what is emitted, returned or set is copied; what is got too', async () => {
  const list = stateKey('list', [] as number[]);
  const picture = { type: 'data', source: { type: 'url', url: 'https://example.com/a.png' }, metadata: { n: 1 } } as const;
  const event = { type: 'CUSTOM', name: 'acme.x', value: { n: 1 } } as const;
  const metadata = { n: 1 };
  const { output, pieces, context } = await run(async ({ emit, state }) => {
    const [mine, mineToo] = [structuredClone(picture) as { metadata: { n: number } }, structuredClone(event) as { value: { n: number } }];
    emit(mine as never);
    emit(mineToo as never);
    mine.metadata.n = mineToo.value.n = 2;
    const got = state.get(list);
    got.push(1);
    state.set(list, got);
    got.push(2);
    state.get(list).push(3);
    return toolResult('x', { metadata });
  });
  metadata.n = 2;
  expect(pieces).toEqual([picture, event]);
  expect(output.metadata).toEqual({ n: 1 });
  expect([context.state.get(list), list.initial]).toEqual([[1], []]);
});

test('an event holds its name and value only: whose it is, a tool does not say', async () => {
  const { pieces } = await run(({ emit }) => emit({ type: 'CUSTOM', name: 'acme.x', value: {}, replyId: 'another', id: 'mine' } as never));
  expect(pieces).toEqual([{ type: 'CUSTOM', name: 'acme.x', value: {} }]);
});

test('run, for unit tests, is as strict', async () => {
  const bad = (execute: (context: ToolContext) => unknown): Promise<unknown> => defineTool({ name: 't', description: '', execute: (_input, inner) => execute(inner) }).run({});
  await expect(bad(({ state }) => state.set(key, 1n))).rejects.toThrow(TypeError);
  await expect(bad(({ emit }) => emit({ type: 'data' } as never))).rejects.toThrow(TypeError);
});

test.each([
  ['a message that is no text', { behavior: 'ask', message: 1n }],
  ['rules that are not JSON-safe', { behavior: 'ask', suggestedRules: [{ toolName: 't', behavior: 'allow', ruleContent: 1n }] }],
  ['rules that are none', { behavior: 'ask', suggestedRules: 'all' }],
])('a permission check with %s denies', async (_name, answer) => {
  const tool = defineTool({ name: 't', description: '', execute: () => 1, checkPermission: () => answer as never });
  expect(await tool.checkPermission({}, createToolContext())).toEqual({ behavior: 'deny', message: expect.stringContaining('"t" failed') });
});

test('a copy is what JSON gives back, and none is given where JSON fails', () => {
  fc.assert(
    fc.property(fc.anything({ withDate: true, withBigInt: true, withMap: true, withSet: true, withSparseArray: true, withTypedArray: true, withNullPrototype: true, withBoxedValues: true }), (value) => {
      let copy: unknown;
      try {
        copy = jsonCopy(value, 'It');
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError);
        return;
      }
      expect(copy).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('a member named __proto__ is a member', () => {
  const value = JSON.parse('{"__proto__":{"a":1}}') as unknown;
  expect(JSON.stringify(jsonCopy(value, 'It'))).toBe('{"__proto__":{"a":1}}');
});

test.each([
  ['metadata that are not JSON-safe', () => toolResult('x', { metadata: { n: 1n as never } })],
  ['an output that is not JSON-safe', () => ({ status: 'done', output: { n: 1n } })],
  ['a status of no known name', () => ({ status: 'perhaps' })],
  ['true', () => true],
])('reconcile with %s rejects: nothing is known then', async (_name, reconcile) => {
  const tool = defineTool({ name: 't', description: '', execute: () => 1, reconcile: reconcile as never });
  await expect(tool.reconcile?.({}, createToolContext())).rejects.toThrow(TypeError);
});
