import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { AgentScopeError } from '../error/index.ts';
import { defineTool, toolResult, Toolkit } from './index.ts';
import type { AnyTool, ToolContext, ToolSource } from './index.ts';

const named = (name: string, answer: unknown = name): AnyTool => defineTool({ name, description: `does ${name}`, execute: () => answer });
const namesOf = (toolkit: Toolkit, activeGroups?: readonly string[]): readonly string[] => toolkit.getToolSchemas({ activeGroups }).map(({ name }) => name);
function codeOf(action: () => unknown): string {
  try {
    action();
    return 'no error';
  } catch (error) {
    return AgentScopeError.is(error) ? error.code : String(error);
  }
}

test('S4-004 three tools are three schemas, in order', () => {
  expect(new Toolkit([named('a'), named('b'), named('c')]).getToolSchemas()).toEqual(
    ['a', 'b', 'c'].map((name) => ({ name, description: `does ${name}`, inputSchema: { type: 'object', properties: {} } })),
  );
});

class Base {
  unit = '°C';
  static inherited = named('inherited_static');
  fromBase = defineTool({ name: 'from_base', description: '', execute: () => `base ${this.unit}` });
}
class WeatherService extends Base {
  static helper = named('static_tool');
  getWeather = defineTool({
    name: 'get_weather',
    description: 'Get weather for a specified city',
    input: z.object({ city: z.string().describe('City name') }),
    execute: this.lookUp,
  });
  asMethod = defineTool({ name: 'as_method', description: '', execute(this: unknown) { return (this as WeatherService).unit; } });
  lookUp({ city }: { city: string }): string {
    return `${city}: Sunny, 25${this.unit}`;
  }
  get explosive(): never {
    throw new Error('a getter was run');
  }
}

test('S4-033 a method of an object can be a tool, and sees the object as this', async () => {
  const toolkit = new Toolkit().registerTool(new WeatherService());
  expect(namesOf(toolkit).toSorted()).toEqual(['as_method', 'from_base', 'get_weather']);
  expect(await toolkit.callTool({ id: '1', name: 'get_weather', input: { city: 'Beijing' } })).toEqual({
    type: 'tool_result', id: '1', name: 'get_weather', output: [{ type: 'text', text: 'Beijing: Sunny, 25°C' }], state: 'success', metadata: {},
  });
  expect((await toolkit.callTool({ id: '2', name: 'as_method', input: {} })).output).toEqual([{ type: 'text', text: '°C' }]);
  expect((await toolkit.callTool({ id: '3', name: 'from_base', input: {} })).output).toEqual([{ type: 'text', text: 'base °C' }]);
});

test('S4-034 a class gives its static tools, inherited ones too', async () => {
  const toolkit = new Toolkit().registerTool(WeatherService);
  expect(namesOf(toolkit)).toEqual(['static_tool', 'inherited_static']);
  expect((await toolkit.callTool({ id: '1', name: 'inherited_static', input: {} })).state).toBe('success');
});

test('an object without tools, a name twice, an unknown group and what is no tool are config/invalid', () => {
  expect(codeOf(() => new Toolkit().registerTool({ notATool: 1 }))).toBe('config/invalid');
  expect(codeOf(() => new Toolkit([named('a'), named('a')]))).toBe('config/invalid');
  expect(codeOf(() => new Toolkit([named('a')]).registerTool(named('a')))).toBe('config/invalid');
  expect(codeOf(() => new Toolkit().registerTool(named('a'), { group: 'g' }))).toBe('config/invalid');
  expect(codeOf(() => new Toolkit([{} as AnyTool]))).toBe('config/invalid');
  expect(codeOf(() => new Toolkit({ groups: [{ name: 'g', description: '', tools: [] }, { name: 'g', description: '', tools: [] }] }))).toBe('config/invalid');
});

test('groups are chosen by the caller and never kept', () => {
  const toolkit = new Toolkit({
    tools: [named('free')],
    groups: [{ name: 'math', description: '', tools: [named('add')] }, { name: 'web', description: '', tools: [named('fetch')], active: false }],
  });
  toolkit.createToolGroup({ name: 'late', description: '' }).registerTool(named('later'), { group: 'late' });
  expect(namesOf(toolkit)).toEqual(['free', 'add', 'later']);
  expect(namesOf(toolkit, ['web'])).toEqual(['free', 'fetch']);
  expect(namesOf(toolkit, [])).toEqual(['free']);
  expect(namesOf(toolkit)).toEqual(['free', 'add', 'later']);
  expect(toolkit.groups.map(({ name }) => name)).toEqual(['math', 'web', 'late']);
});

