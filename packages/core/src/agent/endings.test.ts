import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { drain, expectPaired } from '../../test/drain.ts';
import { AgentScopeError } from '../error/index.ts';
import { foldEvents } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import { UserMessage } from '../message/index.ts';
import { collect, scriptedModel } from '../testing/index.ts';
import type { ScriptedReply } from '../testing/index.ts';
import { defineTool } from '../tool/index.ts';
import { ReActAgent } from './react-agent.ts';

const types = (events: readonly AgentEvent[]): string[] => events.map((event) => event.type);
const wait = defineTool({ name: 'wait', description: 'Waits for ever.', execute: (_input, { signal }) => new Promise<string>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))) });
const deaf = defineTool({ name: 'deaf', description: 'Waits and hears nothing.', execute: () => new Promise<string>(() => undefined) });
const quick = defineTool({ name: 'quick', description: 'Answers at once.', execute: () => 'ok' });

test('C010 S0-036 S0-037 an error in mid-text: blocks closed, text kept, AGENT_END with the error, then it throws', async () => {
  const failure = new AgentScopeError('model/overloaded', 'Too busy.', { details: { provider: 'p', retryable: true } });
  const agent = new ReActAgent({ name: 'F', model: scriptedModel({ text: 'Par', error: failure }, 'Next.') });
  const stream = agent.streamEvents('go');
  const { events, error } = await drain(stream);
  expect(error).toBe(failure);
  await expect(stream.result).rejects.toBe(failure);
  expect(types(events).slice(2)).toEqual(['TEXT_BLOCK_START', 'TEXT_BLOCK_DELTA', 'TEXT_BLOCK_END', 'MODEL_CALL_END', 'AGENT_RESULT', 'AGENT_END']);
  expect(events.at(-1)).toMatchObject({ error: { type: 'model/overloaded', message: 'Too busy.' } });
  const kept = (await agent.session().messages()).at(-1);
  expect([kept?.getTextContent(), kept?.metadata['agentscope_error']]).toEqual(['Par', { type: 'model/overloaded', message: 'Too busy.' }]);
  expect((await agent.call('again')).getTextContent()).toBe('Next.');
});

test('C053 S0-036 S0-037 one start and one end in every ending', async () => {
  const ask = defineTool({ name: 'ask', description: '', checkPermission: 'ask', execute: () => '' });
  const no = defineTool({ name: 'no', description: '', checkPermission: 'deny', execute: () => '' });
  const out = defineTool({ name: 'out', description: '', external: true });
  const endings: [string, ScriptedReply[], string | undefined][] = [
    ['success', ['ok'], undefined],
    ['first call fails', [{ error: new Error('x') }], undefined],
    ['fails in mid-call', [{ tool: 'quick', arguments: '{"a', error: new Error('x') }], undefined],
    ['limit', [{ tool: 'quick' }, 'summary'], 'MAX_ITERATIONS'],
    ['approval', [[{ tool: 'quick' }, { tool: 'ask' }]], 'PERMISSION_ASKING'],
    ['outside work', [[{ tool: 'out' }, { tool: 'quick' }]], 'TOOL_SUSPENDED'],
    ['denied', [{ tool: 'no' }, 'ok'], 'MAX_ITERATIONS'],
    ['empty', [[], [], []], undefined],
  ];
  for (const [name, script, reason] of endings) {
    const { events } = await drain(new ReActAgent({ name: 'F', model: scriptedModel(...script), toolkit: [ask, no, out, quick], maxIters: 1 }).streamEvents('go'));
    const list = types(events);
    expect([name, list[0], list.at(-1), list.at(-2)]).toEqual([name, 'AGENT_START', 'AGENT_END', 'AGENT_RESULT']);
    expect([name, list.filter((type) => type === 'AGENT_START' || type === 'AGENT_END').length]).toEqual([name, 2]);
    expect([name, (events.at(-1) as { generateReason?: string }).generateReason]).toEqual([name, reason]);
    expectPaired(events);
  }
});

test('C058 only thinking: asked again, with the text, thinking kept and the reminder on the record', async () => {
  const model = scriptedModel({ thinking: 'hm' }, 'Here.');
  const reply = await new ReActAgent({ name: 'F', model }).call('go');
  expect(reply.content.map((block) => block.type)).toEqual(['thinking', 'hint', 'text']);
  expect(reply.generateReason).toBe('MODEL_STOP');
});

