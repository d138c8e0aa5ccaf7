import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { contextKey, createRuntimeContext, stateKey } from '../state/index.ts';
import { defineTool, isToolCall, toolResult } from './index.ts';
import type { AnyTool, ToolContext } from './index.ts';
import { createToolContext } from './tool-context.ts';

const city = z.object({ city: z.string().describe('English name of the city'), days: z.int().default(1) });

test('S4-037 the schema a model gets has the field names and descriptions; {} is an error naming the field', async () => {
  const tool = defineTool({ name: 'get_weather', description: 'Weather.', input: city, execute: ({ city: name }) => name });
  expect(tool.inputSchema).toEqual({
    type: 'object',
    properties: { city: { type: 'string', description: 'English name of the city' }, days: expect.objectContaining({ type: 'integer', default: 1 }) },
    required: ['city'],
  });
  const parsed = await tool.parseInput({});
  expect(parsed).toEqual({ ok: false, message: expect.stringMatching(/"get_weather".*city: /) });
});

test('has the defaults of the documentation', () => {
  const tool = defineTool({ name: 'now', description: '', execute: () => 'x' });
  expect(tool).toMatchObject({
    effect: 'once', readOnly: false, concurrencySafe: false, external: false, strict: false, timeoutMs: 120_000, inputSchema: { type: 'object', properties: {} },
  });
  expect(tool.reconcile).toBeUndefined();
  expect(defineTool({ name: 'r', description: '', readOnly: true, execute: () => 1 })).toMatchObject({ effect: 'read', readOnly: true, concurrencySafe: true });
  expect(defineTool({ name: 'r', description: '', effect: 'read', execute: () => 1 })).toMatchObject({ effect: 'read', readOnly: true });
  expect(defineTool({ name: 'r', description: '', effect: 'keyed', readOnly: false, execute: () => 1 })).toMatchObject({ effect: 'keyed', readOnly: false });
});

test('C018 no arguments, null and missing ones are {}', async () => {
  const tool = defineTool({ name: 'now', description: '', execute: () => 'x' });
  for (const input of [{}, null, undefined]) expect(await tool.parseInput(input as unknown as {})).toEqual({ ok: true, input: {} });
});

test.each<[string, object]>([
  ['a bad name', { name: 'bad name!{}' }],
  ['an empty name', { name: '' }],
  ['a long name', { name: 'x'.repeat(65) }],
  ['a name that is no text', { name: null }],
  ['no description', { description: undefined }],
  ['no execute', { execute: undefined }],
  ['external with execute', { external: true }],
  ['readOnly with effect once', { readOnly: true, effect: 'once' }],
  ['readOnly with effect keyed', { readOnly: true, effect: 'keyed' }],
  ['readOnly false with effect read', { readOnly: false, effect: 'read' }],
  ['an unknown effect', { effect: 'never' }],
  ['a time limit of zero', { timeoutMs: 0 }],
  ['a time limit that is no number', { timeoutMs: Number.NaN }],
  ['an unknown permission', { checkPermission: 'perhaps' }],
  ['a schema that is no object', { input: { type: 'string' } }],
  ['a schema without a JSON form', { input: z.object({ d: z.date() }) }],
])('refuses %s with config/invalid', (_name, change) => {
  const spec = { name: 'ok', description: '', execute: () => 1, ...change } as unknown as Parameters<typeof defineTool>[0];
  expect(() => defineTool(spec)).toThrow(expect.objectContaining({ code: 'config/invalid', details: { option: expect.any(String) as string } }));
});

test('run validates, applies defaults and gives back what execute returned', async () => {
  const tool = defineTool({ name: 'w', description: '', input: city, execute: async (input, ctx) => ({ ...input, key: ctx.idempotencyKey }) });
  expect(await tool.run({ city: 'Bonn' }, { idempotencyKey: 'k' })).toEqual({ city: 'Bonn', days: 1, key: 'k' });
  await expect(tool.run({} as { city: string })).rejects.toMatchObject({ code: 'config/invalid', message: expect.stringContaining('city') });
});

