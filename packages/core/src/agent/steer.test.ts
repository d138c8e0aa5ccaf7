import { expect, test } from 'vitest';
import type { AgentEvent } from '../event/index.ts';
import { foldEvents } from '../event/index.ts';
import { InMemoryMemory } from '../memory/index.ts';
import { InMemorySession } from '../session/index.ts';
import type { JournalEntry } from '../session/index.ts';
import { scriptedModel } from '../testing/index.ts';
import { defineTool } from '../tool/index.ts';
import { deferred } from './deferred.ts';
import { ReActAgent } from './react-agent.ts';

const kindsOf = (reply: { content: readonly { type: string }[] }): string[] => reply.content.map(({ type }) => type);

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** A tool that is at work until it is let go. */
function gate() {
  const started = deferred<void>();
  const open = deferred<void>();
  const tool = defineTool({
    name: 'work',
    description: 'Works.',
    execute: async () => {
      started.resolve();
      await open.promise;
      return 'done';
    },
  });
  return { tool, started: started.promise, open: () => open.resolve() };
}

test('S0-022 a steering message during a tool is read before the next model call, as a hint of the user with the id of the message', async () => {
  const { tool, started, open } = gate();
  const model = scriptedModel({ tool: 'work' }, 'Green it is.');
  const agent = new ReActAgent({ name: 'F', model, toolkit: [tool] });
  const events: AgentEvent[] = [];
  const stream = agent.streamEvents('Paint it.');
  const reading = (async () => {
    for await (const event of stream) events.push(event);
  })();
  await started;
  const receipt = await agent.session().steer('Green, please.');
  open();
  await reading;
  const reply = await stream.result;
  expect(kindsOf(reply)).toEqual(['tool_use', 'tool_result', 'hint', 'text']);
  expect(reply.content[2]).toMatchObject({ type: 'hint', id: receipt.id, source: 'user', hint: 'Green, please.' });
  const at = events.findIndex((event) => event.type === 'HINT_BLOCK');
  expect(events[at + 1]?.type).toBe('MODEL_CALL_START');
  expect(JSON.stringify(foldEvents(events))).toBe(JSON.stringify(reply));
  expect(JSON.stringify(model.requests[1]?.messages)).toContain('Green, please.');
  expect((await agent.session().messages()).map(({ role }) => role)).toEqual(['USER', 'ASSISTANT']);
  expect(await receipt.revoke()).toBe(false);
});

test('a reply that was about to end goes on once more, also with several messages', async () => {
  const hold = deferred<void>();
  const model = scriptedModel([{ text: 'A report.' }, { until: hold.promise }], 'With figures, in French.');
  const agent = new ReActAgent({ name: 'F', model });
  const calling = agent.call('Write.');
  await until(() => model.running > 0);
  await agent.session().steer('Add figures.');
  await agent.session().steer('In French.');
  hold.resolve();
  const reply = await calling;
  expect(kindsOf(reply)).toEqual(['text', 'hint', 'hint', 'text']);
  expect(reply.generateReason).toBe('MODEL_STOP');
});

test('at the limit of model calls the message starts the next reply', async () => {
  const hold = deferred<void>();
  const model = scriptedModel([{ text: 'First.' }, { until: hold.promise }], 'Second.');
  const agent = new ReActAgent({ name: 'F', model, maxIters: 1 });
  const calling = agent.call('go');
  await until(() => model.running > 0);
  const { id } = await agent.session().steer('And then?');
  hold.resolve();
  const first = await calling;
  expect(kindsOf(first)).toEqual(['text']);
  await until(async () => (await agent.session().messages()).length === 4 && !(await agent.session().openReply()));
  const messages = await agent.session().messages();
  expect(messages.map((msg) => [msg.role, msg.getTextContent()])).toEqual([
    ['USER', 'go'],
    ['ASSISTANT', 'First.'],
    ['USER', 'And then?'],
    ['ASSISTANT', 'Second.'],
  ]);
  expect(messages[2]?.id).toBe(id);
});

