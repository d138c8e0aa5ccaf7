import { expect, test } from 'vitest';
import { approve, deny, provide, ReActAgent } from '../agent/index.ts';
import type { ReActAgentOptions } from '../agent/index.ts';
import { createFold } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import { InMemorySession } from '../session/index.ts';
import type { JournalEntry, JournalEvent, Session } from '../session/index.ts';
import { scriptedModel } from '../testing/index.ts';
import type { ScriptedReply } from '../testing/index.ts';
import { defineTool } from '../tool/index.ts';
import { agentAsTool } from './agent-as-tool.ts';

const KEY = { userId: 'u', sessionId: 's' };
const agent = (name: string, script: readonly ScriptedReply[], options: Partial<ReActAgentOptions> = {}): ReActAgent =>
  new ReActAgent({ name, description: `Is ${name}.`, model: scriptedModel(...script), ...options });
const asking = (name: string, message = 'go'): ScriptedReply => ({ tool: name, input: { message } });

const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
};
const said = (told: readonly JournalEvent[]): AgentEvent[] => told.map(({ event }) => event);
const entriesOf = (store: Session, key = KEY): Promise<JournalEntry[]> => all(store.read(key));
const childSession = async (store: Session): Promise<string> => (await store.listSessionKeys()).map(({ sessionId }) => sessionId ?? '').find((id) => id.startsWith('s/')) ?? '';

const look = defineTool({ name: 'look', description: 'looks', readOnly: true, execute: async function* () { yield 'grey '; yield 'sky'; } });

test('C117 a child without a store of its own lives in the caller\'s; its events are in the stream with path and task, from start to end', async () => {
  const store = new InMemorySession();
  const child = agent('helper', [['I will look.', { tool: 'look' }], 'Rain.'], { toolkit: [look] });
  const main = agent('main', [asking('helper'), 'It rains.'], { session: store, toolkit: [agentAsTool(child)] });
  const events = await all(main.streamEvents('weather?', KEY));
  const fold = createFold();
  for (const event of events) fold.apply(event);
  const told = events.filter(({ source }) => source !== undefined);
  expect(new Set(told.map(({ source }) => source))).toEqual(new Set(['s/helper']));
  expect(told.every(({ replyId, metadata }) => replyId !== '' && typeof metadata?.['taskId'] === 'string')).toBe(true);
  expect([told[0]?.type, told.at(-1)?.type, told.filter(({ type }) => type === 'AGENT_RESULT')]).toEqual(['AGENT_START', 'AGENT_END', []]);
  expect(events.indexOf(told.at(-1) as AgentEvent)).toBeLessThan(events.findIndex(({ type, source }) => type === 'TOOL_RESULT_END' && source === undefined));
  // I1 for both: what is folded is what the sessions hold
  const [lane] = fold.children();
  const own = (await child.session({ userId: 'u', sessionId: await childSession(store) }).messages()).at(-1);
  expect(await childSession(store)).not.toBe('');
  expect(fold.message()?.getTextContent()).toBe('It rains.');
  const stored = (await main.session({ ...KEY, sessionId: await childSession(store) }).messages()).at(-1);
  expect(JSON.stringify(lane?.messages[0]?.content)).toBe(JSON.stringify(stored?.content));
  expect(own).toBeUndefined(); // its own store holds nothing
});

test('they are stored once: the caller\'s journal says where they stand, and gives the same events again, from any cursor', async () => {
  const store = new InMemorySession();
  const clock = (): number => Date.UTC(2026, 0, 1); // of deltas that are merged the time of the first is kept
  const child = agent('helper', [['I will look.', { tool: 'look' }], 'Rain.'], { toolkit: [look], clock });
  const main = agent('main', [asking('helper'), 'It rains.'], { session: store, toolkit: [agentAsTool(child)], clock });
  const live = await all(main.streamEvents('weather?', KEY));
  const entries = await entriesOf(store);
  const runs = entries.filter((entry) => entry.kind === 'child');
  expect(runs.length).toBeGreaterThan(0);
  expect(entries.some((entry) => (entry.kind === 'event' || entry.kind === 'delta') && entry.event.source !== undefined)).toBe(false);
  const replayed = await all(main.session(KEY).events());
  expect(said(replayed).filter(({ type }) => type !== 'AGENT_RESULT')).toEqual(live.filter(({ type }) => type !== 'AGENT_RESULT'));
  for (let i = 0; i < replayed.length; i++) {
    const rest = await all(main.session(KEY).events({ from: replayed[i]?.cursor }));
    expect(rest).toEqual(replayed.slice(i + 1));
  }
});

