import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { foldEvents } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import { InMemoryMemory } from '../memory/index.ts';
import { UserMessage } from '../message/index.ts';
import type { Msg } from '../message/index.ts';
import { InMemorySession } from '../session/index.ts';
import type { JournalEvent, Session } from '../session/index.ts';
import { stateKey } from '../state/index.ts';
import { scriptedModel } from '../testing/index.ts';
import { defineTool } from '../tool/index.ts';
import { approve } from './answers.ts';
import { ReActAgent } from './react-agent.ts';

const texts = (messages: readonly Msg[]): readonly string[] => messages.map((msg) => msg.getTextContent());
const counted = stateKey('counted', 0);
const count = defineTool({ name: 'count', description: 'Counts.', readOnly: true, execute: (_in, { state }) => (state.set(counted, state.get(counted) + 1), String(state.get(counted))) });
const remove = defineTool({ name: 'remove', description: 'Removes.', input: z.object({ n: z.number() }), checkPermission: 'ask', execute: ({ n }) => `removed ${n}` });

function another(store: Session): Session {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
async function list(events: AsyncIterable<JournalEvent>): Promise<readonly JournalEvent[]> {
  const found: JournalEvent[] = [];
  for await (const event of events) found.push(event);
  return found;
}

test('messages and state as of any number are what was there then, live and read by another process', async () => {
  const store = new InMemorySession();
  const model = scriptedModel('one', [{ tool: 'count', id: 'c' }], 'two', 'three');
  const session = new ReActAgent({ name: 'F', model, toolkit: [count], session: store }).session({ userId: 'u', sessionId: 's' });
  const then: [seq: number, told: string][] = [];
  for (const question of ['1', '2', '3']) {
    await session.call(question);
    then.push([(await list(session.events())).at(-1)?.seq ?? 0, JSON.stringify([await session.messages(), await session.state()])]);
  }
  const other = new ReActAgent({ name: 'F', model: scriptedModel(), session: another(store) }).session({ userId: 'u', sessionId: 's' });
  for (const each of [session, other]) {
    for (const [atSeq, told] of then) expect(JSON.stringify([await each.messages({ atSeq }), await each.state({ atSeq })])).toBe(told);
    expect(await each.messages({ atSeq: 0 })).toEqual([]);
    expect(await each.messages({ atSeq: 1e9 })).toEqual(await each.messages());
    const [first] = then;
    expect((await each.messages({ atSeq: (first?.[0] ?? 0) - 1 })).length).toBe(2);
  }
  expect(await session.state()).toMatchObject({ sessionId: 's', userId: 'u', summary: '', curIter: 1, replyId: (await session.messages()).at(-1)?.id });
  expect((await session.state({ atSeq: then[1]?.[0] })).curIter).toBe(2);
  for (const atSeq of [-1, 1.5, Number.NaN]) await expect(session.messages({ atSeq })).rejects.toMatchObject({ code: 'config/invalid', details: { option: 'atSeq' } });
});

test('a fork is a session of its own with the same context and values; both go on apart', async () => {
  const store = new InMemorySession();
  const model = scriptedModel([{ tool: 'count', id: 'c' }], 'one', [{ tool: 'count', id: 'd' }], 'branch', [{ tool: 'count', id: 'e' }], 'two');
  const session = new ReActAgent({ name: 'F', model, toolkit: [count], session: store }).session({ userId: 'u', sessionId: 's' });
  await session.call('1');
  const before = JSON.stringify(await session.messages());
  const branch = await session.fork();
  expect([branch.sessionId === 's', branch.userId, JSON.stringify(await branch.messages())]).toEqual([false, 'u', before]);
  await branch.call('branch?');
  expect(JSON.stringify(await session.messages())).toBe(before);
  await session.call('2');
  expect(texts(await branch.messages())).toEqual(['1', 'one', 'branch?', 'branch']);
  expect(texts(await session.messages())).toEqual(['1', 'one', '2', 'two']);
  const results = (await Promise.all([session, branch].map((each) => each.messages()))).map((messages) => messages.at(-1)?.getToolCalls()[0]?.result?.output);
  expect(results).toEqual([[{ type: 'text', text: '2' }], [{ type: 'text', text: '2' }]]); // each counted on from 1
  await store.delete({ userId: 'u', sessionId: 's' });
  expect(await new ReActAgent({ name: 'F', model: scriptedModel(), session: another(store) }).session({ userId: 'u', sessionId: branch.sessionId }).messages()).toEqual(await branch.messages());
});

test('before a message, after one, and at a number: "edit my question and try again", also in a branch of a branch', async () => {
  const model = scriptedModel('one', 'two', 'three', 'other two', 'again');
  const session = new ReActAgent({ name: 'F', model }).session({ sessionId: 's' });
  for (const question of ['1', '2', '3']) await session.call(question);
  const [, one, second, two] = await session.messages();
  if (one === undefined || second === undefined || two === undefined) throw new Error('The conversation is too short.');
  const branch = await session.fork({ before: second.id }, { sessionId: 'b' });
  expect([branch.sessionId, texts(await branch.messages())]).toEqual(['b', ['1', 'one']]);
  expect(texts([await branch.call('2 again')])).toEqual(['other two']);
  expect(texts(await (await session.fork({ after: second.id })).messages())).toEqual(['1', 'one', '2']);
  expect(texts(await (await session.fork({ after: two.id })).messages())).toEqual(['1', 'one', '2', 'two']);
  const { seq = 0 } = (await list(session.events())).find(({ event }) => event.type === 'AGENT_END') ?? {};
  expect(texts(await (await session.fork({ atSeq: seq })).messages())).toEqual(['1', 'one']);
  // What a branch began with came in one entry; its messages are told apart all the same.
  expect(texts(await (await branch.fork({ before: one.id })).messages())).toEqual(['1']);
  expect(texts(await (await branch.fork({ after: one.id })).messages())).toEqual(['1', 'one']);
  const unanswered = await branch.fork({ before: one.id });
  expect(texts([await unanswered.call()])).toEqual(['again']);
  const [asked] = await unanswered.messages();
  const [begun] = (await list(unanswered.events())).map(({ event }) => event);
  expect(begun?.metadata).toEqual({ inputIds: [asked?.id] });
});

test('a branch may not be a session that exists, nor leave from a message that is not there', async () => {
  const session = new ReActAgent({ name: 'F', model: scriptedModel('one') }).session({ sessionId: 's' });
  await session.call('1');
  await expect(session.fork(undefined, { sessionId: 's' })).rejects.toMatchObject({ code: 'session/conflict' });
  await expect(session.fork({ before: 'nothing' })).rejects.toMatchObject({ code: 'config/invalid', details: { option: 'at' } });
  await expect(session.fork({ atSeq: -3 })).rejects.toMatchObject({ code: 'config/invalid' });
});

test('a reply that waits for an answer is open in the branch too: both answers are given, each in its session', async () => {
  const store = new InMemorySession();
  const model = scriptedModel([{ tool: 'remove', id: 'c', input: { n: 1 } }], 'branch done', 'done');
  const session = new ReActAgent({ name: 'F', model, toolkit: [remove], session: store }).session({ sessionId: 's' });
  const paused = await session.call('go');
  const branch = await session.fork();
  const [question] = await branch.pending('confirm');
  if (question === undefined) throw new Error('The branch has no question.');
  const answered = await branch.call(approve(question, { input: { n: 2 } }));
  const [original] = await session.pending('confirm');
  expect([paused.generateReason, answered.id, original?.id]).toEqual(['PERMISSION_ASKING', paused.id, question.id]);
  const reply = await session.confirm(question.id, { approve: false });
  expect([answered, reply].map((msg) => msg.getToolCalls()[0]?.result?.state)).toEqual(['success', 'denied']);
  // I1 in the branch, whose journal holds the whole reply.
  const events = (await list(branch.events())).map(({ event }) => event);
  expect(JSON.stringify(foldEvents(events.filter(({ replyId }) => replyId === answered.id)))).toBe(JSON.stringify(answered));
});

test('a running tool with an effect is not started again in the branch; a model call that was cut off is asked again', async () => {
  const ran: string[] = [];
  let finish: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (finish = resolve));
  const pay = defineTool({ name: 'pay', description: 'Pays.', effect: 'keyed', execute: async (_in, { sessionId }) => (ran.push(sessionId), await gate, 'paid') });
  const model = scriptedModel([{ tool: 'pay', id: 'c' }], 'what now?', 'paid.');
  const store = new InMemorySession();
  const session = new ReActAgent({ name: 'F', model, toolkit: [pay], session: store }).session({ sessionId: 's' });
  const running = session.call('go');
  while (ran.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  const branch = await session.fork();
  const reply = await branch.call();
  expect([ran, reply.getToolCalls()[0]?.result?.state, reply.getTextContent()]).toEqual([['s'], 'interrupted', 'what now?']);
  finish();
  expect((await running).getToolCalls()[0]?.result?.state).toBe('success');

  const { seq = 0 } = (await list(session.events())).find(({ event }) => event.type === 'MODEL_CALL_START') ?? {};
  const rival = new ReActAgent({ name: 'F', model: scriptedModel('another answer'), toolkit: [pay], session: store }).session({ sessionId: 's' });
  const cut = await rival.fork({ atSeq: seq });
  expect(texts(await cut.messages())).toEqual(['go', '']);
  expect((await cut.call()).getTextContent()).toBe('another answer');
});

test('fork at any number of any conversation: the branch begins with exactly what was there', async () => {
  const store = new InMemorySession();
  const model = scriptedModel([{ thinking: 'hm' }, { tool: 'count', id: 'c' }], 'one', [{ tool: 'remove', id: 'd', input: { n: 1 } }], 'two', 'three');
  const session = new ReActAgent({ name: 'F', model, toolkit: [count, remove], session: store }).session({ sessionId: 's' });
  await session.call('1');
  await session.call('2');
  await session.observe(new UserMessage('ann', 'by the way'));
  await session.call('3');
  await session.memory.deleteMessage(0);
  const last = (await list(session.events())).at(-1)?.seq ?? 0;
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: last + 2 }), async (atSeq) => {
      const branch = await session.fork({ atSeq });
      expect(await branch.messages()).toEqual(await session.messages({ atSeq }));
      const [then, now] = [await session.state({ atSeq }), await branch.state()];
      expect(now).toEqual({ ...then, sessionId: branch.sessionId, curIter: now.curIter, replyId: now.replyId });
    }),
    { numRuns: 60 },
  );
});

