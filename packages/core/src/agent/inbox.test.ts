import { expect, test } from 'vitest';
import { toJava2 } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import { UserMessage } from '../message/index.ts';
import { conflict, InMemorySession } from '../session/index.ts';
import type { InboxItem, JournalEntry, Session } from '../session/index.ts';
import { scriptedModel } from '../testing/index.ts';
import type { ScriptedReply } from '../testing/index.ts';
import { defineTool } from '../tool/index.ts';
import { approve, deny } from './answers.ts';
import { deferred } from './deferred.ts';
import { ReActAgent } from './react-agent.ts';

/** What another process has of a store: the same data behind another object, which does not say that it is in memory. */
function elsewhere(inner: Session, changes: Partial<Session> = {}): Session {
  return new Proxy(inner, {
    get(target, name) {
      const value: unknown = name === 'store' ? 'shared' : (Reflect.get(changes, name) ?? Reflect.get(target, name));
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
const KEY = { userId: undefined, sessionId: 'F' };
const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 1));
};
const kindsOf = (reply: { content: readonly { type: string }[] } | undefined): unknown => reply?.content.map(({ type }) => type);

function gate() {
  const started = deferred<void>();
  const open = deferred<void>();
  const execute = async (): Promise<string> => {
    started.resolve();
    await open.promise;
    return 'done';
  };
  return { tool: defineTool({ name: 'work', description: '', execute }), started: started.promise, open: () => open.resolve() };
}
const ask = defineTool({ name: 'ask', description: '', checkPermission: 'ask', execute: () => 'asked' });
const out = defineTool({ name: 'out', description: '', external: true });

/** An agent at work in one process, and one of the same name in another. */
function twoProcesses(...script: readonly ScriptedReply[]) {
  const { tool, started, open } = gate();
  const inner = new InMemorySession();
  const toolkit = [tool, ask, out];
  const owner = new ReActAgent({ name: 'F', model: scriptedModel(...script), toolkit, session: elsewhere(inner) });
  const locked = { out: false };
  const others = elsewhere(inner, { lease: (...args) => (locked.out ? Promise.reject(conflict(-1, -1)) : inner.lease(...args)) });
  const other = new ReActAgent({ name: 'F', model: scriptedModel(), toolkit, session: others });
  return { inner, owner, other: other.session(), started, open, locked };
}

test('C076 an interrupt from another process stops the reply that runs, in a tool that waits and in a model that does', async () => {
  for (const script of [[{ tool: 'work' }], [[{ text: 'x' }, { hang: true }]]] as ScriptedReply[][]) {
    const { inner, owner, other } = twoProcesses(...script);
    const calling = owner.call('go');
    await until(async () => (await other.openReply()) !== undefined);
    const receipt = await other.interrupt({ message: 'Stop here.' });
    const reply = await calling;
    expect([reply.id, reply.generateReason]).toEqual([receipt.replyId, 'INTERRUPTED']);
    expect((await other.messages()).map((msg) => [msg.role, msg.getTextContent()]).at(-1)).toEqual(['USER', 'Stop here.']);
    expect(await inner.inbox(KEY)).toEqual([]);
  }
});

test('C076 an interrupt for a reply that has ended stops nothing: not the next one, and it leaves no trace', async () => {
  const { inner, owner, other } = twoProcesses('One.', 'Two.');
  const { id } = await owner.call('1');
  expect(await other.interrupt()).toEqual({ replyId: null });
  await inner.post(KEY, { id: 'i', at: '2026-01-01T00:00:00.000Z', kind: 'interrupt', body: { replyId: id } });
  await inner.post(KEY, { id: 'j', at: '2026-01-01T00:00:00.000Z', kind: 'interrupt', body: null });
  expect((await owner.call('2')).generateReason).toBe('MODEL_STOP');
  expect(await inner.inbox(KEY)).toEqual([]);
});

test('steering from another process enters the reply, also when it was about to end, and can be taken back there', async () => {
  const { owner, other, started, open } = twoProcesses({ tool: 'work' }, 'Done.');
  const calling = owner.call('go');
  await started;
  const kept = await other.steer('In green.');
  const dropped = await other.steer('In red.');
  const revoking = dropped.revoke();
  open();
  const reply = await calling;
  expect(kindsOf(reply)).toEqual(['tool_use', 'tool_result', 'hint', 'text']);
  expect(reply.content[2]).toMatchObject({ id: kept.id, hint: 'In green.' });
  expect([await revoking, await kept.revoke()]).toEqual([true, false]);
  expect((await other.messages()).length).toBe(2);
});

test('steering of this process wakes the owner of the same store at once; posted as an item it does too', async () => {
  const hold = deferred<void>();
  const session = new InMemorySession();
  const model = scriptedModel([{ text: 'a' }, { until: hold.promise }], 'b');
  const owner = new ReActAgent({ name: 'F', model, session });
  const calling = owner.call('go');
  await until(() => model.running > 0);
  await new ReActAgent({ name: 'F', model: scriptedModel(), session }).session().steer('more');
  hold.resolve();
  expect(kindsOf(await calling)).toEqual(['text', 'hint', 'text']);
});

test('C076 another agent object of this process stops the reply at once, also in a memory store', async () => {
  const session = new InMemorySession();
  const model = scriptedModel([{ text: 'a' }, { hang: true }]);
  const calling = new ReActAgent({ name: 'F', model, session }).call('go');
  await until(() => model.running > 0);
  const receipt = await new ReActAgent({ name: 'F', model: scriptedModel(), session }).interrupt({ message: 'stop' });
  const reply = await calling;
  expect([reply.id, reply.generateReason]).toEqual([receipt.replyId, 'INTERRUPTED']);
});

test('confirm and provide from another process answer the running reply and get its message; a late or a second answer does not', async () => {
  const { inner, owner, other, started, open, locked } = twoProcesses({ tool: 'ask', id: 'q' }, { tool: 'work' }, 'Done.');
  await owner.call('go');
  const [question] = await other.pending('confirm');
  if (!question) throw new Error('no question');
  locked.out = true; // somebody owns the session when the answer comes
  const confirming = other.confirm('q', { approve: true });
  await until(async () => (await inner.inbox(KEY)).length === 1);
  const going = owner.call();
  await started;
  expect(await inner.inbox(KEY)).toEqual([]);
  open();
  const reply = await going;
  expect(reply.getTextContent()).toBe('Done.');
  locked.out = false;
  expect(await confirming).toEqual(reply);
  await expect(other.confirm('q', { approve: false })).rejects.toMatchObject({ code: 'agent/no-such-question' });
});

test('an answer that finds the reply at work is taken in before it would pause', async () => {
  const { inner, owner, other, started, open } = twoProcesses([{ tool: 'work', id: 'w' }, { tool: 'out', id: 'o' }], { tool: 'ask', id: 'q' }, 'Done.');
  const calling = owner.call('go');
  await started;
  open();
  expect((await calling).generateReason).toBe('TOOL_SUSPENDED');
  const [question] = await other.pending('external');
  expect(question?.id).toBe('o');
  const body = toJava2({ type: 'EXTERNAL_EXECUTION_RESULT', id: 'e', createdAt: '', replyId: question?.replyId ?? '', toolResults: [{ type: 'tool_result', id: 'o', name: 'out', output: [{ type: 'text', text: 'out there' }], state: 'success', metadata: {} }] } as AgentEvent, { extensions: true });
  const item: InboxItem = { id: 'a', at: '2026-01-01T00:00:00.000Z', kind: 'answer', body };
  await inner.post(KEY, item);
  const paused = await owner.call(); // goes on with what waits in the inbox
  expect(paused.generateReason).toBe('PERMISSION_ASKING');
  await inner.post(KEY, { ...item, id: 'again' }); // the same answer under another id: the question is gone
  const [confirm] = await owner.session().pending('confirm');
  if (!confirm) throw new Error('no question');
  expect((await owner.call(approve(confirm))).getTextContent()).toBe('Done.');
  expect(await inner.inbox(KEY)).toEqual([]);
});

test('a new message finds an answer in the inbox: the open reply goes on with it first', async () => {
  const { inner, owner } = twoProcesses({ tool: 'ask', id: 'q' }, 'Asked and done.', 'Hello.');
  await owner.call('go');
  const [question] = await owner.session().pending('confirm');
  if (!question) throw new Error('no question');
  await inner.post(KEY, { id: 'a', at: '2026-01-01T00:00:00.000Z', kind: 'answer', body: toJava2(approve(question), { extensions: true }) });
  const events: AgentEvent[] = [];
  const stream = owner.streamEvents('hi');
  for await (const event of stream) events.push(event);
  expect([events[0]?.type, new Set(events.map(({ replyId }) => replyId)).size]).toEqual(['AGENT_START', 1]);
  expect((await owner.session().messages()).map((msg) => [msg.role, msg.getTextContent(), msg.generateReason])).toEqual([
    ['USER', 'go', 'MODEL_STOP'],
    ['ASSISTANT', 'Asked and done.', 'MODEL_STOP'],
    ['USER', 'hi', 'MODEL_STOP'],
    ['ASSISTANT', 'Hello.', 'MODEL_STOP'],
  ]);
});

test('observe from another process stands in the context behind the reply that runs', async () => {
  const { owner, other, started, open } = twoProcesses({ tool: 'work' }, 'Done.');
  const calling = owner.call('go');
  await started;
  await other.observe(new UserMessage('Bob', 'I was here.'));
  open();
  expect(kindsOf(await calling)).toEqual(['tool_use', 'tool_result', 'text']);
  await until(async () => (await other.messages()).length === 3);
  expect((await other.messages()).map((msg) => msg.name)).toEqual(['user', 'F', 'Bob']);
});

test('an input posted to a busy owner starts a reply of its own when that one has ended; to an idle one, with the next call', async () => {
  const { inner, owner, started, open } = twoProcesses({ tool: 'work' }, 'One.', 'Two.', 'Three.');
  const calling = owner.call('1');
  await started;
  const input = (id: string): InboxItem => ({ id, at: '2026-01-01T00:00:00.000Z', kind: 'input', body: toJava2(new UserMessage({ id, content: id }), { extensions: true }) });
  expect([await inner.post(KEY, input('2')), await inner.post(KEY, input('2'))]).toEqual([true, false]);
  open();
  expect((await calling).getTextContent()).toBe('One.');
  await until(async () => (await owner.session().messages()).length === 4 && !(await owner.session().openReply()));
  await inner.post(KEY, input('3'));
  expect((await owner.call()).getTextContent()).toBe('Three.');
  expect((await owner.session().messages()).map((msg) => msg.getTextContent())).toEqual(['1', 'One.', '2', 'Two.', '3', 'Three.']);
  await until(async () => (await inner.inbox(KEY)).length === 0);
});

test('call() by a process that does not own the session stays session/conflict', async () => {
  const { owner, other, started, open } = twoProcesses({ tool: 'work' }, 'Done.');
  const calling = owner.call('go');
  await started;
  await expect(other.call('me too')).rejects.toMatchObject({ code: 'session/conflict' });
  open();
  await calling;
});

test('applied and not acknowledged, because the process died in between: each item has its effect once', async () => {
  const { tool, started, open } = gate();
  const inner = new InMemorySession();
  // What is acknowledged is lost with the process, as if it had died right before.
  const forgetful = elsewhere(inner, { acknowledge: () => Promise.reject(new Error('dead')) });
  const toolkit = [tool, ask];
  const owned = scriptedModel({ tool: 'work' }, [{ text: 'x' }, { hang: true }]);
  const owner = new ReActAgent({ name: 'F', model: owned, toolkit, session: forgetful });
  const other = new ReActAgent({ name: 'F', model: scriptedModel(), toolkit, session: elsewhere(inner) }).session();
  const calling = owner.call('go');
  await started;
  await other.steer('once');
  await other.observe(new UserMessage('Bob', 'seen once'));
  open();
  await until(() => owned.requests.length === 2);
  await other.interrupt({ message: 'enough' });
  expect((await calling).generateReason).toBe('INTERRUPTED');
  const before = (await other.messages()).map(({ id }) => id);
  expect((await inner.inbox(KEY)).map(({ kind }) => kind)).toEqual(['steer', 'observe', 'interrupt']);

  const model = scriptedModel('Next.');
  const next = await new ReActAgent({ name: 'F', model, toolkit, session: elsewhere(inner) }).call('next');
  expect([next.generateReason, next.getTextContent()]).toEqual(['MODEL_STOP', 'Next.']);
  expect((await other.messages()).slice(0, before.length).map(({ id }) => id)).toEqual(before);
  expect(JSON.stringify(model.requests[0]?.messages).match(/once|seen once|enough/g)).toHaveLength(3);
  expect(await inner.inbox(KEY)).toEqual([]);
});

test('C030 a reply that a crash cut off and that somebody interrupted since ends as soon as somebody goes on with it', async () => {
  const { tool, started } = gate();
  const inner = new InMemorySession();
  let alive = true;
  const dying = elsewhere(inner, { append: (...args) => (alive ? inner.append(...args) : new Promise(() => undefined)) });
  void new ReActAgent({ name: 'F', model: scriptedModel({ tool: 'work' }), toolkit: [tool], session: dying }).call('go').catch(() => undefined);
  await started;
  alive = false;
  const other = new ReActAgent({ name: 'F', model: scriptedModel(), toolkit: [tool], session: takesLease(inner) }).session();
  expect((await other.interrupt()).replyId).toBe((await other.openReply())?.replyId);
  const reply = await other.call();
  expect([reply.generateReason, reply.getToolCalls().map(({ result }) => result?.state)]).toEqual(['INTERRUPTED', ['interrupted']]);
});

/** A process that comes when the lease of the one before has run out. */
function takesLease(inner: InMemorySession): Session {
  return elsewhere(inner, {
    lease: async (key, options) => {
      let fence = 0;
      for await (const entry of inner.read(key)) if (entry.kind === 'epoch') fence = entry.epoch;
      return { fence: fence + 1, renew: async () => undefined, release: async () => undefined, ...options };
    },
  });
}

test('what nobody can read is taken out and changes nothing', async () => {
  const { inner, owner } = twoProcesses('Fine.');
  const at = '2026-01-01T00:00:00.000Z';
  for (const [i, body] of [null, 7, 'text', {}, { role: 'NOBODY', content: [] }, { type: 'TEXT_BLOCK_DELTA' }].entries()) {
    await inner.post(KEY, { id: `a${i}`, at, kind: 'answer', body });
  }
  await inner.post(KEY, { id: 'o', at, kind: 'observe', body: { role: 'NOBODY', content: [] } });
  await inner.post(KEY, { id: 'x', at, kind: 'other' as 'observe', body: null });
  expect((await owner.call('go')).getTextContent()).toBe('Fine.');
  expect(await inner.inbox(KEY)).toEqual([]);
  const entries: JournalEntry[] = [];
  for await (const entry of inner.read(KEY)) entries.push(entry);
  expect(entries.filter(({ kind }) => kind === 'input')).toHaveLength(1);
});

test('a refusal by deny() works through the inbox as well', async () => {
  const { inner, owner } = twoProcesses({ tool: 'ask', id: 'q' }, 'Then not.');
  await owner.call('go');
  const [question] = await owner.session().pending('confirm');
  if (!question) throw new Error('no question');
  await inner.post(KEY, { id: 'a', at: '2026-01-01T00:00:00.000Z', kind: 'answer', body: toJava2(deny(question, 'too late'), { extensions: true }) });
  const reply = await owner.call();
  expect([reply.getToolCalls()[0]?.result?.state, reply.getTextContent()]).toEqual(['denied', 'Then not.']);
});

test.for(['m2', 'm1'])('I7 an answer that waits is heard by a call that sends %s again: the message it is about, or an older one with its reply', async (again) => {
  const inner = new InMemorySession();
  const process = (...script: readonly ScriptedReply[]) => new ReActAgent({ name: 'F', model: scriptedModel(...script), toolkit: [ask], session: elsewhere(inner) });
  const message = (id: string): UserMessage => new UserMessage({ id, content: id });
  const first = process('hello', { tool: 'ask' });
  await first.call(message('m1'));
  expect((await first.call(message('m2'))).generateReason).toBe('PERMISSION_ASKING');
  const [question] = await first.session().pending('confirm');
  if (!question) throw new Error('Nothing was asked.');
  await inner.post(KEY, { id: 'a', at: '2026-01-01T00:00:00.000Z', kind: 'answer', body: toJava2(approve(question), { extensions: true }) });

  const second = process('It is done.');
  expect((await second.call(message(again))).getTextContent()).toBe(again === 'm1' ? 'hello' : 'It is done.');
  const messages = await second.session().messages();
  expect(messages.map(kindsOf)).toEqual([['text'], ['text'], ['text'], ['tool_use', 'tool_result', 'text']]);
  expect([messages.at(-1)?.generateReason, await inner.inbox(KEY)]).toEqual(['MODEL_STOP', []]);
});