test('with nobody running the next call answers it', async () => {
  const model = scriptedModel('Fine.');
  const session = new InMemorySession();
  const agent = new ReActAgent({ name: 'F', model, session });
  const receipt = await agent.session().steer('Mind the gap.');
  await agent.call('go');
  expect((await agent.session().messages()).map((msg) => msg.getTextContent())).toEqual(['Mind the gap.', 'go', 'Fine.']);
  const entries: JournalEntry[] = [];
  for await (const entry of session.read({ sessionId: 'F' })) entries.push(entry);
  const start = entries.find((entry) => entry.kind === 'event' && entry.event.type === 'AGENT_START');
  expect(start?.kind === 'event' && start.event.metadata?.['inputIds']).toContain(receipt.id);
  expect(entries.find((entry) => entry.kind === 'input')).toMatchObject({ steer: true, msg: { id: receipt.id } });
  expect(await receipt.revoke()).toBe(false);
});

test('taken back before it was read it never reaches a model; the record keeps both', async () => {
  const { tool, started, open } = gate();
  const model = scriptedModel({ tool: 'work' }, 'Done.', 'Next.');
  const session = new InMemorySession();
  const agent = new ReActAgent({ name: 'F', model, toolkit: [tool], session });
  const calling = agent.call('go');
  await started;
  const receipt = await agent.session().steer('Never mind this.');
  expect(await receipt.revoke()).toBe(true);
  expect(await receipt.revoke()).toBe(true);
  open();
  expect(kindsOf(await calling)).toEqual(['tool_use', 'tool_result', 'text']);
  await agent.call('and now');
  expect(JSON.stringify(model.requests.map(({ messages }) => messages))).not.toContain('Never mind this.');
  const kinds: string[] = [];
  for await (const entry of session.read({ sessionId: 'F' })) if (JSON.stringify(entry).includes(receipt.id)) kinds.push(entry.kind);
  expect(kinds).toEqual(['input', 'state']);
});

test('while the reply waits for an answer it waits too, and is read when the reply goes on', async () => {
  const ask = defineTool({ name: 'ask', description: '', checkPermission: 'ask', execute: () => 'ok' });
  const agent = new ReActAgent({ name: 'F', model: scriptedModel({ tool: 'ask', id: 'q' }, 'Done.'), toolkit: [ask] });
  const session = agent.session();
  await agent.call('go');
  await session.steer('Be brief.');
  const reply = await session.confirm('q', { approve: true });
  expect(kindsOf(reply)).toEqual(['tool_use', 'tool_result', 'hint', 'text']);
});

test('an interrupt leaves it for the next call', async () => {
  const model = scriptedModel([{ text: 'x' }, { hang: true }], 'Yes.');
  const agent = new ReActAgent({ name: 'F', model });
  const calling = agent.call('go');
  await until(() => model.running > 0);
  await agent.session().steer('Hurry.');
  await agent.interrupt();
  expect((await calling).generateReason).toBe('INTERRUPTED');
  expect(model.requests).toHaveLength(1);
  expect((await agent.call('next')).getTextContent()).toBe('Yes.');
  expect(JSON.stringify(model.requests[1]?.messages)).toContain('Hurry.');
});

test('media, an empty text and nothing are refused, and nothing is stored', async () => {
  const session = new ReActAgent({ name: 'F', model: scriptedModel() }).session();
  const picture = { type: 'data', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } } as const;
  for (const content of [picture, '', [] as const]) await expect(session.steer(content)).rejects.toMatchObject({ code: 'message/invalid' });
  expect(await session.messages()).toEqual([]);
});

test('with a memory of one\'s own, what was taken back leaves that too', async () => {
  const memory = new InMemoryMemory();
  const model = scriptedModel([{ text: 'x' }, { hang: true }], 'Yes.');
  const agent = new ReActAgent({ name: 'F', model, memory });
  const calling = agent.call('go');
  await until(() => model.running > 0);
  const receipt = await agent.session().steer('Never mind this.');
  await agent.interrupt();
  await calling;
  expect(await receipt.revoke()).toBe(true);
  await agent.call('next');
  expect(JSON.stringify(model.requests[1]?.messages)).not.toContain('Never mind this.');
  await expect(agent.session({ sessionId: 'other' }).steer('x')).rejects.toMatchObject({ code: 'config/invalid' });
});
