import { expect, test } from 'vitest';
import { createFold } from '../event/index.ts';
import { InMemoryMemory } from '../memory/index.ts';
import type { Memory } from '../memory/index.ts';
import { UserMessage } from '../message/index.ts';
import { InMemorySession, SessionManager } from '../session/index.ts';
import { createAgentState, parseAgentState, stateKey, toJava2 } from '../state/index.ts';
import { scriptedModel } from '../testing/index.ts';
import type { ScriptedReply } from '../testing/index.ts';
import { defineTool } from '../tool/index.ts';
import { approve, provide, ReActAgent } from './index.ts';
import type { ReActAgentOptions } from './index.ts';

const visits = stateKey('visits', 0);
const count = defineTool({
  name: 'count',
  description: 'Counts.',
  execute: (_, { state }) => {
    state.set(visits, state.get(visits) + 1);
    return String(state.get(visits));
  },
});
const ran: unknown[] = [];
const remove = defineTool({
  name: 'remove',
  description: 'Removes.',
  input: { type: 'object' },
  checkPermission: () => ({ behavior: 'ask', message: 'Sure?' }),
  execute: (input) => {
    ran.push(input);
    return 'removed';
  },
});

function friday(replies: readonly ScriptedReply[], options: Partial<ReActAgentOptions> = {}): { agent: ReActAgent; model: ReturnType<typeof scriptedModel> } {
  const model = scriptedModel(...replies);
  return { agent: new ReActAgent({ name: 'Friday', model, toolkit: [count, remove], ...options }), model };
}
async function entriesOf(store: InMemorySession): Promise<number> {
  let entries = 0;
  for await (const _ of store.read({ sessionId: 'Friday' })) entries++;
  return entries;
}
const texts = (messages: readonly { getTextContent(): string }[] | undefined): readonly string[] => (messages ?? []).map((msg) => msg.getTextContent());

test('S4-065 messages, mode, groups and values of state keys are saved, and a fresh agent has them', async () => {
  const store = new InMemorySession();
  const { agent } = friday([[{ tool: 'count', input: {} }], 'Once.']);
  const mode = { mode: 'accept_edits', working_directories: {}, allow_rules: {}, deny_rules: {}, ask_rules: {} };
  await agent.session().importState(createAgentState({ sessionId: 'old', summary: 'Talked of tides.', permissionContext: mode, toolContext: { activated_groups: ['files'] } }));
  await agent.call('Count.');
  await agent.saveTo(store, 'kept');

  const saved = parseAgentState(await store.get({ sessionId: 'kept' }, 'agent'));
  expect(saved).toMatchObject({ sessionId: 'Friday', userId: null, summary: 'Talked of tides.', permissionContext: mode, toolContext: { activated_groups: ['files'] } });

  const fresh = friday([[{ tool: 'count', input: {} }], 'Twice.']);
  await fresh.agent.loadFrom(store, 'kept');
  expect(await fresh.agent.session().messages()).toEqual(await agent.session().messages());
  expect((await fresh.agent.call('Count.')).getToolCalls()[0]?.result?.output).toEqual([{ type: 'text', text: '2' }]);
  await fresh.agent.saveTo(store, 'again');
  expect(parseAgentState(await store.get({ sessionId: 'again' }, 'agent'))).toMatchObject({ summary: 'Talked of tides.', permissionContext: mode, toolContext: { activated_groups: ['files'] } });
});

test('S4-066 construction is separate from state: another prompt and model with the old history', async () => {
  const store = new InMemorySession();
  const before = friday(['Hello, Ann.'], { sysPrompt: 'Be polite.' });
  await before.agent.call('I am Ann.');
  await before.agent.saveTo(store, 's');
  const { agent, model } = friday(['Ann!'], { sysPrompt: 'Be short.' });
  await agent.loadFrom(store, 's');
  await agent.call('Who am I?');
  expect(texts(model.requests[0]?.messages)).toEqual(['Be short.', 'I am Ann.', 'Hello, Ann.', 'Who am I?']);
  expect(JSON.stringify(await store.get({ sessionId: 's' }, 'agent'))).not.toContain('Be polite');
});

test('S4-067 saved twice it is the same once, and another key is untouched', async () => {
  const store = new InMemorySession();
  const { agent } = friday(['one']);
  await agent.call('hi');
  await agent.saveTo(store, 'a');
  const first = await store.get({ sessionId: 'a' }, 'agent');
  await agent.saveTo(store, { sessionId: 'a' });
  expect(await store.get({ sessionId: 'a' }, 'agent')).toEqual(first);
  expect([await store.exists({ sessionId: 'b' }), await store.get({ sessionId: 'a' }, 'other')]).toEqual([false, undefined]);
});

