import { expect, test } from 'vitest';
import { ReActAgent } from '../agent/index.ts';
import { InMemorySession } from '../session/index.ts';
import type { Session } from '../session/index.ts';
import { scriptedModel } from '../testing/index.ts';
import type { ScriptedReply } from '../testing/index.ts';
import { defineTool } from '../tool/index.ts';
import { agentAsTool } from './agent-as-tool.ts';

const helper = (session: Session, script: readonly ScriptedReply[], toolkit: ConstructorParameters<typeof ReActAgent>[0]['toolkit'] = []) =>
  new ReActAgent({ name: 'helper', description: 'Knows the weather.', model: scriptedModel(...script), session, toolkit });
const parent = (child: ReActAgent, session: Session, script: readonly ScriptedReply[]) =>
  new ReActAgent({ name: 'main', model: scriptedModel(...script), session, toolkit: [agentAsTool(child)] });
const askIt = { tool: 'helper', input: { message: 'How is the weather?' } };
const childIds = async (store: Session) => (await store.listSessionKeys()).map(({ sessionId }) => sessionId).filter((id) => id !== 'main');

test('a child has the name and the description of its agent, is keyed, and has no time limit of its own', async () => {
  const child = helper(new InMemorySession(), ['Fine.']);
  const tool = agentAsTool(child);
  expect([tool.name, tool.description, tool.effect, tool.timeoutMs, tool.inputSchema.required]).toEqual(['helper', 'Knows the weather.', 'keyed', Infinity, ['message']]);
  expect(agentAsTool(child, { name: 'ask_helper', description: 'Asks.' })).toMatchObject({ name: 'ask_helper', description: 'Asks.' });
  expect(agentAsTool(child.with({ description: '' })).description).toBe('Asks the agent "helper" and gives back its answer.');
  expect(() => agentAsTool(child.with({ name: 'two words' }))).toThrow(expect.objectContaining({ code: 'config/invalid' }));
});

test('the result is what the child said behind its last tool call, media too; each call is a conversation of its own', async () => {
  const store = new InMemorySession();
  const look = defineTool({ name: 'look', description: 'looks', readOnly: true, execute: () => 'grey' });
  const picture = { data: { mediaType: 'image/png', base64: 'AAAA' } };
  const child = helper(store, [['I will look.', { tool: 'look' }], [{ thinking: 'hm' }, 'Rain.', picture], 'Still rain.'], [look]);
  const reply = await parent(child, store, [askIt, askIt, 'It rains.']).call('weather?', { userId: 'u', sessionId: 'main' });
  const [first, second] = reply.getToolCalls().map(({ result }) => result);
  expect(first).toMatchObject({ state: 'success', output: [{ type: 'text', text: 'Rain.' }, { type: 'data', source: { mediaType: 'image/png', data: 'AAAA' } }] });
  expect(second).toMatchObject({ state: 'success', output: [{ type: 'text', text: 'Still rain.' }] });
  const ids = await childIds(store);
  expect([ids.length, ids.every((id) => id?.startsWith('main/'))]).toEqual([2, true]);
  const where = first?.metadata['child'] as { userId: string; sessionId: string; replyId: string };
  const messages = await child.session(where).messages();
  expect(messages.map(({ id, role }) => [role, id === where.replyId])).toEqual([['USER', false], ['ASSISTANT', true]]);
});

test('I7 run again with the same key it takes the reply that has ended: no model call, the same answer', async () => {
  const child = helper(new InMemorySession(), ['Fine.']);
  const tool = agentAsTool(child);
  const context = { sessionId: 'main', idempotencyKey: 'k' };
  const first = await tool.run({ message: 'weather?' }, context);
  expect(await tool.run({ message: 'weather?' }, context)).toEqual(first);
  expect(first.content).toEqual([{ type: 'text', text: 'Fine.' }]);
});

test('I7 cut off in the middle, the child goes on with the reply it began: its once tool does not run again', async () => {
  const store = new InMemorySession();
  let runs = 0;
  const once = defineTool({ name: 'pay', description: 'pays', execute: () => `paid ${++runs}` });
  const context = { sessionId: 'main', idempotencyKey: 'k' };
  const cut = helper(store, [{ tool: 'pay' }, { hang: true }], [once]);
  const first = agentAsTool(cut).run({ message: 'pay' }, context);
  first.catch(() => undefined);
  while (runs === 0) await new Promise((resolve) => setImmediate(resolve));
  await cut.shutdown({ graceMs: 0 });
  await expect(first).rejects.toMatchObject({ code: 'agent/shut-down' });
  const again = await agentAsTool(helper(store, ['Paid.'], [once])).run({ message: 'pay' }, context);
  expect([again.content, runs]).toEqual([[{ type: 'text', text: 'Paid.' }], 1]);
  expect(await cut.session({ sessionId: 'main/k' }).messages()).toHaveLength(2);
});

test('C071 an abort of the caller interrupts the child', async () => {
  const store = new InMemorySession();
  const child = helper(store, [{ hang: true }]);
  const agent = parent(child, store, [askIt, 'never']);
  const controller = new AbortController();
  const running = agent.call('weather?', { signal: controller.signal });
  running.catch(() => undefined);
  while ((await childIds(store)).length === 0) await new Promise((resolve) => setImmediate(resolve));
  controller.abort(new Error('enough'));
  await expect(running).rejects.toThrow('enough');
  const [sessionId] = await childIds(store);
  await expect.poll(async () => (await child.session({ sessionId }).messages()).at(-1)?.generateReason).toBe('INTERRUPTED');
});

test('a child that is stopped by a limit, is interrupted by somebody else or fails gives an error result that says so', async () => {
  const store = new InMemorySession();
  const looks = defineTool({ name: 'looks', description: 'looks', readOnly: true, execute: () => 'seen' });
  const run = async (child: ReActAgent) => (await parent(child, store, [askIt, 'ok']).call('go', { sessionId: crypto.randomUUID() })).getToolCalls()[0]?.result;
  expect(await run(helper(store, [{ tool: 'looks' }], [looks]).with({ limits: { calls: 1 } }))).toMatchObject({ state: 'error', output: [{ text: expect.stringContaining('MIDDLEWARE_STOP_REQUESTED') }] });
  const stopped = helper(store, [['half', { hang: true }]]);
  const again = setInterval(() => void stopped.interrupt(), 5);
  expect(await run(stopped)).toMatchObject({ state: 'error', output: expect.arrayContaining([expect.objectContaining({ text: expect.stringContaining('interrupted') })]) });
  clearInterval(again);
  expect(await run(helper(store, [{ error: new Error('scripted failure') }]))).toMatchObject({ state: 'error', output: [{ text: expect.stringContaining('[ERROR]') }] });
});

test('I7 while a killed process holds the session of the child it waits for the lease to run out, and an abort ends the wait', async () => {
  const store = new InMemorySession();
  const context = { sessionId: 'main', idempotencyKey: 'k' };
  const held = await store.lease({ sessionId: 'main/k' }, { ttlMs: 60_000, owner: 'killed' });
  const tool = agentAsTool(helper(store, ['Fine.']));
  const controller = new AbortController();
  const aborted = tool.run({ message: 'weather?' }, { ...context, signal: controller.signal });
  setTimeout(() => controller.abort(new Error('enough')), 20);
  await expect(aborted).rejects.toThrow('enough');
  const waiting = tool.run({ message: 'weather?' }, context);
  setTimeout(() => void held.release(), 20);
  expect((await waiting).content).toEqual([{ type: 'text', text: 'Fine.' }]);
});
