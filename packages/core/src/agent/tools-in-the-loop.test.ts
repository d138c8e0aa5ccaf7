import { expect, test } from 'vitest';
import { stateKey } from '../state/index.ts';
import { collect, scriptedModel } from '../testing/index.ts';
import { defineTool, Toolkit } from '../tool/index.ts';
import { ReActAgent } from './react-agent.ts';

const named = (name: string) => defineTool({ name, description: name, readOnly: true, execute: () => name });

test('C026 a tool of an inactive group is not shown, and calling it is an error result that names the group', async () => {
  const toolkit = new Toolkit([named('open')]).createToolGroup({ name: 'math', description: 'Sums.', active: false, tools: [named('sum')] });
  const model = scriptedModel({ tool: 'sum' }, 'ok');
  const reply = await new ReActAgent({ name: 'F', model, toolkit }).call('go');
  expect(model.requests[0]?.tools?.map((tool) => tool.name)).toEqual(['open']);
  expect(JSON.stringify(reply.getToolCalls()[0]?.result?.output)).toContain('math');
});

test('tools of a source are listed before the first model call', async () => {
  let asked = 0;
  const toolkit = new Toolkit({ sources: [{ listTools: async () => (asked++, [named('far')]) }] });
  const model = scriptedModel({ tool: 'far' }, 'ok', 'ok');
  const agent = new ReActAgent({ name: 'F', model, toolkit });
  expect((await agent.call('go')).getToolCalls()[0]?.result?.state).toBe('success');
  await agent.call('again');
  expect([asked, model.requests[0]?.tools?.map((tool) => tool.name)]).toEqual([1, ['far']]);
});

test('reading tools run together, the others one by one, and with parallel: false all do', async () => {
  for (const parallel of [true, false]) {
    let running = 0;
    const most = { reading: 0, writing: 0 };
    const tool = (name: 'reading' | 'writing') =>
      defineTool({
        name,
        description: name,
        readOnly: name === 'reading',
        execute: async () => {
          most[name] = Math.max(most[name], ++running);
          await new Promise((resolve) => setTimeout(resolve, 2));
          running--;
        },
      });
    const calls = (['reading', 'reading', 'reading', 'writing', 'writing'] as const).map((name) => ({ tool: name }));
    await new ReActAgent({ name: 'F', model: scriptedModel(calls, 'ok'), toolkit: new Toolkit({ tools: [tool('reading'), tool('writing')], parallel }) }).call('go');
    expect(most).toEqual({ reading: parallel ? 3 : 1, writing: 1 });
  }
});

test('I9 the record says what was decided, by whom, and what ran: a hash and a key where running twice would matter', async () => {
  const once = defineTool({ name: 'once', description: '', execute: () => 'done' });
  const free = defineTool({ name: 'free', description: '', readOnly: true, checkPermission: 'allow', execute: () => 'done' });
  const shut = defineTool({ name: 'shut', description: '', checkPermission: () => ({ behavior: 'deny', message: 'not today' }), execute: () => 'never' });
  const model = scriptedModel([{ tool: 'once', input: { n: 1 } }, { tool: 'free' }, { tool: 'shut' }], 'ok');
  const events = await collect(new ReActAgent({ name: 'F', model, toolkit: [once, free, shut] }).streamEvents('go'));
  const runs = Object.fromEntries(events.flatMap((event) => (event.type === 'TOOL_RESULT_START' ? [[event.toolCallName, event.metadata?.['run']]] : [])));
  expect(runs).toEqual({
    once: { decision: 'allow', by: 'no policy', effect: 'once', inputHash: expect.stringMatching(/^[0-9a-f]{64}$/), key: expect.stringMatching(/^[0-9a-f]{64}$/) },
    free: { decision: 'allow', by: 'tool', effect: 'read' },
    shut: { decision: 'deny', by: 'tool' },
  });
});

test('C121 what a tool sets is session state: kept with its result, seen by the next call, not by another session', async () => {
  const count = stateKey('count', 0);
  const seen: number[] = [];
  const counter = defineTool({
    name: 'counter',
    description: '',
    execute: (_input, { state }) => {
      seen.push(state.get(count));
      state.set(count, state.get(count) + 1);
    },
  });
  const call = { tool: 'counter' };
  const agent = new ReActAgent({ name: 'F', model: scriptedModel([call, call], 'ok', call, 'ok', call, 'ok'), toolkit: [counter] });
  await agent.call('go');
  await agent.call('again');
  await agent.call('elsewhere', { sessionId: 'other' });
  expect(seen).toEqual([0, 1, 2, 0]);
});

test('S0-053 a tool that asks for a stop: its result is kept, the reply pauses, and call() goes on', async () => {
  const stopper = defineTool({ name: 'stopper', description: '', execute: (_input, ctx) => (ctx.requestStop('enough for now'), 'half done') });
  const model = scriptedModel({ tool: 'stopper' }, 'Going on.');
  const agent = new ReActAgent({ name: 'F', model, toolkit: [stopper] });
  const events = await collect(agent.streamEvents('go'));
  const paused = (await agent.session().messages()).at(-1);
  expect(events.find((event) => event.type === 'REQUEST_STOP')).toMatchObject({ reason: 'enough for now', generateReason: 'ACTING_STOP_REQUESTED' });
  expect([paused?.generateReason, paused?.getToolCalls()[0]?.result?.state, model.requests.length]).toEqual(['ACTING_STOP_REQUESTED', 'success', 1]);
  const reply = await agent.call();
  expect([reply.id, reply.getTextContent(), reply.generateReason]).toEqual([paused?.id, 'Going on.', 'MODEL_STOP']);
});

test('a tool that calls its own session gets session/reentrant; another session is fine', async () => {
  const agent: ReActAgent = new ReActAgent({
    name: 'F',
    model: scriptedModel({ tool: 'self' }, 'after', { tool: 'other' }, 'inner', 'outer'),
    toolkit: [
      defineTool({ name: 'self', description: '', execute: async () => (await agent.call('again')).getTextContent() }),
      defineTool({ name: 'other', description: '', execute: async () => (await agent.call('hi', { sessionId: 'child' })).getTextContent() }),
    ],
  });
  const reply = await agent.call('go');
  expect(JSON.stringify(reply.getToolCalls()[0]?.result)).toContain('would wait for itself');
  const second = await agent.call('go');
  expect(second.getToolCalls()[0]?.result?.output).toMatchObject([{ text: 'inner' }]);
});

test('a CUSTOM event of a tool goes to viewers and not into the result', async () => {
  const tool = defineTool({
    name: 'deploy',
    description: '',
    execute: (_input, ctx) => {
      ctx.emit({ type: 'CUSTOM', name: 'deploy.done', value: { id: 7 } });
      ctx.emit('shown ');
      return 'done';
    },
  });
  const stream = new ReActAgent({ name: 'F', model: scriptedModel({ tool: 'deploy' }, 'ok'), toolkit: [tool] }).streamEvents('go');
  const events = await collect(stream);
  expect(events.find((event) => event.type === 'CUSTOM')).toMatchObject({ name: 'deploy.done', value: { id: 7 } });
  expect((await stream.result).getToolCalls()[0]?.result?.output).toMatchObject([{ type: 'text', text: 'shown done' }]);
});
