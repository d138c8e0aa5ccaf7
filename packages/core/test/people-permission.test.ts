// The option `permission`, remembered answers, and the limits of a reply, in the loop.
import { expect, test } from 'vitest';
import { approve, deny, ReActAgent } from '../src/agent/index.ts';
import type { ConfirmQuestion, ReActAgentOptions } from '../src/agent/index.ts';
import type { AgentEvent } from '../src/event/index.ts';
import { agentAsTool } from '../src/multi-agent/index.ts';
import { parseAgentState, toJava2 } from '../src/state/index.ts';
import { InMemorySession } from '../src/session/index.ts';
import { collect, scriptedModel } from '../src/testing/index.ts';
import type { ScriptedReply } from '../src/testing/index.ts';
import { defineTool } from '../src/tool/index.ts';

const text = { type: 'object', properties: { text: { type: 'string' }, path: { type: 'string' } } } as const;
const use = (tool: string, input: Record<string, string> = {}, id = tool) => ({ tool, input, id });

function clerk(script: readonly ScriptedReply[], options: Partial<ReActAgentOptions> = {}) {
  const ran: string[] = [];
  const run = (name: string) => (input: { text?: string; path?: string }) => (ran.push(`${name} ${input.text ?? input.path ?? ''}`.trim()), 'done');
  const toolkit = [
    defineTool({ name: 'look', description: 'x', input: text, readOnly: true, execute: run('look') }),
    defineTool({ name: 'send', description: 'x', input: text, execute: run('send') }),
    defineTool({ name: 'write_file', description: 'x', input: text, execute: run('write') }),
    defineTool({ name: 'careful', description: 'x', input: text, checkPermission: 'ask', execute: run('careful') }),
    defineTool({ name: 'outside', description: 'x', external: true }),
  ];
  return { agent: new ReActAgent({ name: 'Clerk', model: scriptedModel(...script), toolkit, ...options }), ran };
}
const questions = async (agent: ReActAgent): Promise<readonly ConfirmQuestion[]> => agent.session().pending('confirm');
async function decisions(agent: ReActAgent): Promise<readonly string[]> {
  const list: string[] = [];
  for await (const { event } of agent.session().events()) {
    const run = event.type === 'TOOL_RESULT_START' ? (event.metadata?.['run'] as { decision: string; by: string } | undefined) : undefined;
    if (run) list.push(`${run.decision} ${run.by}`);
  }
  return list;
}

test('I9 no option: a tool\'s own ask counts, everything else runs and the record says that nobody set a policy', async () => {
  const { agent, ran } = clerk([[use('send'), use('look'), use('write_file', { path: '.git/config' })], use('careful'), 'Done.']);
  expect((await agent.call('go')).generateReason).toBe('PERMISSION_ASKING');
  expect([ran, await decisions(agent)]).toEqual([['send', 'look', 'write .git/config'], ['allow no policy', 'allow no policy', 'allow no policy']]);
});

test('an empty option: reading runs, everything else asks; outside work asks before it is handed out', async () => {
  const { agent, ran } = clerk([use('look'), [use('send', { text: 'a' }), use('outside')], 'Done.'], { permission: {} });
  await agent.call('go');
  expect([ran, (await questions(agent)).map(({ id, suggestedRules }) => [id, suggestedRules])]).toEqual([['look'], [['send', [{ toolName: 'send', ruleContent: 'a', behavior: 'allow' }]], ['outside', [{ toolName: 'outside', behavior: 'allow' }]]]]);
  const reply = await agent.call((await questions(agent)).map((question) => approve(question)));
  expect([reply.generateReason, ran, await decisions(agent)]).toEqual(['TOOL_SUSPENDED', ['look', 'send a'], ['allow read-only', 'user-allow user']]);
});

test('modes and rules of the options, in the loop', async () => {
  const states = async (permission: ReActAgentOptions['permission']) => {
    const { agent } = clerk([[use('look'), use('send', { text: 'x' }), use('write_file', { path: 'a' })], 'Done.'], { permission });
    const reply = await agent.call('go');
    return reply.getToolCalls().map(({ result }) => result?.state ?? 'open').join(' ');
  };
  expect(await states({ mode: 'bypass' })).toBe('success success success');
  expect(await states({ mode: 'explore' })).toBe('success denied denied');
  expect(await states({ mode: 'dont_ask', allow: ['send(x)'] })).toBe('success success denied');
  expect(await states({ mode: 'accept_edits', deny: ['send'] })).toBe('success denied success');
  expect(await states({ mode: 'bypass', ask: ['send(x*)'] })).toBe('open open open');
});

