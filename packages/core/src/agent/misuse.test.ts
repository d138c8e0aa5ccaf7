import { expect, test } from 'vitest';
import type { AgentEvent } from '../event/index.ts';
import { UserMessage } from '../message/index.ts';
import { scriptedModel } from '../testing/index.ts';
import { ReActAgent } from './react-agent.ts';

test('options of a wrong shape, and options there are none of, are config/invalid and name the option', () => {
  const model = scriptedModel();
  for (const [options, option] of [
    [undefined, 'name'],
    [{ name: 'a', model, toolkit: {} }, 'toolkit'],
    [{ name: 'a', model, generateOptions: 5 }, 'generateOptions'],
    [{ name: 'a', model, maxIter: 3 }, 'maxIter'],
    [{ name: 'a', model, session: {} }, 'session'],
    [{ name: 'a', model, clock: 5 }, 'clock'],
    [{ name: 'a', model, sysPrompt: 7 }, 'sysPrompt'],
  ] as const) {
    expect(() => new ReActAgent(options as never)).toThrow(expect.objectContaining({ code: 'config/invalid', details: { option } }));
  }
  expect(() => new ReActAgent({ name: 'a', model, sysPrompt: undefined, toolkit: undefined, session: undefined })).not.toThrow();
});

test('observe takes messages and nothing else', async () => {
  const agent = new ReActAgent({ name: 'F', model: scriptedModel() });
  for (const given of ['text', {}, 5, undefined, [], [{ role: 'USER' }]]) {
    await expect(agent.observe(given as never)).rejects.toMatchObject({ code: 'message/invalid' });
  }
  expect(await agent.session().messages()).toEqual([]);
});

test('malformed answers are message/invalid, before anything looks at them', async () => {
  const agent = new ReActAgent({ name: 'F', model: scriptedModel() });
  for (const answer of [
    { type: 'USER_CONFIRM_RESULT' },
    { type: 'USER_CONFIRM_RESULT', confirmResults: [] },
    { type: 'USER_CONFIRM_RESULT', confirmResults: [{ confirmed: 'yes', toolCall: { id: 'a', name: 'b' } }] },
    { type: 'USER_CONFIRM_RESULT', confirmResults: [null] },
    { type: 'EXTERNAL_EXECUTION_RESULT', toolResults: [{ id: 'a' }] },
    { type: 'EXTERNAL_EXECUTION_RESULT', toolResults: 'x' },
  ]) {
    await expect(agent.call(answer as never)).rejects.toMatchObject({ code: 'message/invalid' });
  }
});

test('a call without input on an empty session is message/invalid: there is nothing to go on with', async () => {
  const model = scriptedModel();
  await expect(new ReActAgent({ name: 'F', model }).call()).rejects.toMatchObject({ code: 'message/invalid' });
  expect(model.requests).toHaveLength(0);
});

test('call rejects and never throws, also for a session id that is no text', async () => {
  const promise = new ReActAgent({ name: 'F', model: scriptedModel() }).call('x', { sessionId: 5 as never });
  await expect(promise).rejects.toMatchObject({ code: 'session/invalid-id' });
});

test('leaving the loop interrupts also for a reader who asked for accepted first; a second reader only looks', async () => {
  const script = () => [{ text: 'a' }, { delayMs: 20, text: 'b' }, { delayMs: 20, text: 'c' }];
  const agent = new ReActAgent({ name: 'F', model: scriptedModel(script, script) });
  const stream = agent.streamEvents('go');
  await stream.accepted;
  for await (const event of stream) if (event.type === 'TEXT_BLOCK_DELTA') break;
  expect((await stream.result).generateReason).toBe('INTERRUPTED');
  const other = agent.streamEvents('again', { detach: true });
  await other.accepted;
  for await (const event of other) if (event.type === 'TEXT_BLOCK_DELTA') break;
  expect((await other.result).getTextContent()).toBe('abc');
});

test('interrupt stops a call that has only just been made', async () => {
  const agent = new ReActAgent({ name: 'F', model: scriptedModel({ delayMs: 50, text: 'late' }) });
  const reply = agent.call('go').catch((error: unknown) => error);
  await agent.interrupt();
  const outcome = await reply;
  expect(outcome instanceof Error || (outcome as { generateReason: string }).generateReason === 'INTERRUPTED').toBe(true);
  expect((await agent.session().messages()).some((msg) => msg.getTextContent() === 'late')).toBe(false);
});