test('clearContext and deletions change what the model is shown, and the record keeps everything', async () => {
  const model = scriptedModel('one', 'two', 'three', 'four');
  const session = new ReActAgent({ name: 'F', model, sysPrompt: 'Be brief.' }).session({ sessionId: 's' });
  await session.call('1');
  await session.call('2');
  const { seq = 0 } = (await list(session.events())).at(-1) ?? {};
  await session.memory.deleteMessage(1);
  await session.memory.deleteMessage(17);
  expect(texts(await session.memory.getMessages())).toEqual(['1', '2', 'two']);
  await session.call('3');
  await session.clearContext();
  expect(await session.messages()).toEqual([]);
  expect(texts(await session.messages({ atSeq: seq }))).toEqual(['1', 'one', '2', 'two']);
  await session.call('4');
  expect(model.requests.map(({ messages }) => texts(messages))).toEqual([
    ['Be brief.', '1'],
    ['Be brief.', '1', 'one', '2'],
    ['Be brief.', '1', '2', 'two', '3'],
    ['Be brief.', '4'],
  ]);
  const said = (await list(session.events())).flatMap(({ event }: { event: AgentEvent }) => (event.type === 'TEXT_BLOCK_DELTA' ? [event.delta] : []));
  expect(said.join(' ')).toContain('one');
  await session.memory.clear();
  expect(await session.messages()).toEqual([]);
});