test('setPermissionMode holds for one session, survives a restart, and is in the saved state', async () => {
  const store = new InMemorySession();
  const { agent } = clerk([use('send'), 'Done.'], { session: store });
  await agent.session().setPermissionMode('explore');
  expect((await agent.call('go')).getToolCalls()[0]?.result?.state).toBe('denied');
  expect((await agent.session().state()).permissionContext['mode']).toBe('explore');
  const elsewhere = new InMemorySession();
  await agent.session().addPermissionRule({ toolName: 'send', ruleContent: 'a*', behavior: 'deny', expiresAt: '2999-01-01T00:00:00Z' });
  await agent.saveTo(elsewhere, 'saved');
  const saved = parseAgentState(await elsewhere.get({ sessionId: 'saved' }, 'agent'));
  expect(toJava2(saved)).toMatchObject({ permission_context: { mode: 'explore', working_directories: {}, deny_rules: { send: [{ tool_name: 'send', rule_content: 'a*', behavior: 'deny', source: 'session' }] } } });
  const fresh = clerk([]).agent;
  await fresh.loadFrom(elsewhere, 'saved');
  expect(await fresh.session().permission()).toMatchObject({ mode: 'explore', rules: [{ id: 'session deny send(a*)', expiresAt: '2999-01-01T00:00:00Z' }] });
  await expect(agent.session().setPermissionMode('yolo' as never)).rejects.toMatchObject({ code: 'config/invalid', details: { option: 'mode' } });
});

test('rules of a session are those of the agent\'s name', async () => {
  const store = new InMemorySession();
  const key = { sessionId: 's' };
  await clerk([], { session: store, name: 'A' }).agent.session(key).setPermissionMode('explore');
  expect((await clerk([], { session: store, name: 'B' }).agent.session(key).permission()).mode).toBe('default');
});

test('remembered for the call, the session, the user', async () => {
  const store = new InMemorySession();
  const asked = async (remember: 'call' | 'session' | 'user', userId: string) => {
    const { agent } = clerk([use('careful'), use('careful', {}, 'again'), 'Done.', use('careful', {}, 'there'), 'Done.', use('careful', {}, 'theirs'), 'Done.'], { session: store, defaultSessionId: `${remember}-${userId}` });
    const ends: unknown[] = [];
    const mine = agent.session({ userId, sessionId: remember });
    await mine.call('go');
    ends.push((await mine.confirm('careful', { approve: true, remember })).generateReason);
    if ((await mine.pending()).length > 0) await mine.confirm('again', { approve: true });
    ends.push((await agent.session({ userId, sessionId: `${remember} two` }).call('go')).generateReason);
    await agent.session({ userId, sessionId: `${remember} two` }).pending('confirm').then(([q]) => q && agent.session({ userId, sessionId: `${remember} two` }).confirm(q.id, { approve: true }));
    ends.push((await agent.session({ userId: `not ${userId}`, sessionId: remember }).call('go')).generateReason);
    return ends;
  };
  expect(await asked('call', 'ann')).toEqual(['PERMISSION_ASKING', 'PERMISSION_ASKING', 'PERMISSION_ASKING']);
  expect(await asked('session', 'bob')).toEqual(['MODEL_STOP', 'PERMISSION_ASKING', 'PERMISSION_ASKING']);
  expect(await asked('user', 'cid')).toEqual(['MODEL_STOP', 'MODEL_STOP', 'PERMISSION_ASKING']);
});

test('a rule of the user settles the open question of another session when that goes on', async () => {
  const { agent, ran } = clerk([use('careful', {}, 'a'), use('careful', {}, 'b'), 'First.', 'Second.']);
  const [one, two] = [agent.session({ userId: 'ann', sessionId: '1' }), agent.session({ userId: 'ann', sessionId: '2' })];
  await one.call('go');
  await two.call('go');
  await one.confirm('a', { approve: true, remember: 'user' });
  expect((await two.call()).getTextContent()).toBe('Second.');
  expect(ran).toEqual(['careful', 'careful']);
});