test('C058 C014 nothing at all: bounded tries, then a typed failure', async () => {
  for (const empty of [[], [{ finishReason: 'tool_calls' as const }], [{ text: ' ' }]]) {
    const model = scriptedModel(empty, empty, empty, 'never asked');
    await expect(new ReActAgent({ name: 'F', model }).call('go')).rejects.toMatchObject({ code: 'model/empty-answer' });
    expect(model.requests).toHaveLength(3);
  }
});

test('C014 a finish reason that disagrees: the tool runs with "stop" and with an unknown word', async () => {
  for (const finishReason of ['stop', 'other'] as const) {
    const model = scriptedModel({ tool: 'quick', finishReason }, 'Done.');
    const reply = await new ReActAgent({ name: 'F', model, toolkit: [quick] }).call('go');
    expect(reply.getToolCalls()[0]?.result?.state).toBe('success');
  }
});

test('C018 a tool without arguments runs with {}, however nothing was written', async () => {
  const seen: unknown[] = [];
  const now = defineTool({ name: 'now', description: '', input: { type: 'object', properties: {} }, execute: (input) => void seen.push(input) });
  for (const written of ['', '  ', 'null', '{}']) {
    await new ReActAgent({ name: 'F', model: scriptedModel({ tool: 'now', arguments: written }, 'ok'), toolkit: [now] }).call('go');
  }
  expect(seen).toEqual([{}, {}, {}, {}]);
});

test('C019 C023 broken arguments: an error result that says what is wrong, no execution, the loop goes on', async () => {
  let ran = 0;
  const read = defineTool({
    name: 'read',
    description: '',
    input: { type: 'object', properties: { opts: { type: 'object', properties: { depth: { type: 'integer' } }, required: ['depth'] } }, required: ['opts'] },
    execute: () => void ran++,
  });
  for (const [written, said] of [
    ['{"path": foo}', 'not a JSON object'],
    ['{"opts":{}}', 'opts.depth'],
    ['{"q":"a"},{"q":"b"}', 'not a JSON object'],
    ['12', 'not a JSON object'],
  ] as const) {
    const model = scriptedModel({ tool: 'read', arguments: written, id: 'c1' }, 'Mended.');
    const reply = await new ReActAgent({ name: 'F', model, toolkit: [read] }).call('go');
    const { call, result } = reply.getToolCalls()[0] ?? {};
    expect([call?.content, result?.id, result?.state]).toEqual([written, 'c1', 'error']);
    expect(JSON.stringify(result?.output)).toContain(said);
    expect(reply.getTextContent()).toBe('Mended.');
  }
  expect(ran).toBe(0);
});

test('C023 arguments followed by a blank are whole', async () => {
  const model = scriptedModel({ tool: 'quick', arguments: ['{"q":"a"}', ' '] }, 'ok');
  const reply = await new ReActAgent({ name: 'F', model, toolkit: [quick] }).call('go');
  expect(reply.getToolCalls()[0]?.result?.state).toBe('success');
});

test('arguments cut by the output limit: an error result that says so', async () => {
  const model = scriptedModel({ tool: 'quick', arguments: '{"city": "Lis', finishReason: 'length' }, 'ok');
  const reply = await new ReActAgent({ name: 'F', model, toolkit: [quick] }).call('go');
  expect(JSON.stringify(reply.getToolCalls()[0]?.result?.output)).toContain('cut off by the output limit');
});

test('C024 the same call id twice in one answer, and again in the next round: every call has its own result', async () => {
  const echo = defineTool({ name: 'echo', description: '', input: { type: 'object', properties: { n: { type: 'number' } } }, readOnly: true, execute: ({ n }) => `n=${n}` });
  const x = (n: number) => ({ tool: 'echo', id: 'x', input: { n } });
  const model = scriptedModel([x(1), x(2)], x(3), 'ok');
  const reply = await new ReActAgent({ name: 'F', model, toolkit: [echo] }).call('go');
  expect(reply.getToolCalls().map(({ call, result }) => [call.input, result?.output.map((block) => block.type === 'text' && block.text)])).toEqual([
    [{ n: 1 }, ['n=1']],
    [{ n: 2 }, ['n=2']],
    [{ n: 3 }, ['n=3']],
  ]);
});

