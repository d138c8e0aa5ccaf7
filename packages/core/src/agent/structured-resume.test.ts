import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { foldEvents } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import { JsonSession } from '../store/file/index.ts';
import { collect, scriptedModel } from '../testing/index.ts';
import type { ScriptedModel, ScriptedReply } from '../testing/index.ts';
import { defineTool } from '../tool/index.ts';
import { approve, deny, provide } from './answers.ts';
import { ReActAgent } from './react-agent.ts';

const Trip = z.object({ leave: z.iso.date().transform((text) => new Date(`${text}T00:00:00Z`)), seats: z.int().default(1) });
const DATA = { leave: new Date('2026-12-24T00:00:00Z'), seats: 1 };
const book = defineTool({ name: 'book', description: 'Books.', checkPermission: 'ask', execute: () => 'booked' });
const fax = defineTool({ name: 'fax', description: 'Faxes.', external: true });
const answer = { tool: 'generate_response', input: { leave: '2026-12-24' } };

/** Each agent is one process: they share a folder and nothing else. */
function processes(): (...script: readonly ScriptedReply[]) => { agent: ReActAgent; model: ScriptedModel } {
  const folder = mkdtempSync(join(tmpdir(), 'agentscope-structured-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return (...script) => {
    const model = scriptedModel(...script);
    return { model, agent: new ReActAgent({ name: 'F', model, toolkit: [book, fax], session: new JsonSession(folder) }) };
  };
}
async function eventsOf(agent: ReActAgent): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const { event } of agent.session().events()) events.push(event);
  return events;
}

test('paused by a question, answered in another process without the schema: it ends structured, by the schema on record', async () => {
  const start = processes();
  const paused = await start({ tool: 'book', id: 'b' }).agent.call('Book it.', { schema: Trip });
  expect([paused.generateReason, paused.hasStructuredData()]).toEqual(['PERMISSION_ASKING', false]);
  expect(() => paused.getStructuredData()).toThrow(expect.objectContaining({ code: 'message/no-structured-data', details: { generateReason: 'PERMISSION_ASKING' } }));

  const { agent, model } = start({ tool: 'generate_response', input: { leave: 'soon' } }, answer);
  const [question] = await agent.session().pending('confirm');
  const reply = await agent.session().confirm(question?.id ?? '', { approve: true });
  expect([reply.id, reply.generateReason, reply.getStructuredData()]).toEqual([paused.id, 'STRUCTURED_OUTPUT', { leave: '2026-12-24', seats: 1 }]);
  expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(['book', 'fax', 'generate_response']);
  expect(reply.getStructuredData(Trip)).toEqual(DATA);
  expect(JSON.stringify(foldEvents(await eventsOf(agent)))).toBe(JSON.stringify(reply));
});

test('the call that goes on brings the schema: its own checks and transforms count', async () => {
  const start = processes();
  await start({ tool: 'book', id: 'b' }).agent.call('Book it.', { schema: Trip });
  const { agent } = start(answer);
  const [question] = await agent.session().pending('confirm');
  if (!question) throw new Error('nothing was asked');
  const reply = await agent.call(approve(question), { schema: Trip });
  expect([reply.generateReason, reply.getStructuredData()]).toEqual(['STRUCTURED_OUTPUT', DATA]);
});

test('a call that goes on may bring the first schema, or another one: the newest counts, in any later process', async () => {
  const start = processes();
  await start([{ tool: 'book', id: 'b' }, { tool: 'fax', id: 'f' }]).agent.call('Book it.');
  const second = start();
  const [question] = await second.agent.session().pending('confirm');
  if (!question) throw new Error('nothing was asked');
  expect((await second.agent.call(deny(question), { schema: Trip })).generateReason).toBe('TOOL_SUSPENDED');
  const third = start({ tool: 'generate_response', input: { seats: 2 } }, { tool: 'generate_response', input: { n: 1 } });
  const [outside] = await third.agent.session().pending('external');
  if (!outside) throw new Error('nothing is outside');
  const reply = await third.agent.call(provide(outside, 'sent'), { schema: z.object({ n: z.number() }) });
  expect(reply.getStructuredData()).toEqual({ n: 1 });
});

test('a question and the answer in one turn: nothing counts before the question has its answer', async () => {
  const start = processes();
  const paused = await start([{ tool: 'book', id: 'b' }, answer]).agent.call('Book it.', { schema: Trip });
  expect([paused.generateReason, paused.hasStructuredData()]).toEqual(['PERMISSION_ASKING', false]);
  const { agent, model } = start();
  const [question] = await agent.session().pending('confirm');
  const reply = await agent.session().confirm(question?.id ?? '', { approve: true });
  expect([reply.generateReason, reply.getStructuredData(), model.requests]).toEqual(['STRUCTURED_OUTPUT', { leave: '2026-12-24', seats: 1 }, []]);
});

test('a new message closes the paused reply, which owes nothing any more; the new one is in words', async () => {
  const start = processes();
  await start({ tool: 'book', id: 'b' }).agent.call('Book it.', { schema: Trip });
  const { agent, model } = start('Never mind.');
  const reply = await agent.call('Forget it.');
  expect([reply.generateReason, reply.getTextContent(), model.requests[0]?.tools?.length]).toEqual(['MODEL_STOP', 'Never mind.', 2]);
});

test('tries that were used before a pause stay used', async () => {
  const start = processes();
  const wrong = { tool: 'generate_response', input: { leave: 'soon' } };
  await start(wrong, wrong, { tool: 'book', id: 'b' }).agent.call('Book it.', { schema: Trip });
  const { agent, model } = start('hm', wrong);
  const [question] = await agent.session().pending('confirm');
  await expect(agent.session().confirm(question?.id ?? '', { approve: true })).rejects.toMatchObject({ code: 'agent/structured-output-invalid', details: { attempts: 4, paths: ['leave'] } });
  expect(model.requests).toHaveLength(2);
});

test('aborted while the model speaks: interrupted, and the signal rejects; the schema stays with the reply that was', async () => {
  const start = processes();
  const { agent } = start([{ text: '{"leave":' }, { hang: true }], 'In words.');
  const stop = new AbortController();
  const events: AgentEvent[] = [];
  const work = (async () => {
    for await (const event of agent.streamEvents('Book it.', { schema: Trip, signal: stop.signal })) {
      events.push(event);
      if (event.type === 'TEXT_BLOCK_DELTA') stop.abort(new Error('enough'));
    }
  })();
  await expect(work).rejects.toThrow('enough');
  const reply = foldEvents(events);
  expect([reply.generateReason, reply.hasStructuredData(), events.at(-1)?.type]).toEqual(['INTERRUPTED', false, 'AGENT_END']);
  expect((await agent.call('And now?')).generateReason).toBe('MODEL_STOP');
});

test('aborted while a check of the schema hangs: it is not waited for, in the loop or in the tool', async () => {
  for (const script of ['{"leave":"2026-12-24"}', answer]) {
    let asked: () => void = () => undefined;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const Hanging = z.object({ leave: z.string().refine(() => (asked(), new Promise<boolean>(() => undefined))) });
    const agent = new ReActAgent({ name: 'F', model: scriptedModel(script) });
    const run = collect(agent.streamEvents('Book it.', { schema: Hanging }));
    await isAsked;
    await agent.interrupt();
    const reply = foldEvents(await run);
    expect([reply.generateReason, reply.hasStructuredData()]).toEqual(['INTERRUPTED', false]);
    expect(reply.getToolCalls().every(({ result }) => result?.state === 'interrupted')).toBe(true);
  }
});