test('listed with its source, and revoked: the next call asks again', async () => {
  const { agent } = clerk([use('careful'), 'Done.', use('careful', {}, 'two'), 'Done.', use('careful', {}, 'three'), 'Done.'], { permission: { allow: ['look'] } });
  await agent.call('go');
  await agent.session().confirm('careful', { approve: true, remember: 'session' });
  const { rules } = await agent.session().permission();
  expect(rules.map(({ id, source }) => [id, source])).toEqual([['allow look', 'agent'], ['session allow careful', 'session']]);
  expect((await agent.call('go')).generateReason).toBe('MODEL_STOP');
  expect([await agent.session().revokePermissionRule('session allow careful'), await agent.session().revokePermissionRule('session allow careful'), await agent.session().revokePermissionRule('allow look')]).toEqual([true, false, false]);
  expect((await agent.call('go')).generateReason).toBe('PERMISSION_ASKING');
  const rule = await agent.session().addPermissionRule({ toolName: 'look', behavior: 'deny', scope: 'user' });
  expect([rule.id, await agent.session().revokePermissionRule(rule.id)]).toEqual(['user deny look', true]);
});

test('a remembered answer runs out when it says so', async () => {
  let now = Date.parse('2026-03-14T09:00:00Z');
  const { agent } = clerk([use('careful', {}, 'a'), 'Done.', use('careful', {}, 'b'), 'Done.', use('careful', {}, 'c'), 'Done.'], { clock: () => now });
  await agent.call('go');
  await agent.session().confirm('a', { approve: true, rules: [{ toolName: 'careful', behavior: 'allow', expiresAt: '2026-03-14T10:00:00Z' }] });
  expect((await agent.call('go')).generateReason).toBe('MODEL_STOP');
  now += 3_600_000;
  expect((await agent.call('go')).generateReason).toBe('PERMISSION_ASKING');
});

test('rules that come with an answer: only what the question suggested, unless the caller is trusted', async () => {
  const wide = [{ toolName: '*', behavior: 'allow' as const }];
  const kept = async (answer: (question: ConfirmQuestion, agent: ReActAgent) => Promise<unknown>) => {
    const { agent } = clerk([use('send', { text: 'a' }), 'Done.'], { permission: {} });
    await agent.call('go');
    const [question] = await questions(agent);
    if (question) await answer(question, agent);
    const recorded: unknown[] = [];
    for await (const { event } of agent.session().events()) if (event.type === 'USER_CONFIRM_RESULT') recorded.push(...event.confirmResults.map(({ rules }) => rules?.length ?? 0));
    return [(await agent.session().permission()).rules.map(({ id }) => id), recorded];
  };
  expect(await kept((q, agent) => agent.call(approve(q, { rules: wide })))).toEqual([[], [0]]);
  expect(await kept((q, agent) => agent.call(approve(q, { rules: [...wide, { toolName: 'send', ruleContent: 'a', behavior: 'allow' }] })))).toEqual([['session allow send(a)'], [1]]);
  expect(await kept((q, agent) => agent.call({ ...approve(q), confirmResults: [{ ...approve(q).confirmResults[0], rules: [{ toolName: 'send', behavior: 'deny' }, null, 7, { toolName: 'send', ruleContent: 'a', behavior: 'allow', expiresAt: 5 }] } as never] }))).toEqual([[], [0]]);
  expect(await kept((q, agent) => agent.call(approve(q, { rules: wide }), { trustAnswers: true }))).toEqual([['session allow *'], [1]]);
  expect(await kept((q, agent) => agent.session().confirm(q.id, { approve: true, rules: wide }))).toEqual([['session allow *'], [1]]);
  expect(await kept((q, agent) => agent.session().confirm(q.id, { approve: false, rules: [{ toolName: 'send', behavior: 'deny' }] }))).toEqual([['session deny send'], [1]]);
  expect(await kept((q, agent) => agent.call({ ...deny(q), confirmResults: [{ confirmed: false, toolCall: q.toolCall, rules: [{ toolName: 'send', ruleContent: 'a', behavior: 'allow' }] }] }))).toEqual([[], [0]]);
});