test('S4-068 what was saved is loaded equal, whatever the session held before; a missing one is session/not-found', async () => {
  const store = new InMemorySession();
  const { agent } = friday(['one', 'two', 'three', 'after']);
  await agent.call('1');
  await agent.call('2');
  await agent.saveTo(store, 's');
  const saved = await agent.session().memory.getMessages();
  await agent.call('3');
  await agent.loadFrom(store, 's');
  expect(await agent.session().memory.getMessages()).toEqual(saved);
  // Ids that come back are no repeats: the conversation goes on from here.
  await agent.call('4');
  expect(texts(await agent.session().messages())).toEqual(['1', 'one', '2', 'two', '4', 'after']);
  await expect(agent.loadFrom(store, 'missing')).rejects.toMatchObject({ code: 'session/not-found', details: { sessionId: 'missing' } });
  expect(texts(await agent.session().messages())).toEqual(['1', 'one', '2', 'two', '4', 'after']);
});

test('values that were not saved are gone after a load', async () => {
  const store = new InMemorySession();
  const { agent } = friday(['hi', [{ tool: 'count', input: {} }], 'once', [{ tool: 'count', input: {} }], 'again']);
  await agent.call('hi');
  await agent.saveTo(store, 's');
  await agent.call('count');
  await agent.loadFrom(store, 's');
  expect((await agent.call('count')).getToolCalls()[0]?.result?.output).toEqual([{ type: 'text', text: '1' }]);
});

test('S4-069 loadIfExists: false and the state untouched where nothing was saved, true where it was', async () => {
  const store = new InMemorySession();
  const { agent } = friday(['one']);
  await agent.call('hi');
  expect(await agent.loadIfExists(store, 's')).toBe(false);
  expect(texts(await agent.session().messages())).toEqual(['hi', 'one']);
  await agent.saveTo(store, 's');
  const fresh = friday([]).agent;
  expect([await fresh.loadIfExists(store, 's'), texts(await fresh.session().messages())]).toEqual([true, ['hi', 'one']]);
});

test('on its own store and session, saving only flushes and loading leaves everything as it is', async () => {
  const store = new InMemorySession();
  const { agent } = friday(['one', 'two'], { session: store, durability: 'none' });
  await expect(agent.loadFrom(store, 'Friday')).rejects.toMatchObject({ code: 'session/not-found' });
  await agent.call('1');
  expect(await entriesOf(store)).toBe(1); // nothing but its epoch
  await agent.saveTo(store, 'Friday');
  const entries = await entriesOf(store);
  expect(entries).toBeGreaterThan(1);
  await agent.loadFrom(store, 'Friday');
  expect([await entriesOf(store), await store.get({ sessionId: 'Friday' }, 'agent'), await agent.loadIfExists(store, 'Friday')]).toEqual([entries, undefined, true]);
  expect(texts(await agent.session().messages())).toEqual(['1', 'one']);
});

test('an open question is saved and loaded, and its answer goes on; the answered session can be taken back to it', async () => {
  const store = new InMemorySession();
  const { agent } = friday([[{ tool: 'remove', input: { id: 7 } }], 'Done.', 'Done again.']);
  const paused = await agent.call('Remove 7.');
  await agent.saveTo(store, 's');
  const { agent: fresh, model } = friday(['Done elsewhere.']);
  await fresh.loadFrom(store, 's');
  expect(await fresh.session().messages()).toEqual(await agent.session().messages());
  const [question] = await fresh.session().pending('confirm');
  expect(question).toMatchObject({ id: 'call-1', replyId: paused.id, message: 'Sure?' });
  ran.length = 0;
  const done = await fresh.session().confirm('call-1', { approve: true });
  expect([done.id, done.getTextContent(), ran]).toEqual([paused.id, 'Done elsewhere.', [{ id: 7 }]]);
  expect(model.requests).toHaveLength(1);

  await agent.session().confirm('call-1', { approve: true });
  await agent.loadFrom(store, 's');
  expect(await agent.session().pending('confirm')).toHaveLength(1);
  const again = await agent.session().confirm('call-1', { approve: false });
  expect([again.id, again.getToolCalls()[0]?.result?.state, texts(await agent.session().messages())]).toEqual([paused.id, 'denied', ['Remove 7.', 'Done again.']]);
});

test('a load waits for the running reply, and a session a memory is not for is refused', async () => {
  const store = new InMemorySession();
  const { agent } = friday(['saved', [{ delayMs: 20 }, 'slow']]);
  await agent.call('1');
  await agent.saveTo(store, 's');
  const running = agent.call('2');
  await agent.loadFrom(store, 's');
  expect((await running).getTextContent()).toBe('slow');
  expect(texts(await agent.session().messages())).toEqual(['1', 'saved']);
  const single = friday([], { memory: new InMemoryMemory() }).agent;
  await expect(single.session({ sessionId: 'other' }).importState(createAgentState({ sessionId: 'x' }))).rejects.toMatchObject({ code: 'config/invalid' });
});

