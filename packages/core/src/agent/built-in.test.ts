import { afterEach, expect, test } from 'vitest';
import { foldEvents } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import { budgetControl, budgetSpent, modelFallback, taskReminder, TodoTools } from '../middleware/index.ts';
import type { Middleware } from '../middleware/index.ts';
import { InMemorySession } from '../session/index.ts';
import { scriptedModel } from '../testing/index.ts';
import type { ScriptedReply } from '../testing/index.ts';
import { defineTool } from '../tool/index.ts';
import { ReActAgent } from './react-agent.ts';
import type { ReActAgentOptions } from './options.ts';

const look = defineTool({ name: 'look', description: 'looks', readOnly: true, execute: () => 'seen' });
const agent = (script: readonly ScriptedReply[], middleware: readonly Middleware[], options: Partial<ReActAgentOptions> = {}) => {
  const model = scriptedModel(...script);
  return { model, agent: new ReActAgent({ name: 'Ada', model, middleware, toolkit: [look], session: new InMemorySession(), ...options }) };
};
const eventsOf = async (events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> => {
  const list: AgentEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
};
const using = (inputTokens: number, outputTokens: number, ...said: readonly unknown[]): ScriptedReply => [...said, { usage: { inputTokens, outputTokens } }] as never;
const failing = (...said: readonly unknown[]): ScriptedReply => [...said, { error: new Error('scripted failure') }] as never;

test('a budget stops a reply that wants to go on, never an answer that is there; it warns once, and a fresh process knows what was spent', async () => {
  const store = new InMemorySession();
  const warnings: string[] = [];
  const budget = () => budgetControl({ tokens: 100, scope: 'session', onWarning: (message) => warnings.push(message) });
  const first = agent([using(60, 30, { tool: 'look' }), using(20, 10, 'Seen.')], [budget()], { session: store });
  expect((await first.agent.call('Look.')).generateReason).toBe('MODEL_STOP'); // 90, then 120: the answer is there
  expect(warnings).toEqual(['90 % of the budget of this session is used.']);
  const second = agent(['never'], [budget()], { session: store });
  const events = await eventsOf(second.agent.streamEvents('Again?'));
  const stopped = foldEvents(events);
  expect([stopped.generateReason, stopped.metadata['agentscope_stop'], second.model.requests.length]).toEqual(['MIDDLEWARE_STOP_REQUESTED', 'The budget of 100 tokens for this session is used up: 120.', 0]);
  const reply = agent([using(60, 50, { tool: 'look' }), 'never'], [budgetControl({ tokens: 100 })]);
  expect([(await reply.agent.call('Look.')).generateReason, reply.model.requests.length]).toEqual(['MIDDLEWARE_STOP_REQUESTED', 1]);
});

test('cost counts by prices, cached tokens by theirs; a model without a price is said once; what makes no sense is refused', async () => {
  const warnings: string[] = [];
  let cost = -1;
  const reader: Middleware = { onAgentEvent: (event, { state }) => void (event.type === 'AGENT_END' && (cost = state.get(budgetSpent()).cost)) };
  const { agent: subject } = agent([[{ tool: 'look' }, { usage: { inputTokens: 1_000_000, outputTokens: 100_000, cachedTokens: 500_000 } }] as never, using(10, 10, 'ok')], [budgetControl({ cost: 100, prices: { scripted: { input: 2, output: 10, cached: 1 } }, onWarning: (message) => warnings.push(message) }), reader]);
  await subject.call('go');
  expect([cost.toFixed(4), warnings]).toEqual(['2.5001', []]);
  const unknown = agent([using(1, 1, { tool: 'look' }), using(1, 1, 'ok')], [budgetControl({ cost: 1, prices: {}, unknownPrice: 'free', onWarning: (message) => warnings.push(message) })]);
  await unknown.agent.call('go');
  const strict = agent([using(1, 1, { tool: 'look' }), 'never'], [budgetControl({ cost: 1, prices: {} })]);
  expect((await strict.agent.call('go')).metadata['agentscope_stop']).toMatch(/No price is known for the model "scripted"/);
  expect(warnings).toEqual([expect.stringContaining('No price is known for the model "scripted"')]);
  const answer = agent([using(1, 1, 'There.')], [budgetControl({ cost: 1, prices: {} })]);
  expect((await answer.agent.call('go')).generateReason).toBe('MODEL_STOP');
  const price = { input: 1, output: NaN };
  for (const bad of [{}, { tokens: 0 }, { cost: 1 }, { cost: 1, prices: { m: price } }, { cost: 1, prices: {}, unknownPrice: 'ask' }, { tokens: 1, warnAt: 2 }, { tokens: 1, scope: 'user' }]) expect(() => budgetControl(bad as never)).toThrow(expect.objectContaining({ code: 'config/invalid' }));
});

test('two budgets of one scope count a call once', async () => {
  let spent: unknown;
  const reader: Middleware = { onAgentEvent: (event, { state }) => void (event.type === 'AGENT_END' && (spent = state.get(budgetSpent()))) };
  const prices = { scripted: { input: 1_000_000, output: 1_000_000 } };
  const { agent: subject } = agent([using(10, 5, { tool: 'look' }), using(10, 5, 'ok')], [budgetControl({ tokens: 31 }), budgetControl({ cost: 31, prices }), reader]);
  expect((await subject.call('go')).generateReason).toBe('MODEL_STOP');
  expect(spent).toMatchObject({ tokens: 30, cost: 30 });
});

test('F24 C009 a fallback takes over in the middle of an answer: what was said is taken back for viewers, fold and journal; an abort and a bad request ask nobody', async () => {
  const second = scriptedModel('From the second.');
  for (const options of [{ middleware: [modelFallback({ models: [second] })] }, { fallbackModel: second }]) {
    const third = scriptedModel('From the second.');
    const { agent: subject } = agent([failing('Half an ans')], [], 'fallbackModel' in options ? { fallbackModel: third } : { middleware: [modelFallback({ models: [third] })] });
    const events = await eventsOf(subject.streamEvents('go'));
    const stored = (await subject.session().messages()).at(-1);
    expect([foldEvents(events).getTextContent(), stored?.getTextContent()]).toEqual(['From the second.', 'From the second.']);
    expect(JSON.stringify(foldEvents(events))).toBe(JSON.stringify(stored));
    expect(events.find((event) => event.type === 'CUSTOM')).toMatchObject({ name: 'model_fallback', value: { from: 'scripted', error: 'model/failed' } });
    const ends = events.filter((event) => event.type === 'MODEL_CALL_END').map(({ metadata }) => metadata?.['discarded'] === true);
    expect(ends).toEqual([true, false]);
  }
  const none = agent([failing()], [modelFallback({ models: [scriptedModel('never')], when: () => false })]);
  await expect(none.agent.call('go')).rejects.toMatchObject({ code: 'model/failed' });
  const all = agent([failing()], [modelFallback({ models: [scriptedModel(failing()), scriptedModel(failing('x'))] })]);
  await expect(all.agent.call('go')).rejects.toMatchObject({ code: 'model/failed' });
  for (const bad of ['', 7, {}]) expect(() => agent([], [], { fallbackModel: bad as never })).toThrow(expect.objectContaining({ code: 'config/invalid', details: { option: 'fallbackModel' } }));
  expect(() => modelFallback({ models: [] })).toThrow(expect.objectContaining({ code: 'config/invalid' }));
});

test('tasks: todo_write keeps the list in the state of the session, a fork and a fresh process have it, and open ones are shown when a reply begins', async () => {
  const store = new InMemorySession();
  const todos = (status: string) => ({ tool: 'todo_write', input: { todos: [{ content: 'Cook', status }, { content: 'Eat', status: 'pending' }] } });
  const first = agent([todos('in_progress'), 'Begun.'], [taskReminder({ agentName: 'Ada' })], { session: store });
  await first.agent.call('Dinner, please.');
  expect((await first.agent.session().state()).tasksContext).toEqual({ tasks: [{ id: '1', subject: 'Cook', description: '', state: 'in_progress' }, { id: '2', subject: 'Eat', description: '', state: 'pending' }] });
  const fork = await first.agent.session().fork();
  expect((await fork.state()).tasksContext).toEqual((await first.agent.session().state()).tasksContext);
  const second = agent([todos('completed'), { tool: 'look' }, { tool: 'look' }, 'Done.'], [taskReminder({ agentName: 'Ada', every: 2 })], { session: store });
  const reply = await second.agent.call('Go on.');
  const hints = reply.content.filter((block) => block.type === 'hint').map(({ hint }) => hint);
  expect(hints).toEqual(['Open tasks:\n[~] Cook\n[ ] Eat', 'Open tasks:\n[ ] Eat']);
  expect(second.model.requests.map(({ messages }) => (JSON.stringify(messages).match(/Open tasks/g) ?? []).length)).toEqual([1, 1, 2, 2]); // each in the request of its own call
  const alone = await new TodoTools('x').todoWrite.run({ todos: [] });
  expect(alone).toBe('The list is empty.');
  expect(() => taskReminder({ agentName: 'Ada', every: 0 })).toThrow(expect.objectContaining({ code: 'config/invalid' }));
});

afterEach(() => ReActAgent.clearClassHooks());

test('hooks by name as in Python\'s v1: from the next run on, instance before class, again under a name takes its place; unknown points are refused', async () => {
  const log: string[] = [];
  const { agent: subject } = agent(['one', 'two', 'three'], []);
  ReActAgent.registerClassHook('pre_reply', 'class', () => void log.push('class'));
  subject.registerInstanceHook('pre_reply', 'mine', () => void log.push('old'));
  subject.registerInstanceHook('pre_reply', 'mine', (event) => { log.push('mine'); event.inputMessages = event.inputMessages.map((msg) => msg.with({ content: 'changed' })); });
  subject.registerInstanceHook('post_reply', 'after', (event) => { log.push(event.finalMessage.getTextContent()); return event; });
  await subject.call('go');
  expect([log, (await subject.session().messages())[0]?.getTextContent()]).toEqual([['mine', 'class', 'one'], 'changed']);
  expect(subject.describeMiddleware()).toEqual([expect.stringMatching(/^hooks \(order Infinity\): onAgent, onReasoning, onToolCall/)]);
  expect([subject.removeInstanceHook('pre_reply', 'mine'), subject.removeInstanceHook('pre_reply', 'mine')]).toEqual([true, false]);
  ReActAgent.removeClassHook('pre_reply', 'class');
  await subject.call('again');
  expect(log).toEqual(['mine', 'class', 'one', 'two']);
  subject.clearInstanceHooks();
  await subject.call('once more');
  expect([log.length, subject.describeMiddleware()]).toEqual([4, []]);
  for (const point of ['pre_observe', 'nonsense']) expect(() => subject.registerInstanceHook(point as never, 'x', () => undefined)).toThrow(expect.objectContaining({ code: 'config/invalid' }));
  expect(() => subject.registerInstanceHook('pre_reply', 'x', 'no function' as never)).toThrow(expect.objectContaining({ code: 'config/invalid' }));
});

test('what was spent is durable with the call that spent it, and two budgets on one agent count each for itself', async () => {
  const store = new InMemorySession();
  const { agent: subject } = agent([using(10, 5, { tool: 'look' }), using(10, 5, 'Seen.'), using(1, 1, 'More.')], [budgetControl({ tokens: 1_000 }), budgetControl({ tokens: 1_000, scope: 'session' })], { session: store });
  const appends: string[][] = [];
  const append = store.append.bind(store);
  store.append = async (key, entries, options) => {
    appends.push(entries.map((entry) => (entry.kind === 'event' ? entry.event.type : entry.kind === 'state' ? entry.name : entry.kind)));
    await append(key, entries, options);
  };
  await subject.call('Look.');
  for (const batch of appends.filter((each) => each.includes('MODEL_CALL_END'))) expect(batch.slice(batch.indexOf('MODEL_CALL_END') + 1, batch.indexOf('MODEL_CALL_END') + 3).sort()).toEqual(['agentscope.budget.reply', 'agentscope.budget.session']);
  let seen: readonly number[] = [];
  const reader: Middleware = { onAgentEvent: (event, { state }) => void (event.type === 'AGENT_END' && (seen = [state.get(budgetSpent()).tokens, state.get(budgetSpent('session')).tokens])) };
  const again = agent([using(1, 1, 'More.')], [budgetControl({ tokens: 1_000 }), budgetControl({ tokens: 1_000, scope: 'session' }), reader], { session: store });
  await again.agent.call('More?');
  expect(seen).toEqual([2, 32]);
});
