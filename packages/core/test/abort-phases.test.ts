import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { openCalls } from '../src/agent/next-step.ts';
import { ReActAgent } from '../src/agent/react-agent.ts';
import type { ReActAgentOptions } from '../src/agent/options.ts';
import { foldEvents } from '../src/event/index.ts';
import type { AgentEvent } from '../src/event/index.ts';
import type { ServerResponse } from 'node:http';
import { ModelRegistry } from '../src/model/index.ts';
import { OpenAIChatModel } from '../src/provider/openai/index.ts';
import { InMemorySession } from '../src/session/index.ts';
import type { Session } from '../src/session/index.ts';
import { scriptedModel } from '../src/testing/index.ts';
import type { ScriptedReply } from '../src/testing/index.ts';
import { defineTool, Toolkit } from '../src/tool/index.ts';
import { playServer, sse } from './play-server.ts';
import type { PlayServer } from './play-server.ts';

/** A run that stands still in one phase. */
interface Standing {
  readonly options: Omit<ReActAgentOptions, 'name'>;
  /** Fulfilled when the phase is reached; with an event type: when that event was seen. */
  readonly reached: Promise<unknown> | AgentEvent['type'];
  /** False: nothing was accepted yet, so nothing is stored. Default true. */
  readonly begun?: boolean;
  /** What has to let go at last, once the stop was asked for: a slow store. */
  release?(): void;
  readonly server?: PlayServer;
  /** Before the run. */
  prepare?(agent: ReActAgent): Promise<unknown>;
}
interface Gate {
  readonly reached: Promise<void>;
  readonly opened: Promise<void>;
  reach(): void;
  open(): void;
}
function gate(): Gate {
  let reach = (): void => undefined;
  let open = (): void => undefined;
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { reached, opened, reach: () => reach(), open: () => open() };
}

const delta = (value: unknown, finish: unknown = null): object => ({ id: 'r', model: 'm', choices: [{ index: 0, delta: value, finish_reason: finish }] });
const call = (index: number, id: string, args: string): object => ({ tool_calls: [{ index, id, type: 'function', function: { name: 'quick', arguments: args } }] });

/** A server that says this much and then nothing more. */
async function http(seen: AgentEvent['type'] | undefined, ...said: string[]): Promise<Standing> {
  const { reached, reach } = gate();
  const server = await playServer((_request, response: ServerResponse) => {
    if (said.length > 0) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      for (const bytes of said) response.write(bytes);
    }
    reach();
  });
  return { server, reached: seen ?? reached, options: { model: new OpenAIChatModel({ modelName: 'm', apiKey: 'k', baseUrl: server.baseUrl }), toolkit: [quick] } };
}
async function busyServer(): Promise<Standing> {
  const { reached, reach } = gate();
  const server = await playServer((_request, response) => {
    response.writeHead(429, { 'retry-after': '30', 'content-type': 'application/json' }).end('{"error":{"message":"slow down"}}', () => reach());
  });
  return { server, reached: reached.then(() => new Promise((resolve) => setTimeout(resolve, 20))), options: { model: new OpenAIChatModel({ modelName: 'm', apiKey: 'k', baseUrl: server.baseUrl }) } };
}

const quick = defineTool({ name: 'quick', description: '', readOnly: true, execute: () => 'ok' });
const keyed = defineTool({ name: 'keyed', description: '', effect: 'keyed', execute: () => 'ok' });
const waits = defineTool({ name: 'waits', description: '', readOnly: true, execute: (_in, { signal }) => new Promise<string>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))) });
const deaf = defineTool({ name: 'deaf', description: '', execute: () => new Promise<string>(() => undefined) });
const streams = defineTool({
  name: 'streams',
  description: '',
  async *execute(_in, { signal }) {
    yield 'one';
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  },
});
const TOOLS = [quick, keyed, waits, deaf, streams];