test('a summary stands for what was cleared away, in a branch and for a memory too; the next clearing takes it', async () => {
  for (const memory of [undefined, () => new InMemoryMemory()]) {
    const model = scriptedModel('one', 'two', 'three', 'four');
    const session = new ReActAgent({ name: 'F', model, memory }).session({ sessionId: 's' });
    await session.call('1');
    await session.clearContext({ summary: 'They counted to one.' });
    expect([await session.messages(), (await session.state()).summary]).toEqual([[], 'They counted to one.']);
    await session.call('2');
    const branch = await session.fork();
    await branch.call('3');
    await session.clearContext();
    await session.call('4');
    const summary = 'Summary of the conversation so far:\nThey counted to one.';
    expect(model.requests.map(({ messages }) => texts(messages))).toEqual([['1'], [summary, '2'], [summary, '2', 'two', '3'], ['4']]);
  }
});

test('a summary is left only while nothing more was said, and only a text is one; what fails leaves the memory alone', async () => {
  const memory = new InMemoryMemory();
  const session = new ReActAgent({ name: 'F', model: scriptedModel('one', 'two'), memory }).session();
  await session.call('1');
  const last = (await session.messages()).at(-1)?.id;
  await session.call('2');
  expect(await session.clearContext({ summary: 'One was said.', last })).toBe(false);
  await expect(session.clearContext({ summary: 5 as unknown as string })).rejects.toMatchObject({ code: 'config/invalid', details: { option: 'summary' } });
  expect([texts(await session.messages()), texts(memory.getMessages())]).toEqual([['1', 'one', '2', 'two'], ['1', 'one', '2', 'two']]);
  expect(await session.clearContext({ summary: '  ' })).toBe(true);
  expect([await session.messages(), memory.getMessages(), (await session.state()).summary]).toEqual([[], [], '']);
});