test('remembered with other arguments: a rule for those, never for what was proposed', async () => {
  for (const trustAnswers of [true, false]) {
    const { agent, ran } = clerk([use('send', { text: 'all' }, 'a'), 'Done.', use('send', { text: 'one' }, 'b'), 'Done.', use('send', { text: 'all' }, 'c')], { permission: {} });
    await agent.call('go');
    const [question] = await questions(agent);
    if (question) await agent.call(approve(question, { input: { text: 'one' }, remember: 'session' }), { trustAnswers });
    expect((await agent.session().permission()).rules.map(({ id }) => id)).toEqual(['session allow send(one)']);
    expect([(await agent.call('go')).generateReason, (await agent.call('go')).generateReason, ran]).toEqual(['MODEL_STOP', 'PERMISSION_ASKING', ['send one', 'send one']]);
  }
});

test('a rule never answers an ask rule, a dangerous path or a deny', async () => {
  const { agent, ran } = clerk([[use('write_file', { path: '.git/x' }, 'w'), use('send', { text: 'a' }, 's')], [use('write_file', { path: '.git/x' }, 'w2'), use('send', { text: 'a' }, 's2')]], { permission: { ask: ['send'] } });
  await agent.call('go');
  for (const { id } of await questions(agent)) await agent.session().confirm(id, { approve: true, remember: 'session' });
  expect([ran, (await questions(agent)).map(({ id }) => id)]).toEqual([['write .git/x', 'send a'], ['w2', 's2']]);
  await agent.session().addPermissionRule({ toolName: 'send', behavior: 'deny' });
  await agent.session().confirm('s2', { approve: true });
  expect(await decisions(agent)).toContain('user-allow user');
  await agent.session().confirm('w2', { approve: false }).catch(() => undefined); // the script ends here
  const last = (await agent.session().messages()).at(-1);
  expect(last?.getToolCalls().map(({ call, result }) => [call.id, result?.state]).slice(-2)).toEqual([['w2', 'denied'], ['s2', 'denied']]);
});

test('a rule for a tool that is not there warns once, when the tools are known', async () => {
  const warnings: string[] = [];
  const { agent } = clerk(['a', 'b'], { permission: { deny: ['look', 'lok', 'mcp__*'], allow: ['lo*'] }, onWarning: (message) => warnings.push(message) });
  expect(warnings).toEqual([]);
  await agent.call('go');
  await agent.call('go');
  expect(warnings.map((message) => /"([^"]+)"/.exec(message)?.[1])).toEqual(['lok', 'mcp__*']);
});

test.for<[Partial<ReActAgentOptions>, string]>([
  [{ permission: { mode: 'yolo' as never } }, 'permission.mode'],
  [{ permission: { allow: [7 as never] } }, 'permission.allow'],
  [{ permission: true as never }, 'permission'],
  [{ maxIters: 0 }, 'maxIters'],
  [{ limits: { tokens: 0 } }, 'limits'],
  [{ limits: { token: 5 } as never }, 'limits'],
  [{ stopOnReject: 'yes' as never }, 'stopOnReject'],
  [{ toolkit: [defineTool({ name: 'a', description: 'x', execute: () => 1 }), defineTool({ name: 'a', description: 'y', execute: () => 2 })] }, 'tools'],
])('%o is config/invalid when the agent is made', ([options, option]) => {
  expect(() => clerk([], options)).toThrow(expect.objectContaining({ code: 'config/invalid', details: { option } }));
});

const usage = (tokens: number) => ({ usage: { inputTokens: tokens - 1, outputTokens: 1 } });

test('limits.calls and limits.tokens stop the reply before the next model call; with more it goes on as the same reply', async () => {
  for (const [limits, words] of [[{ calls: 2 }, 'The limit of 2 model calls'], [{ tokens: 20 }, 'The limit of 20 tokens for one reply is reached: 20 were used.']] as const) {
    const { agent, ran } = clerk([[use('send', { text: '1' }, 'a'), usage(10)], [use('send', { text: '2' }, 'b'), usage(10)], ['Done.', usage(10)]], { limits });
    const stream = agent.streamEvents('go');
    const stop = (await collect(stream)).find((event) => event.type === 'REQUEST_STOP');
    const reply = await stream.result;
    expect([reply.generateReason, stop?.reason.startsWith(words), String(reply.metadata['agentscope_stop']).startsWith(words), ran]).toEqual(['MIDDLEWARE_STOP_REQUESTED', true, true, ['send 1', 'send 2']]);
    expect((await agent.call()).generateReason).toBe('MIDDLEWARE_STOP_REQUESTED');
    const done = await agent.with({ limits: undefined }).call();
    expect([done.id, done.getTextContent(), done.generateReason]).toEqual([reply.id, 'Done.', 'MODEL_STOP']);
  }
});