/** A scripted model, and what is seen when the phase is reached. */
function scripted(reached: AgentEvent['type'] | Promise<unknown>, ...script: readonly ScriptedReply[]): Standing {
  return { reached, options: { model: scriptedModel(...script), toolkit: TOOLS } };
}

/** A store in which one method stands still, when it is called for the n-th time. */
function slowStore(method: 'append' | 'lease' | 'read' | 'inbox', n: number, ...script: readonly ScriptedReply[]): Standing {
  const { reached, opened, reach, open } = gate();
  const inner = new InMemorySession();
  let calls = 0;
  const halted = async <T>(work: () => T): Promise<T> => {
    if (++calls === n) {
      reach();
      await opened;
    }
    return work();
  };
  const session = new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      const bound = value.bind(target) as (...args: readonly unknown[]) => unknown;
      if (name !== method) return bound;
      if (method !== 'read') return (...args: readonly unknown[]) => halted(() => bound(...args));
      return async function* (...args: readonly unknown[]) {
        yield* await halted(() => bound(...args) as AsyncIterable<unknown>);
      };
    },
  }) as Session;
  return { reached, release: open, options: { session, model: scriptedModel(...script), toolkit: TOOLS } };
}

const PHASES: Readonly<Record<string, () => Standing | Promise<Standing>>> = {
  'in the queue, behind another agent': () => {
    const session = new InMemorySession();
    const first = new ReActAgent({ name: 'First', model: scriptedModel({ hang: true }), session });
    const options = { session, model: scriptedModel() };
    // Another object of the same name: its run is none of ours.
    return { begun: false, options, reached: Promise.resolve(), prepare: async () => void (await first.streamEvents('x', { sessionId: 'F', detach: true })[Symbol.asyncIterator]().next()), release: () => void first.interrupt() };
  },
  'taking the lease': () => ({ ...slowStore('lease', 1), begun: false }),
  'reading the journal': () => ({ ...slowStore('read', 1), begun: false }),
  'reading the inbox': () => ({ ...slowStore('inbox', 1), begun: false }),
  'resolving the model': () => {
    const { reached, reach, opened, open } = gate();
    ModelRegistry.registerFactory('slow', async () => {
      reach();
      await opened;
      return scriptedModel();
    });
    return { begun: false, reached, release: open, options: { model: 'slow:model' } };
  },
  'loading tools': () => {
    const { reached, reach, opened, open } = gate();
    const load = async (): Promise<readonly []> => {
      reach();
      await opened;
      return [];
    };
    const source = new Proxy({ name: 'source' }, { get: (target, name) => (name === 'name' ? target.name : name === 'then' ? undefined : load) });
    return { begun: false, reached, release: open, options: { model: scriptedModel(), toolkit: new Toolkit({ sources: [source as never] }) } };
  },
  'in the append of the input': () => slowStore('append', 2),
  'before the headers': () => http(undefined),
  'in the headers, before the first byte': () => http(undefined, ': nothing yet\n\n'),
  'in half a frame': () => http(undefined, 'data: {"id":"r","choi'),
  'in thinking': () => http('THINKING_BLOCK_DELTA', sse(delta({ reasoning_content: 'hm' }))),
  'in text': () => http('TEXT_BLOCK_DELTA', sse(delta({ content: 'Hel' }))),
  'in the arguments of a call': () => http('TOOL_CALL_DELTA', sse(delta(call(0, 'a', '{"ci')))),
  'between two calls of an answer': () => http('TOOL_CALL_START', sse(delta(call(0, 'a', '{}')), delta(call(1, 'b', '')))),
  'before a retry': () => busyServer(),
  'in the append of a model call': () => slowStore('append', 3, { tool: 'quick' }),
  'in a check of permission': () => {
    const { reached, reach } = gate();
    const checks = defineTool({ name: 'checks', description: '', checkPermission: () => (reach(), new Promise<'allow'>(() => undefined)), execute: () => 'never' });
    return { reached, options: { model: scriptedModel([{ tool: 'checks' }, { tool: 'quick' }]), toolkit: [checks, quick] } };
  },
  'in the append of an intent': () => slowStore('append', 4, { tool: 'keyed' }),
  'in a tool': () => scripted('TOOL_RESULT_START', { tool: 'waits' }),
  'in a tool that hears nothing': () => scripted('TOOL_RESULT_START', [{ tool: 'deaf' }, { tool: 'quick' }]),
  'in a tool that streams': () => scripted('TOOL_RESULT_TEXT_DELTA', { tool: 'streams' }),
  'in a batch, one done and one at work': () => scripted('TOOL_RESULT_END', [{ tool: 'quick' }, { tool: 'waits' }, { tool: 'waits' }]),
  'in the append of a result': () => slowStore('append', 5, { tool: 'keyed' }),
  'in the second model call': () => scripted('TEXT_BLOCK_DELTA', { tool: 'quick' }, [{ text: 'So' }, { hang: true }]),
  'in a summary': () => {
    const standing = scripted('TEXT_BLOCK_DELTA', { tool: 'quick' }, [{ text: 'So' }, { hang: true }]);
    return { ...standing, options: { ...standing.options, maxIters: 1 } };
  },
};

