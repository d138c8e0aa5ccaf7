import { expect, test } from 'vitest';
import type { AgentEvent } from '../event/index.ts';
import { foldEvents } from '../event/index.ts';
import { UserMessage } from '../message/index.ts';
import { defineSession, InMemorySession } from '../session/index.ts';
import type { JournalEntry, Session } from '../session/index.ts';
import { collect, scriptedModel } from '../testing/index.ts';
import type { ScriptedModel, ScriptedReply } from '../testing/index.ts';
import { defineTool } from '../tool/index.ts';
import { approve, deny, provide } from './answers.ts';
import { ReActAgent } from './react-agent.ts';

interface Janitor {
  readonly agent: ReActAgent;
  readonly model: ScriptedModel;
  readonly ran: unknown[];
}
/** An agent whose `delete_files` asks; everything that ran is on the list. */
function janitor(script: readonly ScriptedReply[], options: { session?: Session; onOpenReply?: 'auto' | 'close' | 'reject'; name?: string; model?: ScriptedModel } = {}): Janitor {
  const ran: unknown[] = [];
  const deleteFiles = defineTool({
    name: 'delete_files',
    description: 'Deletes files.',
    input: { type: 'object', properties: { pattern: { type: 'string' }, dryRun: { type: 'boolean' } }, required: ['pattern'] },
    checkPermission: ({ pattern, dryRun }) =>
      pattern === '/' ? { behavior: 'deny', message: 'never the root' } : dryRun ? 'allow' : { behavior: 'ask', message: `Delete ${pattern}?`, suggestedRules: [{ toolName: 'delete_files', ruleContent: pattern, behavior: 'allow' }] },
    execute: (input) => (ran.push(input), 'deleted'),
  });
  const look = defineTool({ name: 'look', description: 'Looks.', readOnly: true, execute: () => (ran.push('look'), 'seen') });
  const pay = defineTool({ name: 'pay', description: 'Pays.', external: true });
  const model = options.model ?? scriptedModel(...script);
  const { session, onOpenReply, name = 'F' } = options;
  return { agent: new ReActAgent({ name, model, toolkit: [deleteFiles, look, pay], session, onOpenReply }), model, ran };
}
const remove = (pattern: string, id = pattern) => ({ tool: 'delete_files', id, input: { pattern } });
const states = async (agent: ReActAgent) => (await agent.session().messages()).at(-1)?.getToolCalls().map(({ result }) => result?.state);

test('one asking call holds up its whole batch; nothing ran, the question is plain JSON', async () => {
  const { agent, ran } = janitor([[{ tool: 'look' }, remove('*.log')]]);
  const events = await collect(agent.streamEvents('clean up'));
  expect(events.slice(-4).map((event) => event.type)).toEqual(['REQUIRE_USER_CONFIRM', 'REQUEST_STOP', 'AGENT_RESULT', 'AGENT_END']);
  expect(events.at(-1)).toMatchObject({ generateReason: 'PERMISSION_ASKING' });
  const [question, ...more] = await agent.session().pending('confirm');
  expect(more).toEqual([]);
  expect(question).toMatchObject({ kind: 'confirm', id: '*.log', message: 'Delete *.log?', toolCall: { name: 'delete_files', input: { pattern: '*.log' }, state: 'asking' }, suggestedRules: [{ toolName: 'delete_files', ruleContent: '*.log', behavior: 'allow' }] });
  expect(question && Date.parse(question.askedAt)).toBeGreaterThan(0);
  expect(JSON.parse(JSON.stringify(question))).toEqual(question);
  expect(ran).toEqual([]);
});