test('C026 C029 unknown, illegal, differently written and missing tool names: an error result each', async () => {
  for (const name of ['no_such_tool', 'bad name!{}', 'QUICK', 'constructor']) {
    const reply = await new ReActAgent({ name: 'F', model: scriptedModel({ tool: name }, 'ok'), toolkit: [quick] }).call('go');
    const { result } = reply.getToolCalls()[0] ?? {};
    expect([name, result?.state, JSON.stringify(result?.output).includes('There is no tool named')]).toEqual([name, 'error', true]);
  }
  for (const name of ['', '__proto__']) {
    // Names that begin with two underscores are placeholders of the wire, not names (WIRE §3.5).
    const reply = await new ReActAgent({ name: 'F', model: scriptedModel({ tool: name }, 'ok'), toolkit: [quick] }).call('go');
    expect(JSON.stringify(reply.getToolCalls()[0]?.result?.output)).toContain('names no tool');
  }
});

test('C029 a session, a call and arguments called __proto__ are like any other', async () => {
  const seen: unknown[] = [];
  const take = defineTool({ name: 'take', description: '', input: { type: 'object' }, execute: (input) => void seen.push(JSON.stringify(input)) });
  const model = scriptedModel({ tool: 'take', id: '__proto__', arguments: '{"__proto__":{"admin":true},"constructor":{"x":1}}' }, 'ok');
  const agent = new ReActAgent({ name: 'F', model, toolkit: [take] });
  const reply = await agent.call('go', { sessionId: '__proto__', userId: 'constructor' });
  expect(seen).toEqual(['{"__proto__":{"admin":true},"constructor":{"x":1}}']);
  expect(reply.getToolCalls()[0]?.result?.id).toBe('__proto__');
  expect(({} as { admin?: boolean }).admin).toBeUndefined();
  expect(await agent.session({ sessionId: 'toString' }).messages()).toEqual([]);
});

test('C027 parallel calls that end in another order: results in call order, the same request every time', async () => {
  const request = async (delays: readonly number[]): Promise<string> => {
    const slow = defineTool({
      name: 'slow',
      description: '',
      input: { type: 'object', properties: { i: { type: 'number' } }, required: ['i'] },
      readOnly: true,
      execute: ({ i }) => new Promise((resolve) => setTimeout(() => resolve(`r${i}`), delays[i])),
    });
    const model = scriptedModel([0, 1, 2].map((i) => ({ tool: 'slow', id: `c${i}`, input: { i } })), 'ok');
    const reply = await new ReActAgent({ name: 'F', model, toolkit: [slow] }).call('go');
    expect(reply.content.filter((block) => block.type === 'tool_result').map((block) => block.id)).toEqual(['c0', 'c1', 'c2']);
    return JSON.stringify(model.requests[1]?.messages.at(-1)?.content.map((block) => ({ ...block, createdAt: '', finishedAt: '' })));
  };
  expect(await request([12, 6, 1])).toBe(await request([1, 6, 12]));
});

test('C030 C070 an interrupt before any tool ran: one result per call, and the next turn works', async () => {
  const model = scriptedModel([{ text: 'Let me see.' }, { tool: 'wait', id: 'a' }, { tool: 'quick', id: 'b' }], 'Fine.');
  const agent = new ReActAgent({ name: 'F', model, toolkit: [wait, quick] });
  const stream = agent.streamEvents('go');
  for await (const event of stream) if (event.type === 'TOOL_CALL_END' && event.toolCallId === 'b') await agent.interrupt();
  const reply = await stream.result;
  expect(reply.generateReason).toBe('INTERRUPTED');
  expect(reply.getToolCalls().map(({ result }) => result?.state)).toEqual(['interrupted', 'interrupted']);
  expect((await agent.call('go on')).getTextContent()).toBe('Fine.');
});

test('C070 an interrupt while thinking, in text and in a tool keeps what was there', async () => {
  const scripts = { thinking: [{ thinking: 'hm' }, { hang: true }], text: [{ text: 'half an ans' }, { hang: true }], tool: [{ tool: 'wait' }] };
  for (const [phase, script] of Object.entries(scripts)) {
    const agent = new ReActAgent({ name: 'F', model: scriptedModel(script, 'ok'), toolkit: [wait] });
    const stream = agent.streamEvents('keep me');
    const stopAt = phase === 'tool' ? 'TOOL_RESULT_START' : phase === 'text' ? 'TEXT_BLOCK_DELTA' : 'THINKING_BLOCK_DELTA';
    const { events, error } = await drain(
      (async function* () {
        for await (const event of stream) {
          if (event.type === stopAt) void agent.interrupt();
          yield event;
        }
      })(),
    );
    expect([phase, error]).toEqual([phase, undefined]);
    expectPaired(events);
    expect(JSON.stringify(foldEvents(events))).toBe(JSON.stringify(await stream.result));
    const [user, reply] = await agent.session().messages();
    expect([phase, user?.getTextContent(), reply?.generateReason, reply?.content[0]?.type]).toEqual([phase, 'keep me', 'INTERRUPTED', phase === 'tool' ? 'tool_use' : phase]);
    expect((await agent.call('next')).getTextContent()).toBe('ok');
  }
});

