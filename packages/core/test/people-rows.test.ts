// What the ledger and the collected failures say about people in the loop.
import { expect, test } from 'vitest';
import { approve, deny, provide, ReActAgent } from '../src/agent/index.ts';
import type { ConfirmQuestion, ReActAgentOptions } from '../src/agent/index.ts';
import { foldEvents } from '../src/event/index.ts';
import type { AgentEvent } from '../src/event/index.ts';
import { parseMsg, ToolResultMessage, UserMessage } from '../src/message/index.ts';
import { InMemorySession } from '../src/session/index.ts';
import { toJava2 } from '../src/state/index.ts';
import { collect, scriptedModel } from '../src/testing/index.ts';
import type { ScriptedModel, ScriptedReply } from '../src/testing/index.ts';
import { defineTool } from '../src/tool/index.ts';

interface Desk {
  readonly agent: ReActAgent;
  readonly model: ScriptedModel;
  readonly ran: string[];
}
const pay = (amount: unknown, id: string) => ({ tool: 'pay', id, input: { amount } as never });
/** `look` runs, `pay` asks, `print` runs elsewhere; each run is on the list. */
function desk(script: readonly ScriptedReply[], options: Partial<ReActAgentOptions> = {}): Desk {
  const ran: string[] = [];
  const amount = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] } as const;
  const toolkit = [
    defineTool({ name: 'look', description: 'Looks.', readOnly: true, execute: () => (ran.push('look'), 'seen') }),
    defineTool({
      name: 'pay',
      description: 'Pays.',
      input: amount,
      checkPermission: (input) => ({ behavior: 'ask', message: 'Pay?', suggestedRules: [{ toolName: 'pay', ruleContent: `${input.amount}`, behavior: 'allow' }] }),
      execute: (input) => (ran.push(`pay ${input.amount}`), `paid ${input.amount}`),
    }),
    defineTool({ name: 'print', description: 'Prints.', external: true }),
  ];
  const model = scriptedModel(...script);
  return { agent: new ReActAgent({ name: 'Desk', model, toolkit, ...options }), model, ran };
}
const pending = async (agent: ReActAgent): Promise<readonly ConfirmQuestion[]> => agent.session().pending('confirm');
const typesOf = (events: readonly AgentEvent[]) => events.map(({ type }) => type);

test('S0-066 a batch of one asking and one free call: the event names the asking one, neither ran', async () => {
  const { agent, ran } = desk([[{ tool: 'look', id: 'l' }, pay(1, 'p')]]);
  const stream = agent.streamEvents('go');
  const asked = (await collect(stream)).filter((event) => event.type === 'REQUIRE_USER_CONFIRM');
  expect(asked.map(({ toolCalls }) => toolCalls.map(({ id }) => id))).toEqual([['p']]);
  expect([(await stream.result).generateReason, ran, (await pending(agent)).map(({ id }) => id)]).toEqual(['PERMISSION_ASKING', [], ['p']]);
});

test('S0-067 S4-018 an outside call: event, result running, TOOL_SUSPENDED, fulfilled; provided it goes on under its id', async () => {
  const { agent } = desk([{ tool: 'print', id: 'x' }, 'Printed.']);
  const stream = agent.streamEvents('go');
  expect(typesOf(await collect(stream))).toContain('REQUIRE_EXTERNAL_EXECUTION');
  const paused = await stream.result;
  expect([paused.generateReason, paused.getToolCalls()[0]?.result?.state]).toEqual(['TOOL_SUSPENDED', 'running']);
  const reply = await agent.session().provide('x', 'page 1');
  expect([reply.id, reply.generateReason, reply.getTextContent()]).toEqual([paused.id, 'MODEL_STOP', 'Printed.']);
});

test('S0-069 one outdated answer among two: an error, nothing ran, nothing was said; the valid one alone is a list of one', async () => {
  const { agent, ran } = desk([pay(1, 'a'), 'Done.']);
  await agent.call('go');
  const [question] = await pending(agent);
  if (!question) throw new Error('no question');
  const before = await collect(plain(agent));
  await expect(agent.call([approve(question), approve({ ...question, id: 'old', toolCall: { ...question.toolCall, id: 'old' } })])).rejects.toMatchObject({ code: 'agent/no-such-question' });
  expect([ran, await collect(plain(agent))]).toEqual([[], before]);
  const events = await collect(agent.streamEvents(approve(question)));
  expect(events.flatMap((event) => (event.type === 'USER_CONFIRM_RESULT' ? [event.confirmResults.length] : []))).toEqual([1]);
});