test('C026 an unknown name, another case, no name and an inactive group each have their own words', () => {
  const toolkit = new Toolkit({ tools: [named('read')], groups: [{ name: 'web', description: '', tools: [named('fetch')], active: false }] });
  for (const name of ['no_such_tool', 'bad name!{}', 'Read', null as unknown as string, '__proto__', 'constructor']) {
    expect(toolkit.lookup(name).problem).toMatch(/There is no tool named .*Tools: read\.$/);
  }
  expect(toolkit.lookup('fetch').problem).toContain('group "web"');
  expect(toolkit.lookup('fetch', { activeGroups: ['web'] }).tool).toBe(toolkit.find('fetch'));
});

test('callTool gives a result for every call: streamed, failing, unknown, wrong arguments, external', async () => {
  const toolkit = new Toolkit([
    defineTool({ name: 'stream', description: '', async *execute() { yield 'a'; yield 'b'; return toolResult('c'); } }),
    defineTool({ name: 'fail', description: '', execute: () => { throw new Error('boom'); } }),
    defineTool({ name: 'read', description: '', input: z.object({ opts: z.object({ depth: z.int() }) }), execute: () => expect.unreachable() }),
    defineTool({ name: 'ext', description: '', external: true }),
  ]);
  const emit = vi.fn<ToolContext['emit']>();
  const call = async (name: string, input = {}): Promise<unknown> => {
    const { output, state, id } = await toolkit.callTool({ id: name, name, input }, { emit });
    return { output, state, id };
  };
  const error = (text: unknown, id: string): object => ({ id, state: 'error', output: [{ type: 'text', text }] });
  expect(await call('stream')).toEqual({ id: 'stream', state: 'success', output: [{ type: 'text', text: 'abc' }] });
  expect(emit).toHaveBeenCalledTimes(2);
  expect(await call('fail')).toEqual(error('[ERROR] boom', 'fail'));
  expect(await call('nope')).toEqual(error(expect.stringMatching(/^\[ERROR\] There is no tool named "nope"/), 'nope'));
  expect(await call('read', { opts: {} })).toEqual(error(expect.stringMatching(/^\[ERROR\] .*opts\.depth: /), 'read'));
  expect(await call('ext')).toEqual(error(expect.stringMatching(/^\[ERROR\] /), 'ext'));
});

test('C027 results of calls that end in another order pair by id', async () => {
  const toolkit = new Toolkit([defineTool({ name: 'wait', description: '', input: z.object({ ms: z.number() }), execute: ({ ms }) => new Promise((resolve) => setTimeout(() => resolve(ms), ms)) })]);
  const results = await Promise.all([30, 20, 10].map((ms) => toolkit.callTool({ id: `c${ms}`, name: 'wait', input: { ms } })));
  expect(results.map(({ id, output }) => [id, output])).toEqual([30, 20, 10].map((ms) => [`c${ms}`, [{ type: 'text', text: String(ms) }]]));
});

test('presets are gone from the schema and win over what is said', async () => {
  const tool = defineTool({ name: 'greet', description: '', input: z.object({ who: z.string(), tone: z.string() }), execute: ({ who, tone }) => `${tone} ${who}` });
  const toolkit = new Toolkit().registerTool(tool, { presets: { tone: 'dear' } });
  expect(toolkit.getToolSchemas()[0]?.inputSchema).toEqual({ type: 'object', properties: { who: { type: 'string' } }, required: ['who'] });
  expect((await toolkit.callTool({ id: '1', name: 'greet', input: { who: 'Ann', tone: 'hey' } })).output).toEqual([{ type: 'text', text: 'dear Ann' }]);
  expect(await toolkit.find('greet')?.run({ who: 'Bo' })).toBe('dear Bo');
  expect(codeOf(() => new Toolkit().registerTool(tool, { presets: { colour: 1 } }))).toBe('config/invalid');
});

test('the time limit of the toolkit is for tools without one of their own', () => {
  const own = defineTool({ name: 'own', description: '', timeoutMs: 5, execute: () => 1 });
  const toolkit = new Toolkit({ tools: [named('a'), own], timeoutMs: 7 });
  expect([toolkit.find('a')?.timeoutMs, toolkit.find('own')?.timeoutMs, toolkit.parallel]).toEqual([7, 5, true]);
});

test('sources are listed once, when needed; a failure is tried again', async () => {
  const listTools = vi.fn<ToolSource['listTools']>().mockRejectedValueOnce(new Error('down')).mockResolvedValue([named('remote')]);
  const toolkit = new Toolkit({ tools: [named('local')], sources: [{ listTools }] });
  expect(namesOf(toolkit)).toEqual(['local']);
  await expect(toolkit.load()).rejects.toThrow('down');
  await Promise.all([toolkit.load(), toolkit.load()]);
  expect(namesOf(toolkit)).toEqual(['local', 'remote']);
  expect((await toolkit.callTool({ id: '1', name: 'remote', input: {} })).state).toBe('success');
  expect(listTools).toHaveBeenCalledTimes(2);
});