test('openReply says what call() without input would go on with', async () => {
  const agent = new ReActAgent({ name: 'F', model: scriptedModel([{ text: 'a' }, { hang: true }]) });
  expect(await agent.session().openReply()).toBeUndefined();
  const events: AgentEvent[] = [];
  for await (const event of agent.streamEvents('go')) {
    events.push(event);
    if (event.type === 'TEXT_BLOCK_DELTA') {
      expect(await agent.session().openReply()).toEqual({ replyId: event.replyId, waiting: false });
      break;
    }
  }
  expect(await agent.session().openReply()).toBeUndefined();
});

test('whatever a model throws, the call rejects with an AgentScopeError that has it as its cause; again after a restart', async () => {
  for (const thrown of [new TypeError('odd'), 'text', undefined]) {
    const model = {
      ...scriptedModel(),
      stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(thrown) }) }),
    };
    const agent = new ReActAgent({ name: 'F', model });
    const msg = new UserMessage('bob', 'go');
    await expect(agent.call(msg)).rejects.toMatchObject({ code: 'model/failed', ...(thrown === undefined ? {} : { cause: thrown }) });
    await expect(agent.call(msg)).rejects.toMatchObject({ code: 'model/failed' });
  }
});

test('a malformed increment is model/bad-stream; what came before it in the same read stays, every START has its END', async () => {
  const holdingNothing = [{ index: 0, type: 'text' }, { type: 'text' }, { index: 1, type: 'tool_use', id: 'a', name: 'b' }, { index: 1, type: 'data' }, { index: 1, type: 'data', data: null }, { index: 1, type: 'data', data: { type: 'url' } }];
  for (const bad of [...holdingNothing, { index: 1, type: 'weird' }, { type: 'weird' }, null, undefined, 'text', []]) {
    const model = {
      ...scriptedModel(),
      async *stream() {
        yield { id: '1', content: [{ index: 0, type: 'text' as const, text: 'hello' }, bad as never] };
      },
    };
    const agent = new ReActAgent({ name: 'F', model });
    const events: AgentEvent[] = [];
    await expect(
      (async () => {
        for await (const event of agent.streamEvents('go')) events.push(event);
      })(),
    ).rejects.toMatchObject({ code: 'model/bad-stream' });
    expect(events.map((event) => event.type)).toEqual(['AGENT_START', 'MODEL_CALL_START', 'TEXT_BLOCK_START', 'TEXT_BLOCK_DELTA', 'TEXT_BLOCK_END', 'MODEL_CALL_END', 'AGENT_RESULT', 'AGENT_END']);
    expect((await agent.session().messages()).at(-1)?.getTextContent()).toBe('hello');
  }
});

test('an increment without a number goes on with the open block of its kind, and begins one where there is none', async () => {
  const text = (said: string) => ({ type: 'text' as const, text: said }) as never;
  const data = { type: 'data', data: { type: 'url', url: 'https://example.org/a.png' } } as never;
  const model = {
    ...scriptedModel(),
    async *stream() {
      yield { id: '1', content: [text('a'), text('b'), { type: 'thinking', thinking: 'c' } as never, data, text('d')], finishReason: 'stop' as const };
    },
  };
  const reply = await new ReActAgent({ name: 'F', model }).call('go');
  expect(reply.content.map((block) => (block.type === 'text' ? block.text : block.type))).toEqual(['ab', 'thinking', 'data', 'd']);
});

test('a call without an id gets one', async () => {
  const model = {
    ...scriptedModel(),
    async *stream() {
      yield { id: '1', content: [{ index: 0, type: 'tool_use' as const, id: undefined as never, name: 'x', content: '{}' }], finishReason: 'tool_calls' as const };
    },
  };
  const reply = await new ReActAgent({ name: 'F', model, maxIters: 1 }).call('go');
  expect(reply.getToolCalls()[0]?.call.id).toMatch(/^[0-9a-f-]{36}$/);
});