test('S0-070 provided once it is on the stream and the loop goes on; provided again it is already answered', async () => {
  const { agent } = desk([{ tool: 'print', id: 'x' }, 'Printed.']);
  const paused = await agent.call('go');
  const [question] = await agent.session().pending('external');
  if (!question) throw new Error('no question');
  const events = await collect(agent.streamEvents(provide(question, 'page 1')));
  expect(events.flatMap((event) => (event.type === 'EXTERNAL_EXECUTION_RESULT' ? [[event.replyId, event.toolResults.length]] : []))).toEqual([[paused.id, 1]]);
  await expect(agent.call(provide(question, 'page 2'))).rejects.toMatchObject({ details: { why: expect.stringMatching(/already-answered|unknown/) } });
  await expect(agent.session().provide('x', 'page 2')).rejects.toMatchObject({ details: { why: 'already-answered' } });
});

test('S0-071 S0-074 every call of the step refused: said with all of them, and the model is told and goes on', async () => {
  const { agent, model } = desk([[pay(1, 'a'), pay(2, 'b')], 'Then not.']);
  await agent.call('go');
  const stream = agent.streamEvents((await pending(agent)).map((question) => deny(question, 'no')));
  const events = await collect(stream);
  expect(events.flatMap((event) => (event.type === 'ALL_TOOLS_DENIED' ? [event.deniedToolCalls.map(({ id }) => id)] : []))).toEqual([['a', 'b']]);
  expect([(await stream.result).getTextContent(), (await stream.result).generateReason]).toEqual(['Then not.', 'MODEL_STOP']);
  expect(JSON.stringify(model.requests[1]?.messages)).toContain('Permission denied by user: no');
});

test('S0-071 one of two refused, or refused by a rule only: not said', async () => {
  const one = desk([[pay(1, 'a'), pay(2, 'b')], 'Done.']);
  await one.agent.call('go');
  await one.agent.session().confirm('a', { approve: false });
  await one.agent.session().confirm('b', { approve: true });
  const ruled = desk([pay(1, 'a'), 'Done.'], { permission: { deny: ['pay'] } });
  await ruled.agent.call('go');
  for (const { agent } of [one, ruled]) expect(typesOf(await collect(plain(agent)))).not.toContain('ALL_TOOLS_DENIED');
});

test('S0-071 stopOnReject ends the reply there, for good', async () => {
  const { agent, model } = desk([[pay(1, 'a')], 'A new one.'], { stopOnReject: true });
  await agent.call('go');
  const reply = await agent.session().confirm('a', { approve: false });
  expect([reply.generateReason, await agent.session().openReply(), model.requests.length]).toEqual(['ALL_TOOLS_DENIED', undefined, 1]);
  const next = await agent.call('and now?');
  expect([next.generateReason, next.getTextContent(), (await agent.session().messages()).map(({ role }) => role)]).toEqual(['MODEL_STOP', 'A new one.', ['USER', 'ASSISTANT', 'USER', 'ASSISTANT']]);
});

test('S0-063 ok, throw, abort, deny, outside: success, error, interrupted, denied, running', async () => {
  const tool = (name: string, execute: () => unknown) => defineTool({ name, description: name, execute });
  let agent: ReActAgent | undefined;
  const never = tool('never', () => (void agent?.interrupt(), new Promise(() => undefined)));
  const toolkit = [tool('ok', () => 'ok'), tool('throws', () => Promise.reject(new Error('no'))), never, defineTool({ name: 'denies', description: 'x', checkPermission: 'deny', execute: () => 'x' }), defineTool({ name: 'outside', description: 'x', external: true })];
  const states: unknown[] = [];
  for (const name of ['ok', 'throws', 'never', 'denies', 'outside']) {
    agent = new ReActAgent({ name: 'F', model: scriptedModel({ tool: name, id: 'c' }, 'done'), toolkit });
    const events = await collect(agent.streamEvents('go'));
    states.push(events.find((event) => event.type === 'TOOL_RESULT_END')?.state);
  }
  expect(states).toEqual(['success', 'error', 'interrupted', 'denied', 'running']);
});

