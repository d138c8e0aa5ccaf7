import { expect, test } from 'vitest';
import { InMemoryMemory } from '../memory/index.ts';
import type { Memory } from '../memory/index.ts';
import { Msg, UserMessage } from '../message/index.ts';
import { InMemorySession } from '../session/index.ts';
import { scriptedModel } from '../testing/index.ts';
import { defineTool } from '../tool/index.ts';
import { approve, ReActAgent } from './index.ts';

const texts = (messages: readonly { getTextContent(): string }[] | undefined): readonly string[] => (messages ?? []).map((msg) => msg.getTextContent());

test('S4-041 the option `memory:` is the context of reasoning: a memory that shows one message makes a request of that one', async () => {
  const only = new UserMessage('user', 'The only thing I remember.');
  const memory: Memory = { addMessage: () => undefined, getMessages: () => [only], deleteMessage: () => undefined, clear: () => undefined };
  const model = scriptedModel('one', 'two');
  const agent = new ReActAgent({ name: 'a', model, memory });
  await agent.call('Hello.');
  await agent.call('Hello again.');
  expect(model.requests.map(({ messages }) => texts(messages))).toEqual([['The only thing I remember.'], ['The only thing I remember.']]);
  // The journal stays the record.
  expect(texts(await agent.session().messages())).toEqual(['Hello.', 'one', 'Hello again.', 'two']);
});

test('inputs and ended replies are added, what was observed too; the running reply follows what the memory shows', async () => {
  const memory = new InMemoryMemory();
  const model = scriptedModel([{ tool: 'look', input: {} }], 'found', 'bye');
  const look = defineTool({ name: 'look', description: 'x', readOnly: true, execute: () => 'a key' });
  const agent = new ReActAgent({ name: 'a', model, memory, toolkit: [look], sysPrompt: 'S' });
  await agent.observe(new UserMessage('bob', 'A note.'));
  expect(texts(memory.getMessages())).toEqual(['A note.']);
  const reply = await agent.call('Look.');
  expect(texts(memory.getMessages())).toEqual(['A note.', 'Look.', 'found']);
  expect(memory.getMessages().at(-1)).toEqual(reply);
  expect(model.requests.map(({ messages }) => messages.map(({ role, content }) => `${role} ${content.map(({ type }) => type).join()}`))).toEqual([
    ['SYSTEM text', 'USER text', 'USER text'],
    ['SYSTEM text', 'USER text', 'USER text', 'ASSISTANT tool_use,tool_result'],
  ]);
  memory.deleteMessage(0);
  await agent.call('Bye.');
  expect(texts(model.requests.at(-1)?.messages)).toEqual(['S', 'Look.', 'found', 'Bye.']);
  expect(agent.session().memory).toBe(memory);
});

test('a reply that pauses is added once it has ended; a new message that closes it adds it first', async () => {
  const memory = new InMemoryMemory();
  const model = scriptedModel([{ tool: 'rm', input: {} }], 'done', [{ tool: 'rm', input: {} }], 'ok');
  const rm = defineTool({ name: 'rm', description: 'x', checkPermission: () => ({ behavior: 'ask', message: 'sure?' }), execute: () => 'gone' });
  const agent = new ReActAgent({ name: 'a', model, memory, toolkit: [rm] });
  const session = agent.session();
  await session.call('Remove it.');
  expect(texts(memory.getMessages())).toEqual(['Remove it.']);
  await session.observe(new UserMessage('bob', 'Said meanwhile.'));
  await session.call((await session.pending('confirm')).map((question) => approve(question)));
  expect(texts(memory.getMessages())).toEqual(['Remove it.', 'done', 'Said meanwhile.']);
  await session.call('Again.');
  await session.call('Never mind.');
  expect(texts(memory.getMessages())).toEqual(['Remove it.', 'done', 'Said meanwhile.', 'Again.', '', 'Never mind.', 'ok']);
  expect(memory.getMessages()[4]?.getToolCalls()[0]?.result?.state).toBe('interrupted');
});

test('an answer in another process finds the question with what was asked, although that memory begins empty', async () => {
  const session = new InMemorySession();
  const rm = defineTool({ name: 'rm', description: 'x', checkPermission: () => ({ behavior: 'ask', message: 'sure?' }), execute: () => 'gone' });
  const first = new ReActAgent({ name: 'a', session, toolkit: [rm], memory: new InMemoryMemory(), model: scriptedModel([{ tool: 'rm', input: {} }]) });
  await first.call('Remove it.');
  const model = scriptedModel('done');
  const second = new ReActAgent({ name: 'a', session, toolkit: [rm], memory: new InMemoryMemory(), model }).session();
  await second.call((await second.pending('confirm')).map((question) => approve(question)));
  expect(texts(model.requests[0]?.messages)).toEqual(['Remove it.', '']);
  expect(texts(await second.memory.getMessages())).toEqual(['Remove it.', 'done']);
});