test('run rejects with what execute threw, and for an external tool', async () => {
  const boom = new Error('boom');
  const tool = defineTool({ name: 'w', description: '', execute: () => { throw boom; } });
  await expect(tool.run({})).rejects.toBe(boom);
  await expect(defineTool({ name: 'e', description: '', external: true }).run({})).rejects.toMatchObject({ code: 'config/invalid' });
});

test('run of a generator gives all it said as one output', async () => {
  const emit = vi.fn<ToolContext['emit']>();
  const tool = defineTool({
    name: 'g', description: '',
    async *execute(_input, ctx) {
      ctx.emit('a');
      yield 'b';
      ctx.emit({ type: 'CUSTOM', name: 'x', value: {} });
      return toolResult('c', { metadata: { n: 1 } });
    },
  });
  expect(await tool.run({}, { emit })).toEqual({ content: [{ type: 'text', text: 'abc' }], state: 'success', metadata: { n: 1 } });
  expect(emit.mock.calls.map(([chunk]) => chunk)).toEqual(['a', { type: 'CUSTOM', name: 'x', value: {} }]);
});

test('the default context works without an agent', async () => {
  const counter = stateKey('counter', 0);
  const tenant = contextKey<string>('tenant');
  const context = createToolContext();
  context.state.set(counter, context.state.get(counter) + 1);
  expect(context.state.get(counter)).toBe(1);
  expect(context.signal.aborted).toBe(false);
  expect(() => context.context.get(tenant)).toThrow('tenant');
  expect(createToolContext({ context: createRuntimeContext([tenant.of('acme')]) }).context.get(tenant)).toBe('acme');
});

test('a permission check is a constant or a function, and passes through by default', async () => {
  const decide = (checkPermission?: unknown): Promise<unknown> =>
    (defineTool({ name: 't', description: '', execute: () => 1, ...(checkPermission === undefined ? {} : { checkPermission }) } as never) as AnyTool).checkPermission({ n: 1 }, createToolContext());
  expect(await decide()).toEqual({ behavior: 'passthrough' });
  expect(await decide('ask')).toEqual({ behavior: 'ask' });
  expect(await decide(async ({ n }: { n: number }) => (n > 0 ? { behavior: 'ask', message: 'big' } : 'allow'))).toEqual({ behavior: 'ask', message: 'big' });
});

test.each<[string, () => unknown]>([
  ['throws', () => { throw new Error('no table'); }],
  ['rejects', () => Promise.reject(new Error('no table'))],
  ['answers nothing', () => undefined],
  ['answers true', () => true],
  ['answers an unknown word', () => ({ behavior: 'maybe' })],
])('a permission check that %s denies, with the reason', async (_name, checkPermission) => {
  const tool = defineTool({ name: 't', description: '', execute: () => 1, checkPermission: checkPermission as never });
  expect(await tool.checkPermission({}, createToolContext())).toEqual({ behavior: 'deny', message: expect.stringMatching(/"t".*(no table|no decision)/) });
});

test('isToolCall goes by the name', () => {
  const call = { type: 'tool_use', id: '1', name: 'a', input: {}, content: null, state: 'pending', metadata: {} } as const;
  expect([isToolCall(call, 'a'), isToolCall(call, 'b')]).toEqual([true, false]);
});

test('C023 arguments that are no object do not fit, and nothing runs', async () => {
  const tools = [defineTool({ name: 'q', description: '', input: z.object({ q: z.string().optional() }), execute: () => 1 }), defineTool({ name: 'q', description: '', input: { type: 'object' }, execute: () => 1 })];
  for (const tool of tools) for (const input of [12, '12', true, ['a']]) expect(await tool.parseInput(input as unknown as {})).toMatchObject({ ok: false });
});