test('S0-022 steered while a tool runs: a hint in the reply, the user speaks in the next request', async () => {
  const agent: ReActAgent = new ReActAgent({
    name: 'F',
    model: scriptedModel({ tool: 'work' }, ({ messages }) => JSON.stringify(messages).includes('only green') ? 'Green.' : 'Any.'),
    toolkit: [defineTool({ name: 'work', description: 'x', execute: async () => (await agent.session().steer('only green'), 'done') })],
  });
  const reply = await agent.call('go');
  expect(reply.content.flatMap((block) => (block.type === 'hint' ? [block.hint] : []))).toEqual(['only green']);
  expect(reply.getTextContent()).toBe('Green.');
});

test('S4-021 S4-026 an interrupt keeps what was said and aborts the tool; idle it stops nothing', async () => {
  const agent: ReActAgent = new ReActAgent({
    name: 'F',
    model: scriptedModel([{ text: 'I begin' }, { tool: 'sleep' }]),
    toolkit: [defineTool({ name: 'sleep', description: 'x', execute: (_in, { signal }) => new Promise((resolve) => (signal.addEventListener('abort', () => resolve('aborted')), void agent.interrupt())) })],
  });
  const reply = await agent.call('go');
  expect([reply.generateReason, reply.getTextContent(), reply.getToolCalls()[0]?.result?.state]).toEqual(['INTERRUPTED', 'I begin', 'interrupted']);
  expect(await agent.interrupt()).toEqual({ replyId: null });
});

test('S4-027 an interrupt with words: they stand as the user\'s behind the closed reply, and the next request holds them', async () => {
  const model = scriptedModel([{ text: 'I use A' }, { hang: true }], 'Using B.');
  const agent = new ReActAgent({ name: 'F', model });
  for await (const event of agent.streamEvents('go')) if (event.type === 'TEXT_BLOCK_DELTA') void agent.interrupt({ message: 'stop, use B' });
  expect((await agent.session().messages()).map((msg) => `${msg.role} ${msg.getTextContent()}`)).toEqual(['USER go', 'ASSISTANT I use A', 'USER stop, use B']);
  await agent.call();
  expect(model.requests[1]?.messages.at(-1)?.getTextContent()).toBe('stop, use B');
});

test('C059 approve some, deny some: what runs runs once, results in call order, one model call after', async () => {
  const { agent, model, ran } = desk([[{ tool: 'look', id: 'A' }, pay(1, 'B'), pay(2, 'C')], 'Done.']);
  await agent.call('go');
  const [b, c] = await pending(agent);
  if (!b || !c) throw new Error('two questions');
  const reply = await agent.call([deny(c), approve(b)]);
  expect(ran).toEqual(['look', 'pay 1']);
  expect(reply.getToolCalls().map(({ call, result }) => [call.id, result?.state])).toEqual([['A', 'success'], ['B', 'success'], ['C', 'denied']]);
  expect([reply.getTextContent(), model.requests.length]).toEqual(['Done.', 2]);
});

test('C061 another process with only the store and the configuration: the same question, one run, the message of a run in one process', async () => {
  const usage = { usage: { inputTokens: 3, outputTokens: 2 } };
  const script = [[pay(1, 'a'), usage], [{ text: 'Paid.' }, usage]] as const;
  const whole = desk(script);
  await whole.agent.call('go');
  const expected = await whole.agent.session().confirm('a', { approve: true });
  const store = new InMemorySession();
  const stream = desk(script.slice(0, 1), { session: another(store) }).agent.streamEvents('go');
  const asked = (await collect(stream)).find((event) => event.type === 'REQUIRE_USER_CONFIRM');
  const second = desk(script.slice(1), { session: another(store) });
  const [question] = await pending(second.agent);
  expect(question?.toolCall).toMatchObject({ id: 'a', name: 'pay', input: asked?.toolCalls[0]?.input });
  const reply = await second.agent.session().confirm('a', { approve: true });
  expect([reply.getTextContent(), reply.usage?.inputTokens, reply.usage?.outputTokens]).toEqual([expected.getTextContent(), expected.usage?.inputTokens, expected.usage?.outputTokens]);
  expect(second.ran).toEqual(['pay 1']);
});