type Way = 'interrupt' | 'signal' | 'leaving';
interface Stopped {
  readonly events: readonly AgentEvent[];
  readonly error: unknown;
}

/** Reads a run until its phase is reached, stops it, and reads on to whatever end it has. */
async function stop(agent: ReActAgent, standing: Standing, way: Way): Promise<Stopped> {
  const controller = new AbortController();
  const stream = agent.streamEvents('go', { signal: controller.signal });
  const iterator = stream[Symbol.asyncIterator]();
  const events: AgentEvent[] = [];
  const { reached, reach } = gate();
  const reading = (async (): Promise<unknown> => {
    try {
      for (;;) {
        const next = await iterator.next();
        if (next.done) return undefined;
        events.push(next.value);
        if (next.value.type === standing.reached) reach();
      }
    } catch (error) {
      return error;
    }
  })();
  await (typeof standing.reached === 'string' ? reached : standing.reached);
  const asked = way === 'interrupt' ? agent.interrupt() : way === 'leaving' ? iterator.return?.() : controller.abort(REASON);
  if (standing.begun !== false) standing.release?.();
  const error = await reading;
  await asked;
  await stream.result.catch(() => undefined);
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  return { events, error };
}
const REASON = new Error('enough');

function handles(): ReadonlyMap<string, number> {
  const counted = new Map<string, number>();
  for (const name of process.getActiveResourcesInfo()) counted.set(name, (counted.get(name) ?? 0) + 1);
  return counted;
}
/** Handles that are open now and were not before. Sockets take a moment to close. */
async function leftOpen(before: ReadonlyMap<string, number>): Promise<readonly string[]> {
  const more = (): readonly string[] => [...handles()].filter(([name, n]) => n > (before.get(name) ?? 0) && name !== 'Immediate').map(([name]) => name);
  for (let tries = 0; tries < 200 && more().length > 0; tries++) await new Promise((resolve) => setImmediate(resolve));
  for (let tries = 0; tries < 50 && more().length > 0; tries++) await new Promise((resolve) => setTimeout(resolve, 20).unref());
  return more();
}

async function expectSound(agent: ReActAgent, begun: boolean): Promise<void> {
  const session = agent.session();
  const events: AgentEvent[] = [];
  for await (const { event } of session.events()) events.push(event);
  const messages = await session.messages();
  const replies = messages.filter(({ role }) => role === 'ASSISTANT');
  expect(replies.map(({ generateReason }) => generateReason)).toEqual(begun ? ['INTERRUPTED'] : []);
  expect(messages.map((msg) => msg.role)).toEqual(begun ? ['USER', 'ASSISTANT'] : []);
  for (const reply of replies) {
    expect(JSON.stringify(foldEvents(events.filter(({ replyId }) => replyId === reply.id)))).toBe(JSON.stringify(reply));
    expect(openCalls(reply.content)).toEqual([]);
    expect(reply.getToolCalls().map(({ result }) => result === undefined)).not.toContain(true);
    for (const block of reply.content) expect(block).not.toMatchObject({ state: 'running' });
  }
  expect(events.at(-1)?.type).toBe(begun ? 'AGENT_END' : undefined);
}

