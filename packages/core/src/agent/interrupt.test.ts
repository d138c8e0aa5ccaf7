import { spawn } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { InMemorySession } from '../session/index.ts';
import { scriptedModel } from '../testing/index.ts';
import { defineTool } from '../tool/index.ts';
import { ReActAgent } from './react-agent.ts';

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
};
const sleeps = defineTool({ name: 'sleeps', description: '', execute: (_in, { signal }) => new Promise<string>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))) });

test('S4-021 C070 interrupted in mid-text: a new agent over the same store has the words so far, with the reason, and goes on', async () => {
  const session = new InMemorySession();
  const model = scriptedModel([{ text: ['Half an', ' answer'] }, { hang: true }]);
  const agent = new ReActAgent({ name: 'F', model, session });
  const stream = agent.streamEvents('Tell me.');
  let said = '';
  for await (const event of stream) {
    if (event.type !== 'TEXT_BLOCK_DELTA') continue;
    said += event.delta;
    if (said === 'Half an answer') void agent.interrupt();
  }
  const next = scriptedModel('The other half.');
  const later = new ReActAgent({ name: 'F', model: next, session });
  const [user, reply] = await later.session().messages();
  expect([user?.getTextContent(), reply?.getTextContent(), reply?.generateReason]).toEqual(['Tell me.', 'Half an answer', 'INTERRUPTED']);
  expect((await later.call('Go on.')).getTextContent()).toBe('The other half.');
  expect(next.requests[0]?.messages.map((msg) => msg.getTextContent())).toEqual(['Tell me.', 'Half an answer', 'Go on.']);
});

test('S4-026 while a tool sleeps: its signal is aborted, and the call fulfils', async () => {
  const agent = new ReActAgent({ name: 'F', model: scriptedModel({ tool: 'sleeps' }), toolkit: [sleeps] });
  const calling = agent.call('go');
  for await (const { event } of agent.session().events({ follow: true })) if (event.type === 'TOOL_RESULT_START') break;
  const receipt = await agent.interrupt();
  const reply = await calling;
  expect([reply.id, reply.generateReason, reply.getToolCalls()[0]?.result?.state]).toEqual([receipt.replyId, 'INTERRUPTED', 'interrupted']);
});

test('S4-027 words of an interrupt stand behind the reply that it stopped, and the next request holds them', async () => {
  const model = scriptedModel([{ text: 'With A' }, { hang: true }], 'With B.');
  const agent = new ReActAgent({ name: 'F', model });
  const calling = agent.call('go');
  await until(() => model.running > 0);
  await agent.interrupt({ message: 'stop, use B' });
  await calling;
  expect((await agent.call()).getTextContent()).toBe('With B.');
  expect(model.requests[1]?.messages.map((msg) => [msg.role, msg.getTextContent()])).toEqual([['USER', 'go'], ['ASSISTANT', 'With A'], ['USER', 'stop, use B']]);
});

test('C076 a tool that interrupts its own session stops it, and no other; nothing waits for itself', async () => {
  const model = scriptedModel([{ text: 'x' }, { hang: true }], { tool: 'stops' });
  const agent: ReActAgent = new ReActAgent({ name: 'F', model, toolkit: [defineTool({ name: 'stops', description: '', execute: async (_in, { sessionId }) => JSON.stringify(await agent.interrupt({ sessionId })) })] });
  const other = agent.call('go', { sessionId: 's1' });
  await until(() => model.running > 0);
  expect((await agent.call('go', { sessionId: 's2' })).generateReason).toBe('INTERRUPTED');
  expect(model.running).toBe(1);
  await agent.interrupt({ sessionId: 's1' });
  expect((await other).generateReason).toBe('INTERRUPTED');
});

test('C076 an interrupt of one call leaves those that wait behind it', async () => {
  const model = scriptedModel([{ text: 'x' }, { hang: true }], 'second');
  const agent = new ReActAgent({ name: 'F', model });
  const [first, second] = [agent.call('1'), agent.call('2')];
  await until(() => model.running > 0);
  await agent.interrupt();
  expect([(await first).generateReason, (await second).getTextContent()]).toEqual(['INTERRUPTED', 'second']);
});

test('C071 a process that a tool started with the signal is gone when the reply has ended', async () => {
  let exited: Promise<unknown[]> | undefined;
  const shell = defineTool({
    name: 'shell',
    description: '',
    execute: async (_in, { signal }) => {
      const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 30000)'], { signal, stdio: 'ignore' });
      child.on('error', () => undefined);
      exited = new Promise((resolve) => child.once('exit', (...ending) => resolve(ending)));
      await exited;
      return 'slept';
    },
  });
  const model = scriptedModel({ tool: 'shell' }, 'never');
  const agent = new ReActAgent({ name: 'F', model, toolkit: [shell] });
  const controller = new AbortController();
  const calling = agent.call('go', { signal: controller.signal }).catch((error: unknown) => error);
  await until(() => exited !== undefined);
  const reason = new Error('enough');
  controller.abort(reason);
  expect(await calling).toBe(reason);
  expect(await exited).toEqual([null, 'SIGTERM']);
  expect(model.requests).toHaveLength(1);
});

test('C073 the same signal over calls that end, fail, are refused and are stopped in the queue keeps no listener', async () => {
  const { signal } = new AbortController();
  const model = scriptedModel(...Array.from({ length: 100 }, (_, i) => (i % 3 === 0 ? { error: new Error('no') } : 'ok')));
  const agent = new ReActAgent({ name: 'F', model });
  for (let i = 0; i < 40; i++) {
    const calls = [agent.call('a', { signal }), agent.call('', { signal }), agent.call('b', { signal })];
    await Promise.allSettled(calls);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  }
});