test('C071 S4-026 an abort reaches the tools, also one that hears nothing; no further model call', async () => {
  for (const tool of [wait, deaf]) {
    const model = scriptedModel({ tool: tool.name }, 'never');
    const agent = new ReActAgent({ name: 'F', model, toolkit: [tool] });
    const controller = new AbortController();
    const stream = agent.streamEvents('go', { signal: controller.signal });
    const reason = new Error('enough');
    const { events, error } = await drain(
      (async function* () {
        for await (const event of stream) {
          if (event.type === 'TOOL_RESULT_START') controller.abort(reason);
          yield event;
        }
      })(),
    );
    expect(error).toBe(reason);
    expect(events.at(-1)).toMatchObject({ type: 'AGENT_END', generateReason: 'INTERRUPTED' });
    const reply = (await agent.session().messages()).at(-1);
    expect(reply?.getToolCalls()[0]?.result?.state).toBe('interrupted');
    expect(model.requests).toHaveLength(1);
  }
});

test('S4-026 nothing to interrupt: the receipt says so, and the next call is not hurt', async () => {
  const agent = new ReActAgent({ name: 'F', model: scriptedModel('ok') });
  expect(await agent.interrupt()).toEqual({ replyId: null });
  expect((await agent.call('go')).generateReason).toBe('MODEL_STOP');
});

test('C076 an interrupt stops its own session only; without a target several busy ones are ambiguous', async () => {
  const hang = () => [{ text: 'x' }, { hang: true }];
  const agent = new ReActAgent({ name: 'F', model: scriptedModel(hang, hang) });
  const streams = ['s1', 's2'].map((sessionId) => agent.streamEvents('go', { sessionId, detach: true }));
  for (const stream of streams) for await (const event of stream) if (event.type === 'TEXT_BLOCK_DELTA') break;
  await expect(agent.interrupt()).rejects.toMatchObject({ code: 'agent/ambiguous-target', details: { sessionIds: ['s1', 's2'] } });
  expect(await agent.interrupt({ sessionId: 'unknown' })).toEqual({ replyId: null });
  expect((await agent.interrupt({ sessionId: 's1' })).replyId).toBe((await streams[0]?.result)?.id);
  expect((await agent.interrupt()).replyId).toBe((await streams[1]?.result)?.id);
});

test('an interrupt with words puts them after the reply it stopped', async () => {
  const model = scriptedModel([{ text: 'x' }, { hang: true }], 'ok');
  const agent = new ReActAgent({ name: 'F', model });
  for await (const event of agent.streamEvents('go', { detach: true })) if (event.type === 'TEXT_BLOCK_DELTA') break;
  await agent.interrupt({ message: 'stop, use B' });
  expect((await agent.session().messages()).map((msg) => [msg.role, msg.getTextContent()])).toEqual([
    ['USER', 'go'],
    ['ASSISTANT', 'x'],
    ['USER', 'stop, use B'],
  ]);
});

test('C073 one signal over many replies keeps no listener', async () => {
  const controller = new AbortController();
  const three = [{ tool: 'quick' }, { tool: 'bad' }, { tool: 'quick' }];
  const bad = defineTool({ name: 'bad', description: '', execute: () => Promise.reject(new Error('no')) });
  const rounds = 200;
  const model = scriptedModel(...Array.from({ length: rounds }, () => [three, 'ok']).flat());
  const agent = new ReActAgent({ name: 'F', model, toolkit: [quick, bad] });
  for (let i = 0; i < rounds; i++) {
    const stream = agent.streamEvents('go', { signal: controller.signal });
    if (i % 2 === 0) await stream.result;
    else for await (const event of stream) if (event.type === 'AGENT_RESULT') break;
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  }
});