test('a message that was cleared away may be said again', async () => {
  const session = new ReActAgent({ name: 'F', model: scriptedModel('one', 'again') }).session({ sessionId: 's' });
  const hello = new UserMessage('hello');
  expect((await session.call(hello)).getTextContent()).toBe('one');
  expect((await session.call(hello)).getTextContent()).toBe('one'); // said twice is said once
  await session.clearContext();
  expect((await session.call(hello)).getTextContent()).toBe('again');
});

test('while a reply is open it stays with its question, and cannot be deleted', async () => {
  const model = scriptedModel('one', [{ tool: 'remove', id: 'c', input: { n: 1 } }], 'done');
  const session = new ReActAgent({ name: 'F', model, toolkit: [remove] }).session({ sessionId: 's' });
  await session.call('1');
  const paused = await session.call('2');
  await expect(session.memory.deleteMessage(3)).rejects.toMatchObject({ code: 'agent/reply-open', details: { replyId: paused.id } });
  await session.clearContext();
  expect((await session.messages()).map(({ role }) => role)).toEqual(['USER', 'ASSISTANT']);
  const [question] = await session.pending('confirm');
  expect((await session.confirm(question?.id ?? '', { approve: true })).getTextContent()).toBe('done');
  expect(texts(model.requests.at(-1)?.messages ?? [])[0]).toBe('2');
});

test('with the option memory a branch has a memory of its own that begins with the same messages, and clearing empties it', async () => {
  const model = scriptedModel('one', 'branch', 'cleared', 'two');
  const session = new ReActAgent({ name: 'F', model, memory: () => new InMemoryMemory() }).session({ sessionId: 's' });
  await session.call('1');
  const branch = await session.fork();
  await branch.call('2');
  await branch.clearContext();
  await branch.call('3');
  await session.call('4');
  expect(model.requests.map(({ messages }) => texts(messages))).toEqual([['1'], ['1', 'one', '2'], ['3'], ['1', 'one', '4']]);
  const single = new ReActAgent({ name: 'F', model: scriptedModel('one'), memory: new InMemoryMemory() }).session();
  await single.call('1');
  await expect(single.fork()).rejects.toMatchObject({ code: 'config/invalid', details: { option: 'memory' } });
});

test('a transcript as JSON, one message a line, and to be read', async () => {
  const model = scriptedModel([{ thinking: 'hm' }, { tool: 'count', id: 'c' }], 'It is ``` one.');
  const session = new ReActAgent({ name: 'Friday', model, toolkit: [count] }).session({ userId: 'u', sessionId: 's' });
  await session.call(new UserMessage('ann', 'Count, please.'));
  const messages = await session.messages();
  expect(JSON.parse(await session.exportTranscript('json'))).toEqual({ sessionId: 's', userId: 'u', summary: '', messages: JSON.parse(JSON.stringify(messages)) });
  const lines = (await session.exportTranscript('jsonl')).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(JSON.parse(JSON.stringify(messages)));
  const page = await session.exportTranscript('markdown');
  expect(page.replaceAll(/ · .*/g, '')).toBe('# Session s\n\n## ann\n\nCount, please.\n\n## Friday\n\n> hm\n\n`count` called with\n\n```\n{}\n```\n\n`count` gave (success)\n\n```\n1\n```\n\nIt is ``` one.\n');
  expect(await session.exportTranscript('jsonl', { atSeq: 0 })).toBe('');
});
