import { expect, test } from 'vitest';
import { InMemorySession } from '../session/index.ts';
import type { Session } from '../session/index.ts';
import { scriptedModel } from '../testing/index.ts';
import type { ScriptedReply } from '../testing/index.ts';
import { defineTool, toolResult } from '../tool/index.ts';
import type { AnyTool, Reconciled } from '../tool/index.ts';
import type { ReActAgentOptions } from './options.ts';
import { deferred } from './deferred.ts';
import { ReActAgent } from './react-agent.ts';

/** The same data as another process has it. */
function elsewhere(inner: Session, changes: Partial<Session> = {}): Session {
  return new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(changes, name) ?? Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** A process with a tool `work` that never returns. `die()` waits until it has started; then nothing comes back or reaches the store, and the lease is gone. */
function dyingProcess(inner: InMemorySession): { readonly session: Session; readonly work: AnyTool; die(): Promise<void> } {
  const started = deferred<void>();
  let alive = true;
  let release: () => Promise<void> = async () => undefined;
  const session = elsewhere(inner, {
    append: (...args) => (alive ? inner.append(...args) : new Promise(() => undefined)),
    lease: async (...args) => {
      const lease = await inner.lease(...args);
      release = () => lease.release();
      return lease;
    },
  });
  const work = defineTool({ name: 'work', description: '', execute: () => (started.resolve(), new Promise<string>(() => undefined)) });
  const die = async (): Promise<void> => {
    await started.promise;
    alive = false;
    await release();
  };
  return { session, work, die };
}

async function crashInTool(inner: InMemorySession, { name = 'F', sessionId = 'F', script = [{ tool: 'work', id: 'w' }], tools = [] }: { name?: string; sessionId?: string; script?: readonly ScriptedReply[]; tools?: readonly AnyTool[] } = {}): Promise<void> {
  const { session, work, die } = dyingProcess(inner);
  void new ReActAgent({ name, model: scriptedModel(...script), toolkit: [work, ...tools], session }).call('go', { sessionId }).catch(() => undefined);
  await die();
}

interface Again {
  readonly reconcile?: () => Reconciled | Promise<Reconciled>;
  readonly script?: readonly ScriptedReply[];
  readonly options?: Partial<ReActAgentOptions>;
}
/** An agent in a new process, and how often its tool ran there. */
function again(inner: Session, { reconcile, script = ['Then.'], options = {} }: Again = {}) {
  const runs: string[] = [];
  const work = defineTool({ name: 'work', description: '', execute: () => (runs.push('work'), 'worked'), ...(reconcile ? { reconcile } : {}) });
  const later = defineTool({ name: 'later', description: '', execute: () => (runs.push('later'), 'later') });
  const reads = defineTool({ name: 'reads', description: '', readOnly: true, execute: () => (runs.push('reads'), 'read') });
  const model = scriptedModel(...script);
  return { runs, model, agent: new ReActAgent({ name: 'F', model, toolkit: [work, later, reads], session: elsewhere(inner), ...options }) };
}
const resultOf = (reply: { getToolCalls(): readonly { result?: { state: string; output: unknown } | undefined }[] }, at = 0): unknown[] => {
  const { result } = reply.getToolCalls()[at] ?? {};
  return [result?.state, JSON.stringify(result?.output)];
};

test('I7 C070 reconcile says done: the tool does not run, its output is the result, and the model is told how it was found', async () => {
  for (const answer of [{ status: 'done', output: 'receipt 7' } as const, 'receipt 7', toolResult('receipt 7')]) {
    const inner = new InMemorySession();
    await crashInTool(inner);
    const { agent, runs } = again(inner, { reconcile: () => answer });
    const [state, output] = resultOf(await agent.call());
    expect([state, runs]).toEqual(['success', []]);
    expect(output).toMatch(/receipt 7.*process ended while work was running/s);
  }
});

test('I7 reconcile says not started: it runs, once', async () => {
  const inner = new InMemorySession();
  await crashInTool(inner);
  const { agent, runs } = again(inner, { reconcile: async () => ({ status: 'notStarted' }) });
  expect([resultOf(await agent.call()), runs]).toEqual([['success', '[{"type":"text","text":"worked"}]'], ['work']]);
});

test('I7 reconcile does not know, says nothing, or throws: the result says that nobody knows, and it does not run', async () => {
  const answers: (() => Reconciled)[] = [() => ({ status: 'unknown' }), () => undefined, () => { throw new Error('down'); }];
  for (const reconcile of answers) {
    const inner = new InMemorySession();
    await crashInTool(inner);
    const { agent, runs } = again(inner, { reconcile });
    const [state, output] = resultOf(await agent.call());
    expect([state, runs]).toEqual(['interrupted', []]);
    expect(output).toContain('Whether it took effect is unknown');
  }
});

const THREE: readonly ScriptedReply[] = [[{ tool: 'work', id: 'w' }, { tool: 'later', id: 'l' }, { tool: 'reads', id: 'r' }]];
const stubs = ['later', 'reads'].map((name) => defineTool({ name, description: '', execute: () => '' }));

test('C030 onUnknownOutcome ask: a person is asked with words that say what is unknown; yes runs it again, in its turn', async () => {
  const inner = new InMemorySession();
  await crashInTool(inner, { script: THREE, tools: stubs });
  const { agent, runs } = again(inner, { options: { onUnknownOutcome: 'ask' } });
  const asked = await agent.call();
  expect([asked.generateReason, runs]).toEqual(['PERMISSION_ASKING', []]);
  const questions = await agent.session().pending('confirm');
  expect(questions.map(({ id, message }) => [id, message])).toEqual([['w', 'The process ended while work was running. Whether it took effect is unknown. Run it again?']]);
  const reply = await agent.session().confirm('w', { approve: true });
  expect([reply.generateReason, runs]).toEqual(['MODEL_STOP', ['work', 'later', 'reads']]);
  expect(resultOf(reply)).toEqual(['success', '[{"type":"text","text":"worked"}]']);
});

test('C030 onUnknownOutcome ask: no leaves it, says so, and later effects do not start', async () => {
  const inner = new InMemorySession();
  await crashInTool(inner, { script: THREE, tools: stubs });
  const { agent, runs, model } = again(inner, { options: { onUnknownOutcome: 'ask' } });
  await agent.call();
  const reply = await agent.session().confirm('w', { approve: false, reason: 'I will look' });
  expect([runs, reply.generateReason]).toEqual([['reads'], 'MODEL_STOP']);
  expect(reply.getToolCalls().map(({ result }) => result?.state)).toEqual(['interrupted', 'interrupted', 'success']);
  const told = JSON.stringify(model.requests[0]?.messages);
  expect(told).toContain('Whether it took effect is unknown. The user decided not to run it again: I will look.');
  expect(told).not.toContain('denied');
});

test('I7 I9 a yes counts for one run: after a second crash in it a person is asked again', async () => {
  const inner = new InMemorySession();
  await crashInTool(inner);
  const first = again(inner, { options: { onUnknownOutcome: 'ask' } });
  await first.agent.call();

  const { session, work, die } = dyingProcess(inner);
  void new ReActAgent({ name: 'F', model: scriptedModel(), toolkit: [work], session, onUnknownOutcome: 'ask' }).session().confirm('w', { approve: true }).catch(() => undefined);
  await die();

  const third = again(inner, { options: { onUnknownOutcome: 'ask' } });
  expect((await third.agent.call()).generateReason).toBe('PERMISSION_ASKING');
  expect(third.runs).toEqual([]);
  expect((await third.agent.session().pending('confirm')).map(({ id }) => id)).toEqual(['w']);
  expect((await third.agent.session().confirm('w', { approve: true })).generateReason).toBe('MODEL_STOP');
  expect(third.runs).toEqual(['work']);
});

test('a new message closes such a question, and the result says that nobody knows', async () => {
  const inner = new InMemorySession();
  await crashInTool(inner);
  const { agent, runs } = again(inner, { options: { onUnknownOutcome: 'ask' } });
  await agent.call();
  await agent.call('something else');
  const [, first] = await agent.session().messages();
  expect([resultOf(first as never), runs]).toEqual([['interrupted', '[{"type":"text","text":"The process ended while work was running. Whether it took effect is unknown."}]'], []]);
});

test('recoverAll finishes what was cut off and is this agent\'s, and reports the rest', async () => {
  const inner = new InMemorySession();
  const ids = Array.from({ length: 6 }, (_, i) => `s${i}`);
  for (const sessionId of ids) await crashInTool(inner, { sessionId });
  await crashInTool(inner, { name: 'Other', sessionId: 'other' });
  const finished = new ReActAgent({ name: 'F', model: scriptedModel('ok'), session: inner });
  await finished.call('hi', { sessionId: 'finished' });
  const held = await inner.lease({ sessionId: 's5' }, { ttlMs: 60_000, owner: 'somebody' });

  const { agent } = again(inner, { script: Array.from({ length: 9 }, () => 'Then.') });
  const told: string[] = [];
  const { recovered, skipped, failed } = await agent.recoverAll({ concurrency: 3, onReply: (reply, { sessionId }) => void told.push(`${sessionId} ${reply.getTextContent()}`) });
  expect(told.toSorted()).toEqual(['s0', 's1', 's2', 's3', 's4'].map((id) => `${id} Then.`));
  expect(recovered.map(({ key, reply }) => [key.sessionId, reply.generateReason]).toSorted()).toEqual(['s0', 's1', 's2', 's3', 's4'].map((id) => [id, 'MODEL_STOP']));
  expect(skipped.map(({ key, why }) => [key.sessionId, why]).toSorted()).toEqual([['other', 'other-agent'], ['s5', 'held']]);
  expect(failed).toEqual([]);
  await held.release();
  expect((await agent.recoverAll()).recovered.map(({ key }) => key.sessionId)).toEqual(['s5']);
  expect((await agent.recoverAll()).recovered).toEqual([]);
  await expect(agent.recoverAll({ concurrency: 0 })).rejects.toMatchObject({ code: 'config/invalid' });
});

test('recoverAll leaves alone what runs here, and names what fails', async () => {
  const inner = new InMemorySession();
  await crashInTool(inner, { sessionId: 'a' });
  await crashInTool(inner, { sessionId: 'b' });
  const model = scriptedModel([{ text: 'x' }, { hang: true }], { error: new Error('gone') });
  const { agent } = again(inner, { options: { model } });
  const calling = agent.call(undefined, { sessionId: 'a' });
  while (model.running === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  const { recovered, skipped, failed } = await agent.recoverAll();
  expect([recovered, skipped, failed.map(({ key }) => key.sessionId)]).toEqual([[], [{ key: { userId: undefined, sessionId: 'a' }, why: 'busy' }], ['b']]);
  await agent.interrupt({ sessionId: 'a' });
  await calling;
});

test('an option that is none of the two is config/invalid', () => {
  expect(() => new ReActAgent({ name: 'F', model: scriptedModel(), onUnknownOutcome: 'guess' as 'ask' })).toThrow(expect.objectContaining({ code: 'config/invalid', details: { option: 'onUnknownOutcome' } }));
});