test('what was saved in the middle of a model call goes on as after a crash', async () => {
  const store = new InMemorySession();
  const { agent } = friday([[{ text: 'half a sen' }, { hang: true }]]);
  const stream = agent.streamEvents('Say it.');
  for await (const event of stream) {
    if (event.type !== 'TEXT_BLOCK_DELTA') continue;
    await agent.saveTo(store, 's');
    break;
  }
  const { agent: fresh, model } = friday(['The whole sentence.']);
  await fresh.loadFrom(store, 's');
  expect((await fresh.call()).getTextContent()).toBe('The whole sentence.');
  expect(texts(model.requests[0]?.messages)).toEqual(['Say it.']);
  expect(texts(await fresh.session().messages())).toEqual(['Say it.', 'The whole sentence.']);
});

test('with the option `memory:` the memory is saved and loaded beside the agent; one that cannot is filled from the conversation', async () => {
  const store = new InMemorySession();
  const memory = new InMemoryMemory();
  const { agent } = friday(['one'], { memory });
  await agent.call('forget this');
  memory.deleteMessage(0);
  await agent.saveTo(store, 's');

  const kept = new InMemoryMemory();
  const first = friday(['two'], { memory: kept });
  await first.agent.loadFrom(store, 's');
  await first.agent.call('next');
  expect(texts(first.model.requests[0]?.messages)).toEqual(['one', 'next']);

  const list: Memory[] = [];
  const plain = (): Memory => {
    const inner = new InMemoryMemory();
    const made: Memory = { addMessage: (msg) => inner.addMessage(msg), getMessages: () => inner.getMessages(), deleteMessage: (i) => inner.deleteMessage(i), clear: () => inner.clear() };
    list.push(made);
    return made;
  };
  const second = friday(['two'], { memory: plain });
  await second.agent.observe(new UserMessage('ann', 'gone after the load'));
  await second.agent.loadFrom(store, 's');
  await second.agent.call('next');
  expect([texts(second.model.requests[0]?.messages), list.length]).toEqual([['forget this', 'one', 'next'], 1]);
});

test('two agents in one manager need two names, and each gets its own back', async () => {
  const store = new InMemorySession();
  const [ann, bob] = [friday(['a']).agent, new ReActAgent({ name: 'Bob', model: scriptedModel('b') })];
  await ann.call('to Ann');
  await bob.call('to Bob');
  await SessionManager.forSessionId('s').withSession(store).addComponent(ann).addComponent(bob, 'bob').saveSession();
  const [ann2, bob2] = [friday([]).agent, new ReActAgent({ name: 'Bob', model: scriptedModel() })];
  expect(await SessionManager.forSessionId('s').withSession(store).addComponent(ann2).addComponent(bob2, 'bob').loadIfExists()).toBe(true);
  expect([texts(await ann2.session().messages()), texts(await bob2.session().messages())]).toEqual([['to Ann', 'a'], ['to Bob', 'b']]);
});

// What AgentScope Java keeps of a conversation that waits for a person: a refused call without a result, and a result as a message of its own.
const java = {
  session_id: 's-1',
  user_id: 'maya',
  summary: 'Talked about tides.',
  context: [
    { id: 'm-1', name: 'maya', role: 'USER', content: [{ type: 'text', text: 'Tidy up.' }], metadata: {}, timestamp: '2026-03-14 09:00:00.250', usage: null },
    {
      id: 'm-2',
      name: 'Friday',
      role: 'ASSISTANT',
      content: [
        { type: 'tool_use', id: 'c-1', name: 'remove', input: { id: 1 }, content: '{"id":1}', metadata: {}, state: 'asking' },
        { type: 'tool_use', id: 'c-2', name: 'remove', input: { id: 2 }, content: '{"id":2}', metadata: {}, state: 'finished' },
        { type: 'tool_use', id: 'c-3', name: 'count', input: {}, content: '{}', metadata: {}, state: 'finished' },
      ],
      metadata: { agentscope_confirm_request_reply_id: 'rep-1' },
      timestamp: '2026-03-14 09:00:01.250',
      usage: null,
    },
    { id: 'm-3', name: 'tool', role: 'TOOL', content: [{ type: 'tool_result', id: 'c-3', name: 'count', output: [{ type: 'text', text: '1' }], metadata: {}, state: 'success' }], metadata: {}, timestamp: null, usage: null },
  ],
  reply_id: 'rep-1',
  cur_iter: 2,
  permission_context: { mode: 'accept_edits' },
};