test('C063 approvals nobody asked for: nothing runs, each with its reason, and the question stays; other arguments are an edit', async () => {
  const store = new InMemorySession();
  const { agent, ran } = desk([pay(100, 'a'), pay(1, 'b'), 'Done.'], { session: store });
  await agent.call('go');
  await agent.call('go', { sessionId: 'other' });
  const [question] = await pending(agent);
  const [foreign] = await agent.session({ sessionId: 'other' }).pending('confirm');
  if (!question || !foreign) throw new Error('two questions');
  const { toolCall } = question;
  for (const [answer, why] of [
    [approve({ ...question, toolCall: { ...toolCall, id: 'zz' } }), 'unknown'],
    [approve({ ...question, toolCall: { ...toolCall, name: 'look' } }), 'arguments-differ'],
    [approve(foreign), 'unknown'],
  ] as const) await expect(agent.call(answer)).rejects.toMatchObject({ code: 'agent/no-such-question', details: { why } });
  expect([ran, (await pending(agent)).map(({ id }) => id)]).toEqual([[], ['a']]);
  await agent.call(approve({ ...question, toolCall: { ...toolCall, input: { amount: 7 }, content: '{"amount":7}' } }));
  expect(ran).toEqual(['pay 7']);
  expect((await agent.session().messages()).at(-1)?.getToolCalls()[0]?.call.metadata).toMatchObject({ proposed: { amount: 100 } });
});

test('C065 edited arguments: used and on record, refused by the schema, forbidden by a rule', async () => {
  const edited = async (amount: unknown, options: Partial<ReActAgentOptions> = {}) => {
    const { agent, ran } = desk([pay(100, 'a'), 'Done.'], options);
    await agent.call('go');
    const reply = await agent.session().confirm('a', { approve: true, input: { amount } as never });
    const [call] = reply.getToolCalls();
    return [ran, call?.result?.state, call?.call.input, call?.call.metadata['proposed']];
  };
  expect(await edited(10)).toEqual([['pay 10'], 'success', { amount: 10 }, { amount: 100 }]);
  expect(await edited('ten')).toEqual([[], 'error', { amount: 'ten' }, { amount: 100 }]);
  expect(await edited(666, { permission: { deny: ['pay(666)'] } })).toEqual([[], 'denied', { amount: 666 }, { amount: 100 }]);
});

test('C067 several questions: each its own; an answer is for one, a remembered rule for those it really matches', async () => {
  const { agent, ran } = desk([[pay(1, 'a'), pay(2, 'b'), pay(1, 'c')], 'Done.']);
  await agent.call('go');
  expect((await pending(agent)).map(({ id, toolCall }) => [id, toolCall.input])).toEqual([['a', { amount: 1 }], ['b', { amount: 2 }], ['c', { amount: 1 }]]);
  const still = await agent.session().confirm('a', { approve: true, remember: 'session' });
  expect([still.generateReason, (await pending(agent)).map(({ id }) => id), ran]).toEqual(['PERMISSION_ASKING', ['b'], []]);
  const reply = await agent.session().confirm('b', { approve: false });
  expect([reply.generateReason, ran]).toEqual(['MODEL_STOP', ['pay 1', 'pay 1']]);
  const decisions = (await collect(plain(agent))).flatMap((event) => (event.type === 'TOOL_RESULT_START' ? [[event.toolCallId, (event.metadata?.['run'] as { by: string } | undefined)?.by]] : []));
  expect(decisions).toEqual([['b', 'user'], ['a', 'user'], ['c', 'rule session allow pay(1)']]);
});

test('C069 an answered question does not come back: not after a reload, not from the record, not with the next message', async () => {
  const store = new InMemorySession();
  const first = desk([pay(1, 'a'), 'Done.'], { session: another(store) });
  await first.agent.call('go');
  await first.agent.session().confirm('a', { approve: true });
  const { agent } = desk(['Hello.'], { session: another(store) });
  expect(await agent.session().pending()).toEqual([]);
  const events = await collect(plain(agent));
  expect(foldEvents(events).content.some((block) => block.type === 'tool_use' && block.state === 'asking')).toBe(false);
  expect(typesOf(events)).toContain('USER_CONFIRM_RESULT');
  expect((await agent.call('hi')).getTextContent()).toBe('Hello.');
  expect(await agent.session().pending()).toEqual([]);
});

