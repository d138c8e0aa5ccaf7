import { expect, test } from 'vitest';
import { drain, expectPaired } from '../../test/drain.ts';
import { foldEvents } from '../event/index.ts';
import { InMemorySession } from '../session/index.ts';
import type { Lease, Session } from '../session/index.ts';
import { scriptedModel } from '../testing/index.ts';
import { defineTool } from '../tool/index.ts';
import { ReActAgent } from './react-agent.ts';

/** A store that fails while it is down. */
function fragile(): { store: Session; inner: InMemorySession; down(is: boolean): void } {
  const inner = new InMemorySession();
  let isDown = false;
  const store = new Proxy<Session>(inner, {
    get(target, name) {
      if (name === 'append' && isDown) return () => Promise.reject(new Error('connection lost'));
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { store, inner, down: (is) => void (isDown = is) };
}
/** What a process has of the data; `die()` lets its lease run out. */
function processOf(inner: Session): { store: Session; die(): Promise<void> } {
  let lease: Lease | undefined;
  const store = new Proxy<Session>(inner, {
    get(target, name) {
      if (name === 'lease') return async (...given: Parameters<Session['lease']>) => (lease = await inner.lease(...given));
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { store, die: async () => lease?.release() };
}

test('I2 a store lost in mid-text: every START has its END, what was streamed stays for the reader, durable is false', async () => {
  const { store, down } = fragile();
  const agent = new ReActAgent({ name: 'F', model: scriptedModel([{ text: ['a', 'b'] }, { delayMs: 1, text: 'c' }]), session: store, durability: 'delta' });
  const { events, error } = await drain(agent.streamEvents('go'), (event) => event.type === 'TEXT_BLOCK_DELTA' && down(true));
  expect(error).toMatchObject({ code: 'session/unavailable' });
  expectPaired(events);
  expect(events.at(-1)).toMatchObject({ type: 'AGENT_END', metadata: { durable: false }, error: { type: 'session/unavailable' } });
  expect(foldEvents(events).getTextContent()).toMatch(/^ab?$/);
});

test('I7 a store lost while tools run: what they told is kept for when it is back, the invented end is not', async () => {
  const { store, inner, down } = fragile();
  const ran: string[] = [];
  const tools = ['pay', 'note'].map((name) => defineTool({ name, description: '', concurrencySafe: true, execute: async () => (ran.push(name), await new Promise((resolve) => setTimeout(resolve, 2)), `${name} done`) }));
  const model = scriptedModel([{ tool: 'pay', id: 'p' }, { tool: 'note', id: 'n' }], 'Fine.');
  const agent = new ReActAgent({ name: 'F', model, toolkit: tools, session: store });
  const { events, error } = await drain(agent.streamEvents('go'), (event) => event.type === 'TOOL_RESULT_END' && down(true));
  expect(error).toMatchObject({ code: 'session/unavailable' });
  expectPaired(events);
  const stored = new ReActAgent({ name: 'F', model: scriptedModel(), toolkit: tools, session: processOf(inner).store });
  expect((await stored.session().messages()).at(-1)?.metadata['agentscope_error']).toBeUndefined();
  expect(await stored.session().openReply()).toMatchObject({ waiting: false });
  down(false);
  const reply = await agent.call();
  expect(reply.getToolCalls().map(({ call, result }) => [call.id, result?.state, result?.output[0]])).toEqual([
    ['p', 'success', { type: 'text', text: 'pay done' }],
    ['n', 'success', { type: 'text', text: 'note done' }],
  ]);
  expect([ran, reply.getTextContent()]).toEqual([['pay', 'note'], 'Fine.']);
});

test('a model call that was cut by a lost store is asked again, not taken for an answer', async () => {
  const { store, down } = fragile();
  const model = scriptedModel([{ text: 'half' }, { delayMs: 2, text: ' an answer' }], 'A whole answer.');
  const agent = new ReActAgent({ name: 'F', model, session: store, durability: 'delta' });
  await drain(agent.streamEvents('go'), (event) => event.type === 'TEXT_BLOCK_DELTA' && down(true));
  down(false);
  expect((await agent.call()).getTextContent()).toBe('A whole answer.');
});

test('a reply closed by a new message: a tool a crash had cut off is asked what became of it; else its result says that nobody knows', async () => {
  for (const [reconcile, state, said] of [
    [() => 'it was PAID', 'success', 'it was PAID'],
    [() => Promise.reject(new Error('bank is down')), 'interrupted', 'unknown'],
    [undefined, 'interrupted', 'unknown'],
  ] as const) {
    const inner = new InMemorySession();
    let die: () => void = () => undefined;
    const died = new Promise<void>((resolve) => (die = resolve));
    const pay = defineTool({ name: 'pay', description: '', execute: () => (die(), new Promise<string>(() => undefined)), ...(reconcile ? { reconcile } : {}) });
    const first = processOf(inner);
    void new ReActAgent({ name: 'F', model: scriptedModel({ tool: 'pay', id: 'p' }), toolkit: [pay], session: first.store }).call('go').catch(() => undefined);
    await died;
    await first.die();
    const agent = new ReActAgent({ name: 'F', model: scriptedModel('ok'), toolkit: [pay], session: processOf(inner).store });
    await agent.call('something else');
    const result = (await agent.session().messages())[1]?.getToolCalls()[0]?.result;
    const text = JSON.stringify(result?.output);
    expect([result?.state, text.includes(said)]).toEqual([state, true]);
  }
});