test('S0-034 S0-068 yes: the same reply goes on, the answer is on the record before the tool runs', async () => {
  const { agent, ran, model } = janitor([[{ tool: 'look' }, remove('*.log')], 'Clean.']);
  const paused = await agent.call('clean up');
  const stream = agent.streamEvents((await agent.session().pending('confirm')).map((question) => approve(question)));
  const events = await collect(stream);
  const reply = await stream.result;
  expect([reply.id, reply.generateReason, reply.getTextContent()]).toEqual([paused.id, 'MODEL_STOP', 'Clean.']);
  expect(events.map((event) => event.type).slice(0, 3)).toEqual(['AGENT_START', 'USER_CONFIRM_RESULT', 'TOOL_RESULT_START']);
  expect(new Set(events.map((event) => event.replyId))).toEqual(new Set([paused.id]));
  expect(events.flatMap((event) => (event.type === 'TOOL_RESULT_START' ? [event.metadata?.['run']] : []))).toMatchObject([{ by: 'no policy' }, { by: 'user' }]);
  expect(ran).toEqual(['look', { pattern: '*.log' }]);
  expect(model.requests).toHaveLength(2);
  expect(await agent.session().pending()).toEqual([]);
});

test('no: the model is told, with the reason; nothing ran', async () => {
  const { agent, ran } = janitor([remove('*.log'), 'Then not.']);
  await agent.call('clean up');
  const reply = await agent.session().confirm('*.log', { approve: false, reason: 'I need them' });
  expect(reply.getToolCalls()[0]?.result).toMatchObject({ state: 'denied', output: [{ text: 'Permission denied by user: I need them' }] });
  expect([reply.getTextContent(), ran]).toEqual(['Then not.', []]);
});

test('I9 an edit runs with the changed arguments, and both versions are on the record', async () => {
  const { agent, ran } = janitor([remove('*'), 'Done.']);
  await agent.call('clean up');
  const reply = await agent.session().confirm('*', { approve: true, input: { pattern: '*.tmp' }, remember: 'session' });
  expect(ran).toEqual([{ pattern: '*.tmp' }]);
  expect(reply.getToolCalls()[0]?.call).toMatchObject({ input: { pattern: '*.tmp' }, content: '{"pattern":"*.tmp"}', metadata: { proposed: { pattern: '*' } } });
});

test('I9 an edit is validated and judged again: a bad one is an error result, a forbidden one is denied', async () => {
  const bad = janitor([remove('*'), 'Hm.']);
  await bad.agent.call('clean up');
  expect((await bad.agent.session().confirm('*', { approve: true, input: { pattern: 7 } as never })).getToolCalls()[0]?.result?.state).toBe('error');
  const forbidden = janitor([remove('*'), 'Hm.']);
  await forbidden.agent.call('clean up');
  expect((await forbidden.agent.session().confirm('*', { approve: true, input: { pattern: '/' } })).getToolCalls()[0]?.result).toMatchObject({ state: 'denied', output: [{ text: 'Permission denied: never the root' }] });
  expect([bad.ran, forbidden.ran]).toEqual([[], []]);
});

test('answering one of two questions leaves the other open, and runs nothing yet', async () => {
  const { agent, ran } = janitor([[remove('a'), remove('b')], 'Done.']);
  await agent.call('clean up');
  const still = await agent.session().confirm('b', { approve: true });
  expect([still.generateReason, ran]).toEqual(['PERMISSION_ASKING', []]);
  expect((await agent.session().pending()).map(({ id }) => id)).toEqual(['a']);
  const reply = await agent.session().confirm('a', { approve: false });
  expect([reply.generateReason, ran]).toEqual(['MODEL_STOP', [{ pattern: 'b' }]]);
  expect(await states(agent)).toEqual(['denied', 'success']);
});