test('limits.timeMs counts the time at work, not the time a person takes', async () => {
  let now = 1_000_000;
  const slow = defineTool({ name: 'slow', description: 'x', execute: () => ((now += 600), 'x') });
  const asks = defineTool({ name: 'asks', description: 'x', checkPermission: 'ask', execute: () => 'x' });
  const agent = new ReActAgent({ name: 'F', model: scriptedModel({ tool: 'asks', id: 'q' }, { tool: 'slow' }, { tool: 'slow' }, 'Done.'), toolkit: [slow, asks], clock: () => now, limits: { timeMs: 1000 } });
  await agent.call('go');
  now += 3_600_000;
  const reply = await agent.session().confirm('q', { approve: true });
  expect([reply.generateReason, reply.metadata['agentscope_stop'], reply.getToolCalls().length]).toEqual(['MIDDLEWARE_STOP_REQUESTED', 'The limit of 1000 ms for one reply is reached.', 3]);
});

test('an agent asked as a tool uses the limits of who asks', async () => {
  const child = new ReActAgent({ name: 'child', model: scriptedModel([{ tool: 'x', id: '1' }, usage(5)], [{ tool: 'x', id: '2' }, usage(5)], 'Never.'), toolkit: [defineTool({ name: 'x', description: 'x', execute: () => String(Math.random()) })] });
  const agent = new ReActAgent({ name: 'F', model: scriptedModel([{ tool: 'child', input: { message: 'go' } }, usage(5)], 'Never.'), toolkit: [agentAsTool(child)], limits: { calls: 3 } });
  const reply = await agent.call('go');
  expect([reply.generateReason, reply.getToolCalls()[0]?.result?.state, reply.metadata['agentscope_stop']]).toEqual(['MIDDLEWARE_STOP_REQUESTED', 'error', 'The limit of 3 model calls for one reply is reached.']);
});

test('the same failing call three times in a row ends with a reason; other arguments or another error do not', async () => {
  const failing = (inputs: readonly string[], message: () => string = () => 'no') => {
    const tool = defineTool({ name: 'fails', description: 'x', input: text, execute: () => Promise.reject(new Error(message())) });
    const script = inputs.map((value, i) => ({ tool: 'fails', input: { text: value }, id: `c${i}` }));
    return new ReActAgent({ name: 'F', model: scriptedModel(...script, 'Enough.'), toolkit: [tool] });
  };
  const agent = failing(['a', 'a', 'a', 'a', 'a']);
  const stopped = await agent.call('go');
  expect([stopped.generateReason, stopped.getToolCalls().length, stopped.metadata['agentscope_stop']]).toEqual(['MIDDLEWARE_STOP_REQUESTED', 3, 'The call of fails failed three times in a row with the same arguments and the same error.']);
  const goneOn = await agent.call();
  expect([goneOn.id, goneOn.getToolCalls().length, goneOn.generateReason]).toEqual([stopped.id, 5, 'MODEL_STOP']);
  expect((await failing(['a', 'b', 'a', 'b']).call('go')).generateReason).toBe('MODEL_STOP');
  let n = 0;
  expect((await failing(['a', 'a', 'a', 'a'], () => `no ${n++}`).call('go')).generateReason).toBe('MODEL_STOP');
});

test('I9 on every record of a tool that ran stands a decision and who made it', async () => {
  const { agent } = clerk([[use('look'), use('send'), use('write_file', { path: 'a' })], 'Done.'], { permission: { mode: 'accept_edits', allow: ['send'] } });
  const events: AgentEvent[] = await collect(agent.streamEvents('go'));
  expect(events.flatMap((event) => (event.type === 'TOOL_RESULT_START' ? [event.metadata?.['run']] : []))).toMatchObject([{ by: 'read-only' }, { by: 'rule allow send' }, { by: 'mode accept_edits' }]);
});