test('C121 one agent object, many sessions: modes and rules are each session\'s own, also after a reload', async () => {
  const store = new InMemorySession();
  const make = () => desk([], { session: another(store) }).agent;
  const agent = make();
  const [one, two] = [agent.session({ sessionId: '1' }), agent.session({ sessionId: '2' })];
  await Promise.all([one.setPermissionMode('explore'), two.addPermissionRule({ toolName: 'pay', behavior: 'deny' })]);
  for (const each of [agent, make()]) {
    expect(await each.session({ sessionId: '1' }).permission()).toEqual({ mode: 'explore', rules: [] });
    expect(await each.session({ sessionId: '2' }).permission()).toMatchObject({ mode: 'default', rules: [{ id: 'session deny pay' }] });
    expect(await each.session({ sessionId: '3' }).permission()).toEqual({ mode: 'default', rules: [] });
  }
});

test('S0-068 answers as AgentScope Java sends them: confirm results in the metadata of a message, its words read as a hint', async () => {
  const { agent, ran } = desk([[pay(1, 'a'), pay(2, 'b')], 'Done.']);
  await agent.call('go');
  const [a, b] = (await pending(agent)).map(({ toolCall }) => toolCall);
  const message = parseMsg({
    id: 'm', name: null, role: 'USER', content: [{ type: 'text', text: 'The first only.' }], timestamp: '2026-03-14 09:00:00.250', usage: null,
    metadata: { agentscope_confirm_results: [{ confirmed: true, toolCall: { ...a, suggestedRules: undefined }, rules: [{ tool_name: 'pay', rule_content: '1', behavior: 'allow', source: 'session' }] }, { confirmed: false, toolCall: b, rules: null }] },
  } as never);
  const reply = await agent.call(message);
  expect([reply.getTextContent(), ran]).toEqual(['Done.', ['pay 1']]);
  expect(reply.content.flatMap((block) => (block.type === 'hint' ? [block.hint] : []))).toEqual(['The first only.']);
  expect((await agent.session().permission()).rules.map(({ id }) => id)).toEqual(['session allow pay(1)']);
  await expect(agent.call(message)).rejects.toMatchObject({ code: 'agent/no-such-question' });
});

test('S0-070 a ToolResultMessage is an outside result', async () => {
  const { agent } = desk([{ tool: 'print', id: 'x' }, 'Printed.']);
  await agent.call('go');
  const message = new ToolResultMessage([{ type: 'tool_result', id: 'x', name: 'print', output: [{ type: 'text', text: 'page 1' }] }]);
  const reply = await agent.call(message);
  expect([reply.getTextContent(), reply.getToolCalls()[0]?.result]).toMatchObject(['Printed.', { state: 'success', output: [{ text: 'page 1' }] }]);
  await expect(agent.call([message, new UserMessage('and?')])).rejects.toMatchObject({ code: 'message/invalid' });
});

test('a paused message in the form of AgentScope Java: asking calls, and the reply that asked', async () => {
  const { agent } = desk([pay(1, 'a')]);
  const paused = await agent.call('go');
  expect(toJava2(paused)).toMatchObject({
    role: 'ASSISTANT',
    metadata: { agentscope_generate_reason: 'PERMISSION_ASKING', agentscope_confirm_request_reply_id: paused.id },
    content: [{ type: 'tool_use', id: 'a', state: 'asking' }],
  });
  expect(toJava2(paused, { extensions: true })).toMatchObject({ content: [{ suggestedRules: [{ tool_name: 'pay', rule_content: '1', behavior: 'allow' }] }] });
});

/** The same data behind another object: what another process has of a store. */
function another(inner: InMemorySession): InMemorySession {
  return new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

async function* plain(agent: ReActAgent): AsyncGenerator<AgentEvent, void, undefined> {
  for await (const { event } of agent.session().events()) yield event;
}