test('forged, repeated, renamed and outdated answers: no-such-question with why, nothing runs, the question stays', async () => {
  const { agent, ran } = janitor([remove('a'), 'Done.', remove('c')]);
  await agent.call('clean up');
  const [question] = await agent.session().pending('confirm');
  if (!question) throw new Error('no question');
  const forged = { ...question, id: 'x', toolCall: { ...question.toolCall, id: 'x' } };
  const renamed = { ...question, toolCall: { ...question.toolCall, name: 'look' } };
  const elsewhere = { ...question, replyId: 'another' };
  for (const [answer, why] of [
    [approve(forged), 'unknown'],
    [approve(renamed), 'arguments-differ'],
    [approve(elsewhere), 'superseded'],
    [[approve(question), deny(question)], 'already-answered'],
    [provide({ ...question, kind: 'external' } as never, 'x'), 'already-answered'],
  ] as const) {
    await expect(agent.call(answer as never)).rejects.toMatchObject({ code: 'agent/no-such-question', details: { why } });
  }
  expect([ran, (await agent.session().pending()).length]).toEqual([[], 1]);
  await agent.call(approve(question));
  await expect(agent.call(approve(question))).rejects.toMatchObject({ code: 'agent/no-such-question' });
  await expect(agent.session().confirm('a', { approve: true })).rejects.toMatchObject({ details: { why: 'already-answered' } });
  await expect(agent.session().confirm('never', { approve: true })).rejects.toMatchObject({ details: { why: 'unknown' } });
  expect(ran).toEqual([{ pattern: 'a' }]);
});

test('outside work: suspended until somebody provides it, once', async () => {
  const { agent, ran } = janitor([[{ tool: 'pay', id: 'p' }, { tool: 'look' }], 'Paid.']);
  const paused = await agent.call('pay');
  expect([paused.generateReason, ran]).toEqual(['TOOL_SUSPENDED', ['look']]);
  expect(await states(agent)).toEqual(['running', 'success']);
  const [question] = await agent.session().pending('external');
  const reply = await agent.session().provide('p', { status: 'ok' });
  expect([reply.id, reply.generateReason]).toEqual([paused.id, 'MODEL_STOP']);
  expect(reply.getToolCalls()[0]?.result).toMatchObject({ state: 'success', output: [{ text: '{"status":"ok"}' }] });
  await expect(agent.call(question && provide(question, 'again'))).rejects.toMatchObject({ details: { why: expect.stringMatching(/unknown|already-answered/) } });
});

test('S0-004 a new message closes open questions first: one call, one message; the closing events are not in its stream', async () => {
  const { agent, ran } = janitor([remove('a'), 'Something else, then.']);
  const old = await agent.call('clean up');
  const stream = agent.streamEvents('never mind');
  const events = await collect(stream);
  const reply = await stream.result;
  expect(new Set(events.map((event) => event.replyId))).toEqual(new Set([reply.id]));
  expect(JSON.stringify(foldEvents(events))).toBe(JSON.stringify(reply));
  const messages = await agent.session().messages();
  expect(messages.map((msg) => [msg.role, msg.generateReason])).toEqual([
    ['USER', 'MODEL_STOP'],
    ['ASSISTANT', 'INTERRUPTED'],
    ['USER', 'MODEL_STOP'],
    ['ASSISTANT', 'MODEL_STOP'],
  ]);
  expect(messages[1]?.getToolCalls()[0]?.result?.state).toBe('interrupted');
  const viewed: AgentEvent[] = [];
  for await (const { event } of agent.session().events()) viewed.push(event);
  expect(JSON.stringify(foldEvents(viewed.filter((event) => event.replyId === old.id)))).toBe(JSON.stringify(messages[1]));
  expect(ran).toEqual([]);
});

test('outside work is waited for, unless the option says close; with reject both are refused', async () => {
  const auto = janitor([{ tool: 'pay', id: 'p' }]);
  await auto.agent.call('pay');
  await expect(auto.agent.call('and now?')).rejects.toMatchObject({ code: 'agent/waiting', details: { questions: ['p'] } });
  expect(await auto.agent.session().messages()).toHaveLength(2);
  const close = janitor([{ tool: 'pay', id: 'p' }, 'ok'], { onOpenReply: 'close' });
  await close.agent.call('pay');
  expect((await close.agent.call('and now?')).getTextContent()).toBe('ok');
  const reject = janitor([remove('a')], { onOpenReply: 'reject' });
  const open = await reject.agent.call('clean up');
  await expect(reject.agent.call('and now?')).rejects.toMatchObject({ code: 'agent/reply-open', details: { replyId: open.id } });
});