test('C078 a throw, a time-out and a late success: three results with the right ids', async () => {
  const bad = defineTool({ name: 'bad', description: '', readOnly: true, execute: () => Promise.reject(new Error('no luck')) });
  const slow = defineTool({ name: 'slow', description: '', readOnly: true, timeoutMs: 5, execute: () => new Promise<string>(() => undefined) });
  const late = defineTool({ name: 'late', description: '', readOnly: true, execute: () => new Promise<string>((resolve) => setTimeout(() => resolve('here'), 15)) });
  const model = scriptedModel([{ tool: 'bad', id: 'a' }, { tool: 'slow', id: 'b' }, { tool: 'late', id: 'c' }], 'ok');
  const reply = await new ReActAgent({ name: 'F', model, toolkit: [bad, slow, late] }).call('go');
  expect(reply.getToolCalls().map(({ call, result }) => [call.id, result?.id, result?.name, result?.state])).toEqual([
    ['a', 'a', 'bad', 'error'],
    ['b', 'b', 'slow', 'error'],
    ['c', 'c', 'late', 'success'],
  ]);
});

test('C080 leaving the iteration early cancels the model, and the agent can be called again', async () => {
  let ended = false;
  const model = {
    ...scriptedModel(),
    async *stream() {
      try {
        yield { id: '1', content: [{ index: 0, type: 'text' as const, text: 'a' }] };
        await new Promise(() => undefined);
      } finally {
        ended = true;
      }
    },
  };
  const agent = new ReActAgent({ name: 'F', model });
  for await (const event of agent.streamEvents('go')) if (event.type === 'TEXT_BLOCK_DELTA') break;
  expect((await agent.session().messages()).at(-1)?.generateReason).toBe('INTERRUPTED');
  void ended; // a model that never wakes cannot run its `finally`; the reply does not wait for it
  const next = agent.with({ model: scriptedModel('ok') });
  expect((await next.call('again')).getTextContent()).toBe('ok');
});

test('C080 `finally` code of a tool has run when leaving the iteration resolves', async () => {
  const log: string[] = [];
  const careful = defineTool({
    name: 'careful',
    description: '',
    async *execute(_input, { signal }) {
      try {
        yield 'begun';
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      } finally {
        log.push('cleaned up');
      }
    },
  });
  const agent = new ReActAgent({ name: 'F', model: scriptedModel({ tool: 'careful' }), toolkit: [careful] });
  for await (const event of agent.streamEvents('go')) if (event.type === 'TOOL_RESULT_TEXT_DELTA') break;
  expect(log).toEqual(['cleaned up']);
});

test('a result nobody awaits is no unhandled rejection', async () => {
  const failures: unknown[] = [];
  const onFailure = (error: unknown): void => void failures.push(error);
  process.on('unhandledRejection', onFailure);
  const stream = new ReActAgent({ name: 'F', model: scriptedModel({ error: new Error('x') }) }).streamEvents('go');
  void stream.result;
  void stream.accepted;
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.off('unhandledRejection', onFailure);
  expect(failures).toEqual([]);
});

test('an aborted signal before the start: nothing is stored, no stream', async () => {
  const model = scriptedModel();
  const agent = new ReActAgent({ name: 'F', model });
  const reason = new Error('too late');
  const { events, error } = await drain(agent.streamEvents(new UserMessage('x'), { signal: AbortSignal.abort(reason) }));
  expect([events, error]).toEqual([[], reason]);
  expect(await agent.session().messages()).toEqual([]);
});

test('C056 a model without ids: all events share one reply id, another reply has another', async () => {
  const model = scriptedModel('a', 'b');
  const agent = new ReActAgent({ name: 'F', model });
  const ids = [];
  for (const text of ['1', '2']) {
    const stream = agent.streamEvents(text);
    const events = await collect(stream);
    expect(new Set(events.map((event) => event.replyId))).toEqual(new Set([(await stream.result).id]));
    ids.push((await stream.result).id);
  }
  expect(new Set(ids).size).toBe(2);
});

test('C047 two model calls with text and thinking each: ids in the events are the ids in the message', async () => {
  const model = scriptedModel([{ thinking: 'a' }, { text: 't1' }, { tool: 'quick' }], [{ thinking: 'b' }, { text: 't2' }]);
  const stream = new ReActAgent({ name: 'F', model, toolkit: [quick] }).streamEvents('go');
  const events = await collect(stream);
  const started = events.flatMap((event) => (event.type === 'TEXT_BLOCK_START' || event.type === 'THINKING_BLOCK_START' ? [event.blockId] : []));
  const stored = (await stream.result).content.flatMap((block) => (block.type === 'text' || block.type === 'thinking' ? [block.id] : []));
  expect(stored).toEqual(started);
  expect(new Set(started).size).toBe(4);
});