describe.for(Object.keys(PHASES))('C030 C070 C071 C080 I10 stopped %s', (name) => {
  test.for(['interrupt', 'signal', 'leaving'] as const)('by %s: a valid history, nothing left open, and the next call works', async (way) => {
    const standing = await PHASES[name]?.();
    if (!standing) throw new Error(name);
    const { begun = true } = standing;
    const agent = new ReActAgent({ name: 'F', ...standing.options });
    const before = handles();
    await standing.prepare?.(agent);
    const { events, error } = await stop(agent, standing, way);
    if (way === 'signal') expect(error).toBe(REASON);
    else if (way === 'interrupt') expect(begun ? error : (error as Error).name).toBe(begun ? undefined : 'AbortError');
    else expect(error).toBe(undefined);
    if (begun && way !== 'leaving') expect(events.at(-1)).toMatchObject({ type: 'AGENT_END', generateReason: 'INTERRUPTED' });
    standing.release?.();
    if (standing.prepare === undefined) await expectSound(agent, begun);
    if (standing.server) await until(() => standing.server?.open() === 0);
    if (standing.server) await standing.server.close();
    expect(await leftOpen(before)).toEqual([]);
    const model = scriptedModel('Fine.');
    expect((await agent.with({ model, toolkit: [quick] }).call('next', { sessionId: 'F' })).getTextContent()).toBe('Fine.');
    expect(model.requests[0]?.messages.at(-1)?.getTextContent()).toBe('next');
  });
});

test('C070 I10 stopped in an append that never ends: the call rejects with session/unavailable, and what was stored is there', async () => {
  const standing = slowStore('append', 3, { tool: 'quick' });
  const agent = new ReActAgent({ name: 'F', ...standing.options });
  const calling = agent.call('go');
  await standing.reached;
  void agent.interrupt();
  await expect(calling).rejects.toMatchObject({ code: 'session/unavailable' });
  standing.release?.();
  expect((await agent.with({ model: scriptedModel('Fine.') }).call('next')).getTextContent()).toBe('Fine.');
  expect((await agent.session().messages()).map((msg) => msg.generateReason)).toEqual(['MODEL_STOP', 'INTERRUPTED', 'MODEL_STOP', 'MODEL_STOP']);
});

test('C076 stopped while it waits for an answer: there is nothing to stop, and the question stays open', async () => {
  const asks = defineTool({ name: 'asks', description: '', checkPermission: 'ask', execute: () => 'ok' });
  const agent = new ReActAgent({ name: 'F', model: scriptedModel({ tool: 'asks', id: 'q' }, 'Done.'), toolkit: [asks] });
  await agent.call('go');
  expect(await agent.interrupt()).toEqual({ replyId: null });
  expect((await agent.session().confirm('q', { approve: true })).getTextContent()).toBe('Done.');
});

test('C080 a reader that stands still does not keep an interrupt waiting', async () => {
  const script = Array.from({ length: 4_000 }, () => 'x');
  const agent = new ReActAgent({ name: 'F', model: scriptedModel([{ text: script }, { hang: true }]) });
  const stream = agent.streamEvents('go');
  const iterator = stream[Symbol.asyncIterator]();
  await iterator.next();
  await new Promise((resolve) => setTimeout(resolve, 20));
  await agent.interrupt();
  expect((await stream.result).generateReason).toBe('INTERRUPTED');
  await iterator.return?.();
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
}