test('call() without input on an open question stays paused and says the question again', async () => {
  const { agent } = janitor([remove('a')]);
  const first = await agent.call('clean up');
  const events = await collect(agent.streamEvents());
  expect(events.map((event) => event.type)).toEqual(['AGENT_START', 'REQUIRE_USER_CONFIRM', 'REQUEST_STOP', 'AGENT_RESULT', 'AGENT_END']);
  expect(events[0]?.replyId).toBe(first.id);
});

test('observe while a reply is open never enters it; it stands after it', async () => {
  const { agent, model } = janitor([remove('a'), 'Done.', 'Heard.']);
  await agent.call('clean up');
  await agent.observe(new UserMessage('eve', 'by the way'));
  await agent.session().confirm('a', { approve: true });
  expect(model.requests[1]?.messages.map((msg) => msg.name)).toEqual(['user', 'F']);
  expect((await agent.session().messages()).map((msg) => msg.name)).toEqual(['user', 'F', 'eve']);
  await agent.call();
  expect(model.requests[2]?.messages.map((msg) => msg.name)).toEqual(['user', 'F', 'eve']);
});

test('session/other-agent: only an agent of the same name goes on with a reply or closes it', async () => {
  const session = new InMemorySession();
  const first = janitor([remove('a')], { session, name: 'one' });
  await first.agent.session({ sessionId: 's' }).call('clean up');
  const second = janitor(['ok'], { session, name: 'two' }).agent.session({ sessionId: 's' });
  await expect(second.call('hello')).rejects.toMatchObject({ code: 'session/other-agent', details: { agent: 'one' } });
  await expect(second.call()).rejects.toMatchObject({ code: 'session/other-agent' });
});

/** A store that can be switched off. */
function fragileStore(): { store: Session; down: (is: boolean) => void; entries: JournalEntry[] } {
  const entries: JournalEntry[] = [];
  let isDown = false;
  const store = defineSession({
    append: async (_key, more) => {
      if (isDown) throw new Error('connection lost');
      entries.push(...more);
    },
    async *read(_key, { fromSeq = 1 } = {}) {
      yield* entries.filter((entry) => entry.seq >= fromSeq);
    },
    delete: async () => true,
  });
  return { store, down: (is) => void (isDown = is), entries };
}

test('a store that goes down in mid-reply: no further tool or model starts, AGENT_END says durable false, the call rejects', async () => {
  const { store, down } = fragileStore();
  const model = scriptedModel([{ text: 'a' }, remove('x')], 'never');
  const { agent, ran } = janitor([], { session: store, model });
  const stream = agent.streamEvents('go');
  const events: AgentEvent[] = [];
  await expect(
    (async () => {
      for await (const event of stream) {
        events.push(event);
        if (event.type === 'TEXT_BLOCK_DELTA') down(true);
      }
    })(),
  ).rejects.toMatchObject({ code: 'session/unavailable' });
  expect(events.at(-1)).toMatchObject({ type: 'AGENT_END', error: { type: 'session/unavailable' }, metadata: { durable: false } });
  expect([ran, model.requests.length]).toEqual([[], 1]);
  down(false);
  const next = agent.with({ model: scriptedModel('back') });
  expect((await next.call('again')).getTextContent()).toBe('back');
});

test('a store that is down at the start: the input is not claimed, and later the same call works', async () => {
  const { store, down, entries } = fragileStore();
  const { agent, model } = janitor(['ok'], { session: store });
  await agent.observe(new UserMessage('x', 'before'));
  down(true);
  const msg = new UserMessage('bob', 'hello');
  const stream = agent.streamEvents(msg);
  await expect(stream.accepted).rejects.toMatchObject({ code: 'session/unavailable' });
  expect([model.requests.length, entries.some((entry) => entry.kind === 'input' && entry.msg.id === msg.id)]).toEqual([0, false]);
  down(false);
  expect((await agent.call(msg)).getTextContent()).toBe('ok');
  expect((await agent.session().messages()).map((each) => each.getTextContent())).toEqual(['before', 'hello', 'ok']);
});