test('a follower sees a child\'s events while it works; with its session deleted they are left out and all else stays', async () => {
  const store = new InMemorySession();
  let go = (): void => undefined;
  const gate = new Promise<void>((resolve) => (go = resolve));
  const wait = defineTool({ name: 'wait', description: 'waits', readOnly: true, execute: () => gate });
  const child = agent('helper', [['On it.', { tool: 'wait' }], 'Done.'], { toolkit: [wait] });
  const main = agent('main', [asking('helper'), 'ok'], { session: store, toolkit: [agentAsTool(child)] });
  const running = main.call('go', KEY);
  for await (const { event } of main.session(KEY).events({ follow: true })) {
    if (event.type === 'TEXT_BLOCK_DELTA' && event.source === 's/helper') break;
  }
  go();
  await running;
  const before = said(await all(main.session(KEY).events()));
  await store.delete({ userId: 'u', sessionId: await childSession(store) });
  const after = said(await all(main.session(KEY).events()));
  expect(after).toEqual(before.filter(({ source }) => source === undefined));
});

test('a child in a store of its own is told too, and kept in the caller\'s journal, since that is all its readers have', async () => {
  const store = new InMemorySession();
  const child = agent('helper', ['Rain.'], { session: new InMemorySession() });
  const main = agent('main', [asking('helper'), 'ok'], { session: store, toolkit: [agentAsTool(child)] });
  const live = (await all(main.streamEvents('weather?', KEY))).filter(({ source }) => source !== undefined);
  expect(live.length).toBeGreaterThan(3);
  expect(said(await all(main.session(KEY).events())).filter(({ source }) => source !== undefined)).toEqual(live);
  const quiet = agent('main', [asking('helper'), 'ok'], { toolkit: [agentAsTool(child, { forwardEvents: false })] });
  expect((await all(quiet.streamEvents('weather?', KEY))).filter(({ source }) => source !== undefined)).toEqual([]);
});

test('S0-045 S0-047 S0-048 a grandchild\'s events come up with the whole path, and its task tells two of one kind apart', async () => {
  const store = new InMemorySession();
  const leaf = agent('leaf', [['leaf one'], ['leaf two']]);
  const middle = agent('middle', [[asking('leaf', 'a') as never, asking('leaf', 'b') as never], 'middle'], { toolkit: [agentAsTool(leaf)] });
  const main = agent('main', [asking('middle'), 'ok'], { session: store, toolkit: [agentAsTool(middle)] });
  const live = await all(main.streamEvents('go', KEY));
  const fold = createFold();
  for (const event of live) fold.apply(event);
  expect(fold.children().map(({ source, messages }) => [source, messages.map((msg) => msg.getTextContent())])).toEqual([
    ['s/middle', ['middle']],
    ['s/middle/leaf', [expect.stringMatching(/leaf (one|two)/)]],
    ['s/middle/leaf', [expect.stringMatching(/leaf (one|two)/)]],
  ]);
  expect(live.filter(({ source }) => source === undefined).every((event) => !('source' in event))).toBe(true);
  const parents = new Set(live.filter(({ source }) => source !== undefined).map(({ source, metadata }) => `${source} of ${String(metadata?.['parentSessionId'])}`));
  expect([...parents].sort()).toEqual(['s/middle of s', expect.stringMatching(/^s\/middle\/leaf of s\/[0-9a-f]+$/)]);
  const noResult = (events: readonly AgentEvent[]): AgentEvent[] => events.filter(({ type }) => type !== 'AGENT_RESULT');
  expect(noResult(said(await all(main.session(KEY).events())))).toEqual(noResult(live));
});

test('C117 a caller that is stopped in the middle has told the end of its child before its own', async () => {
  const store = new InMemorySession();
  const child = agent('helper', [['half', { hang: true }]]);
  const main = agent('main', [asking('helper'), 'never'], { session: store, toolkit: [agentAsTool(child)] });
  const events: AgentEvent[] = [];
  const stream = main.streamEvents('go', KEY);
  for await (const event of stream) {
    events.push(event);
    if (event.source !== undefined && event.type === 'TEXT_BLOCK_DELTA') void main.session(KEY).interrupt();
  }
  const ends = events.filter(({ type }) => type === 'AGENT_END');
  expect(ends.map(({ source }) => source)).toEqual(['s/helper', undefined]);
  expect((await stream.result).generateReason).toBe('INTERRUPTED');
});