test('one memory serves the default session only; a function makes one for each, once', async () => {
  const single = new ReActAgent({ name: 'a', model: scriptedModel('x'), memory: new InMemoryMemory() });
  const refused = expect.objectContaining({ code: 'config/invalid', details: { option: 'memory' } });
  await expect(single.call('hi', { sessionId: 's2' })).rejects.toEqual(refused);
  await expect(single.call('hi', { userId: 'u' })).rejects.toEqual(refused);
  await expect(single.observe(new UserMessage('u', 'hi'), { sessionId: 's2' })).rejects.toEqual(refused);
  expect(await single.session({ sessionId: 's2' }).messages()).toEqual([]);
  expect((await single.call('hi')).getTextContent()).toBe('x');

  const made: unknown[] = [];
  const memory = (key: unknown): Memory => (made.push(key), new InMemoryMemory());
  const agent = new ReActAgent({ name: 'a', model: scriptedModel('1', '2', '3'), memory });
  await agent.call('one', { sessionId: 's1' });
  await agent.call('two', { sessionId: 's2' });
  await agent.with({ sysPrompt: 'S' }).call('three', { sessionId: 's1' });
  expect(made).toEqual([{ userId: undefined, sessionId: 's1' }, { userId: undefined, sessionId: 's2' }]);
  expect(texts(await agent.session({ sessionId: 's1' }).memory.getMessages())).toEqual(['one', '1', 'three', '3']);
});

test('a memory that throws fails the call with its error, before the model is asked', async () => {
  const failing = (broken: Partial<Memory>): Memory => {
    const inner = new InMemoryMemory();
    return { addMessage: (msg) => inner.addMessage(msg), getMessages: () => inner.getMessages(), deleteMessage: (i) => inner.deleteMessage(i), clear: () => inner.clear(), ...broken };
  };
  const error = new Error('the memory is down');
  for (const broken of [{ addMessage: () => Promise.reject(error) }, { getMessages: () => Promise.reject(error) }]) {
    const model = scriptedModel('never');
    const agent = new ReActAgent({ name: 'a', model, memory: failing(broken) });
    await expect(agent.call('hi')).rejects.toBe(error);
    expect(model.requests).toEqual([]);
    expect(await agent.session().messages()).toEqual([]);
  }
});

test('a memory that fails in the middle of a reply ends it with that error', async () => {
  const error = new Error('the memory is down');
  let isDown = false;
  const memory = new InMemoryMemory();
  const flaky: Memory = { addMessage: (msg) => memory.addMessage(msg), getMessages: () => (isDown ? Promise.reject(error) : memory.getMessages()), deleteMessage: () => undefined, clear: () => undefined };
  const look = defineTool({ name: 'look', description: 'x', readOnly: true, execute: () => void (isDown = true) });
  const model = scriptedModel([{ tool: 'look', input: {} }], 'never');
  const agent = new ReActAgent({ name: 'a', model, memory: flaky, toolkit: [look] });
  await expect(agent.call('hi')).rejects.toBe(error);
  expect(model.requests).toHaveLength(1);
  const last = (await agent.session().messages()).at(-1);
  expect(last?.metadata['agentscope_error']).toEqual({ type: 'Error', message: 'the memory is down' });
});

test('a message that is in the memory already is not added again', async () => {
  const memory = new InMemoryMemory();
  const msg = new UserMessage('user', 'hi');
  memory.addMessage(new Msg({ ...msg, content: msg.content }));
  await new ReActAgent({ name: 'a', model: scriptedModel('x'), memory }).call(msg);
  expect(texts(memory.getMessages())).toEqual(['hi', 'x']);
});

test('a branch begins with what the conversation held, and clearing the context clears the memory', async () => {
  const agent = new ReActAgent({ name: 'a', model: scriptedModel('1', '2', '3'), memory: () => new InMemoryMemory() });
  const session = agent.session({ sessionId: 's' });
  await session.call('one');
  await session.call('two');
  const [, , second] = await session.messages();
  const branch = await session.fork({ before: second?.id ?? '' });
  await branch.call('instead');
  expect(texts(await branch.memory.getMessages())).toEqual(['one', '1', 'instead', '3']);
  await session.clearContext();
  expect([texts(await session.memory.getMessages()), texts(await branch.messages())]).toEqual([[], ['one', '1', 'instead', '3']]);
});