test('a paused state of AgentScope Java is imported: its question is open, and the answer goes on', async () => {
  const { agent, model } = friday(['All tidy.']);
  const session = agent.session({ userId: 'maya', sessionId: 's-1' });
  await session.importState(parseAgentState(java));
  const [question, ...others] = await session.pending();
  expect([question?.id, question?.kind, others]).toEqual(['c-1', 'confirm', []]);
  ran.length = 0;
  if (question?.kind !== 'confirm') throw new Error('no question');
  // As Java names it: by the id it asked under.
  const reply = await session.call({ ...approve(question), replyId: 'rep-1' });
  expect([reply.id, reply.getTextContent(), ran]).toEqual(['m-2', 'All tidy.', [{ id: 1 }]]);
  expect(reply.getToolCalls().map(({ call, result }) => [call.id, result?.state])).toEqual([['c-1', 'success'], ['c-2', 'denied'], ['c-3', 'success']]);
  expect(reply.metadata).toEqual({});
  expect(model.requests[0]?.messages.map(({ role }) => role)).toEqual(['USER', 'USER', 'ASSISTANT']);
  expect(texts(model.requests[0]?.messages)[0]).toContain('Talked about tides.');
});

test('a submitted call of Python goes on with the result from outside', async () => {
  const { agent } = friday(['Printed.']);
  const session = agent.session({ sessionId: 'p' });
  const python = {
    session_id: 'p',
    context: [
      { id: 'u', name: 'ann', role: 'user', content: 'Print it.', metadata: {}, created_at: '2026-03-14T09:00:00Z' },
      { id: 'r', name: 'Friday', role: 'assistant', content: [{ type: 'tool_call', id: 'c', name: 'print', input: '{"n":1}', state: 'submitted' }], metadata: {}, created_at: '2026-03-14T09:00:01Z' },
    ],
    reply_context: { reply_id: 'r', cur_iter: 1 },
  };
  await session.importState(parseAgentState(python));
  const [question] = await session.pending('external');
  expect(question?.toolCall).toMatchObject({ id: 'c', input: { n: 1 } });
  if (!question) throw new Error('no question');
  expect((await session.call(provide(question, 'page 1'))).getTextContent()).toBe('Printed.');
});

test('a state is imported into an empty session only', async () => {
  const { agent } = friday(['one']);
  await agent.call('hi');
  const state = parseAgentState(java);
  await expect(agent.session().importState(state)).rejects.toMatchObject({ code: 'session/conflict', message: expect.stringContaining('empty session') as unknown });
  expect(texts(await agent.session().messages())).toEqual(['hi', 'one']);
  const other = agent.session({ sessionId: 'new' });
  await other.importState(state);
  await expect(other.importState(state)).rejects.toMatchObject({ code: 'session/conflict' });
});

test('what Java kept comes out again as Java wrote it, as far as nothing happened since', async () => {
  const store = new InMemorySession();
  const { agent } = friday([]);
  const finished = { ...java, context: java.context.slice(0, 1), middle: { of: 'elsewhere' } };
  await agent.session().importState(parseAgentState(finished));
  await agent.saveTo(store, 's');
  const saved = parseAgentState(await store.get({ sessionId: 's' }, 'agent'));
  expect(toJava2(saved)).toMatchObject({ summary: java.summary, context: finished.context, permission_context: { mode: 'accept_edits' } });
  expect(saved.extra?.['middle']).toEqual({ of: 'elsewhere' });
});

test('a message that was answered before the import is not answered again', async () => {
  const store = new InMemorySession();
  const { agent } = friday(['one']);
  const input = new UserMessage('ann', 'hi');
  const reply = await agent.call(input);
  await agent.saveTo(store, 's');
  const { agent: fresh, model } = friday(['never', 'x']);
  await fresh.loadFrom(store, 's');
  expect([(await fresh.call(input)).id, model.requests]).toEqual([reply.id, []]);
});

test('a viewer of the events sees a load: it forgets what it had of the open reply and goes on from what was loaded', async () => {
  const store = new InMemorySession();
  const { agent } = friday([[{ tool: 'remove', input: {} }], 'Done.']);
  const paused = await agent.call('Remove it.');
  await agent.saveTo(store, 's');
  const { agent: fresh } = friday(['Hi.', 'Done.']);
  await fresh.call('Hello.');
  await fresh.loadFrom(store, 's');
  const fold = createFold();
  for await (const { event } of fresh.session().events()) fold.apply(event);
  expect(fold.message()).toEqual(paused);
  const done = await fresh.session().confirm('call-1', { approve: true });
  for await (const { event } of fresh.session().events()) fold.apply(event);
  expect([fold.message(), fold.messages().length]).toEqual([done, 2]);
});