const pay = (ran: string[]) => defineTool({ name: 'pay', description: 'pays', checkPermission: 'ask', execute: (_: unknown, ctx) => (ran.push(ctx.sessionId), 'paid') });

test('C118 a question of a nested agent pauses the root, with its path; the answer goes to the one that asked, and only that branch goes on', async () => {
  const store = new InMemorySession();
  const ran: string[] = [];
  const fresh = (leaves: readonly ScriptedReply[], middles: readonly ScriptedReply[], mains: readonly ScriptedReply[]): ReActAgent => {
    const leaf = agent('leaf', leaves, { toolkit: [pay(ran)] });
    const middle = agent('middle', middles, { toolkit: [agentAsTool(leaf)] });
    return agent('main', mains, { session: store, toolkit: [agentAsTool(middle)] });
  };
  const first = fresh([{ tool: 'pay' }], [asking('leaf')], [asking('middle')]);
  const paused = await first.call('go', KEY);
  expect([paused.generateReason, ran]).toEqual(['PERMISSION_ASKING', []]);
  const [question, ...others] = await first.session(KEY).pending('confirm');
  expect([question?.source, question?.toolCall.name, others]).toEqual(['s/middle/leaf', 'pay', []]);
  // a fresh process has the store and the configuration, nothing else
  const second = fresh(['leaf paid'], ['middle paid'], ['all paid']);
  const done = await second.session(KEY).confirm(question?.id ?? '', { approve: true });
  expect([done.generateReason, done.getTextContent(), done.id, ran.length]).toEqual(['MODEL_STOP', 'all paid', paused.id, 1]);
  expect(done.getToolCalls()[0]?.result).toMatchObject({ state: 'success', output: [{ text: 'middle paid' }] });
  expect(await second.session(KEY).pending()).toEqual([]);
  await expect(second.call(approve(question as never), KEY)).rejects.toMatchObject({ code: 'agent/no-such-question' });
});

test('C118 two children ask at once: each answer lets its own go on, a finished one does not run again', async () => {
  const store = new InMemorySession();
  const ran: string[] = [];
  let finished = 0;
  const quick = agent('quick', [() => `quick ${++finished}`] as never);
  const careful = agent('careful', [{ tool: 'pay' }, { tool: 'pay' }, 'paid', 'refused'], { toolkit: [pay(ran)] });
  const main = agent('main', [[asking('careful', 'one'), asking('quick'), asking('careful', 'two')] as never, 'ok'], { session: store, toolkit: [agentAsTool(careful), agentAsTool(quick)] });
  const chat = main.session(KEY);
  expect((await chat.call('go')).generateReason).toBe('PERMISSION_ASKING');
  const [one, two] = await chat.pending('confirm');
  expect([one?.source, two?.source]).toEqual(['s/careful', 's/careful']);
  const half = await chat.call(approve(two as never));
  expect([half.generateReason, ran.length, half.getToolCalls().map(({ result }) => result?.state)]).toEqual(['PERMISSION_ASKING', 1, ['running', 'success', 'success']]);
  const [left] = await chat.pending('confirm');
  expect(left?.replyId).toBe(one?.replyId);
  const done = await chat.call(deny(left as never, 'no'));
  expect([done.getTextContent(), ran.length, finished]).toEqual(['ok', 1, 1]);
});

test('outside work of a child pauses the caller, and is provided through it', async () => {
  const store = new InMemorySession();
  const ship = defineTool({ name: 'ship', description: 'ships', external: true });
  const child = agent('helper', [{ tool: 'ship' }, 'shipped it'], { toolkit: [ship] });
  const main = agent('main', [asking('helper'), 'ok'], { session: store, toolkit: [agentAsTool(child)] });
  const chat = main.session(KEY);
  expect((await chat.call('go')).generateReason).toBe('TOOL_SUSPENDED');
  await expect(chat.call('something else')).rejects.toMatchObject({ code: 'agent/waiting' });
  const [question] = await chat.pending('external');
  expect(question?.source).toBe('s/helper');
  const done = await chat.call(provide(question as never, 'shipped'));
  expect([done.getTextContent(), done.getToolCalls()[0]?.result?.output]).toEqual(['ok', [expect.objectContaining({ text: 'shipped it' })]]);
});
