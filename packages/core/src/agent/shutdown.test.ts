import { expect, test } from 'vitest';
import { InMemorySession } from '../session/index.ts';
import { scriptedModel } from '../testing/index.ts';
import type { ScriptedReply } from '../testing/index.ts';
import { defineTool } from '../tool/index.ts';
import { deferred } from './deferred.ts';
import { ReActAgent } from './react-agent.ts';

const KEY = { sessionId: 'F' };
const failure = (promise: Promise<unknown>): Promise<unknown> => promise.then((value) => value, (error: unknown) => error);

/** An agent whose tool works until it is let go, and what it ran. */
function working(...script: readonly ScriptedReply[]) {
  const started = deferred<void>();
  const open = deferred<void>();
  const runs: string[] = [];
  const session = new InMemorySession();
  const tool = (name: string, effect: 'once' | 'keyed') =>
    defineTool({
      name,
      description: '',
      effect,
      execute: async () => {
        runs.push(name);
        started.resolve();
        await open.promise;
        return `${name} done`;
      },
    });
  const toolkit = [tool('once', 'once'), tool('keyed', 'keyed')];
  const model = scriptedModel(...script);
  return { session, runs, model, toolkit, started: started.promise, open: () => open.resolve(), agent: new ReActAgent({ name: 'F', model, toolkit, session }) };
}
const isFree = async (session: InMemorySession): Promise<boolean> => {
  const lease = await session.lease(KEY, { ttlMs: 1_000, owner: 'another' }).catch(() => undefined);
  await lease?.release();
  return lease !== undefined;
};
const unfinished = async (session: InMemorySession): Promise<readonly string[]> => {
  const ids: string[] = [];
  for await (const { key } of session.list({ unfinished: true })) ids.push(key.sessionId);
  return ids;
};

test('I7 a shutdown lets the tool finish, keeps its result, and leaves the reply at that border; another process goes on', async () => {
  const { agent, session, runs, model, toolkit, started, open } = working({ tool: 'once' }, 'never asked here');
  const stream = agent.streamEvents('go');
  const result = failure(stream.result);
  await started;
  const closing = agent.shutdown();
  expect(agent.shutdown({ graceMs: 1 })).toBe(closing);
  open();
  await closing;
  const [, reply] = await agent.session().messages();
  expect(await result).toMatchObject({ code: 'agent/shut-down', details: { replyId: reply?.id } });
  expect(reply?.getToolCalls().map(({ result: one }) => one?.state)).toEqual(['success']);
  expect([await unfinished(session), await isFree(session), model.requests.length]).toEqual([['F'], true, 1]);

  const next = new ReActAgent({ name: 'F', model: scriptedModel('Done.'), toolkit, session });
  const { recovered } = await next.recoverAll();
  expect(recovered.map((one) => [one.reply.id, one.reply.getTextContent()])).toEqual([[reply?.id, 'Done.']]);
  expect(runs).toEqual(['once']);
});

test('a reply that only has to end, ends; one that pauses, pauses', async () => {
  const hold = deferred<void>();
  const ask = defineTool({ name: 'ask', description: '', checkPermission: 'ask', execute: () => '' });
  for (const [script, reason] of [[{ text: 'Done.' }, 'MODEL_STOP'], [{ tool: 'ask' }, 'PERMISSION_ASKING']] as const) {
    const model = scriptedModel([{ until: hold.promise }, script]);
    const agent = new ReActAgent({ name: 'F', model, toolkit: [ask] });
    const calling = agent.call('go');
    while (model.running === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    const closing = agent.shutdown();
    hold.resolve();
    expect((await calling).generateReason).toBe(reason);
    await closing;
  }
});

test('I7 what still runs after graceMs is cut: no once tool is said to be undone, a keyed one runs again with its key, the model is asked again', async () => {
  const { agent, session, toolkit, runs, started, open } = working([{ tool: 'keyed', id: 'k' }], 'unused');
  const first = failure(agent.call('go'));
  await started;
  await agent.shutdown({ graceMs: 0 });
  expect(await first).toMatchObject({ code: 'agent/shut-down' });
  expect([await unfinished(session), await isFree(session)]).toEqual([['F'], true]);
  open();
  const model = scriptedModel([{ text: 'Half' }, { hang: true }], 'Whole.');
  const second = new ReActAgent({ name: 'F', model, toolkit, session });
  const calling = failure(second.call());
  while (model.running === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  await second.shutdown({ graceMs: 0 });
  expect(await calling).toMatchObject({ code: 'agent/shut-down' });
  const reply = await new ReActAgent({ name: 'F', model: scriptedModel('Whole.'), toolkit, session }).call();
  expect([reply.getTextContent(), reply.getToolCalls().map(({ result }) => result?.state), runs]).toEqual(['Whole.', ['success'], ['keyed', 'keyed']]);
});

test('I7 a once tool that was cut is not run again: nobody knows what became of it', async () => {
  const { agent, session, toolkit, runs, started } = working({ tool: 'once' });
  const first = failure(agent.call('go'));
  await started;
  await agent.shutdown({ graceMs: 0 });
  await first;
  const reply = await new ReActAgent({ name: 'F', model: scriptedModel('I will look.'), toolkit, session }).call();
  expect([reply.getToolCalls().map(({ result }) => result?.state), runs]).toEqual([['interrupted'], ['once']]);
});

test('no new calls, and those that wait are turned away; nothing of them is stored', async () => {
  const { agent, session, started, open } = working({ tool: 'once' });
  const first = failure(agent.call('go'));
  await started;
  const waiting = failure(agent.call('waits'));
  const closing = agent.shutdown();
  const late = failure(agent.call('too late'));
  const stream = agent.streamEvents('too late');
  await expect(stream.accepted).rejects.toMatchObject({ code: 'agent/shut-down' });
  expect([await waiting, await late]).toMatchObject([{ code: 'agent/shut-down', details: { replyId: null } }, { code: 'agent/shut-down', details: { replyId: null } }]);
  open();
  await closing;
  await first;
  expect((await agent.session().messages()).map(({ role }) => role)).toEqual(['USER', 'ASSISTANT']);
  expect(await isFree(session)).toBe(true);
});

test('a second batch of calls does not start, and a reader who comes late is told that it ends', async () => {
  const { agent, runs, started, open } = working([{ tool: 'once' }, { tool: 'keyed' }]);
  const stream = agent.streamEvents('go');
  const result = failure(stream.result);
  await started;
  const late = failure((async () => {
    for await (const event of stream) void event;
  })());
  const closing = agent.shutdown();
  open();
  await closing;
  expect(await result).toMatchObject({ code: 'agent/shut-down' });
  expect(await late).toMatchObject({ code: 'agent/shut-down' });
  expect(runs).toEqual(['once']);
});

test('an agent with nothing to do shuts down at once; a negative time is config/invalid', async () => {
  const agent = new ReActAgent({ name: 'F', model: scriptedModel() });
  await expect(agent.shutdown({ graceMs: -1 })).rejects.toMatchObject({ code: 'config/invalid', details: { option: 'graceMs' } });
  await agent.shutdown({ graceMs: Infinity });
});
