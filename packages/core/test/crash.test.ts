import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { foldEvents } from '../src/event/index.ts';
import type { AgentEvent } from '../src/event/index.ts';
import { InMemorySession } from '../src/session/index.ts';
import type { JournalEntry, Session } from '../src/session/index.ts';
import { scriptedModel } from '../src/testing/index.ts';
import { anotherObject, DyingStore } from './dying-store.ts';
import { generatedRun, ledgerTools } from './generated-runs.ts';
import type { GeneratedRun, Ledger } from './generated-runs.ts';
import { openCalls } from '../src/agent/next-step.ts';
import { ReActAgent } from '../src/agent/react-agent.ts';

const KEY = { userId: undefined, sessionId: 'F' };
async function entriesOf(store: Session): Promise<readonly JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for await (const entry of store.read(KEY)) entries.push(entry);
  return entries;
}
const modelCalls = (run: GeneratedRun, skip: number) => scriptedModel(...run.script.slice(skip), ...Array.from({ length: 12 }, () => ({ text: 'enough' })));
/** Results that were durable when the process died; one that waits for outside work is none yet. */
function sealedResults(entries: readonly JournalEntry[]): readonly { id: string; state: string }[] {
  return entries.flatMap((entry) => {
    const event = entry.kind === 'event' ? entry.event : undefined;
    return event?.type === 'TOOL_RESULT_END' && event.state !== 'running' ? [{ id: event.toolCallId, state: event.state }] : [];
  });
}
const deaths = new Map<string, number>();

test('I7 C070 killed at any append and started again: no input lost, no result lost, no once tool run twice, the invariants hold', async () => {
  await fc.assert(
    fc.asyncProperty(generatedRun, fc.integer({ min: 1, max: 14 }), fc.boolean(), async (run, at, before) => {
      const inner = new InMemorySession();
      const ledger: Ledger = new Map();
      const dying = new DyingStore(inner, { at, before });
      const first = new ReActAgent({ name: 'F', model: modelCalls(run, 0), toolkit: ledgerTools(ledger), maxIters: run.maxIters, session: dying.store });
      const finished = first.call('go').then(
        () => true,
        () => true,
      );
      const survived = await Promise.race([finished, dying.died.then(() => false)]);
      await dying.bury();
      const kept = await entriesOf(inner);
      deaths.set(survived ? 'none' : before ? 'before' : 'after', (deaths.get(survived ? 'none' : before ? 'before' : 'after') ?? 0) + 1);

      const ended = kept.filter((entry) => entry.kind === 'event' && entry.event.type === 'MODEL_CALL_END').length;
      const again = new ReActAgent({ name: 'F', model: modelCalls(run, ended), toolkit: ledgerTools(ledger), maxIters: run.maxIters, session: anotherObject(inner) });
      const hadInput = kept.some((entry) => entry.kind === 'input');
      await again.call(hadInput ? undefined : 'go').catch(() => undefined);

      const events: AgentEvent[] = [];
      for await (const { event } of again.session().events()) events.push(event);
      const messages = await again.session().messages();
      const replyOf = (id: string | undefined) => JSON.stringify(foldEvents(events.filter((event) => event.replyId === id)));
      const reply = messages.find((msg) => msg.role === 'ASSISTANT');
      expect(messages[0]?.getTextContent()).toBe('go');
      expect(replyOf(reply?.id)).toBe(JSON.stringify(reply));
      if (reply?.generateReason !== 'PERMISSION_ASKING' && reply?.generateReason !== 'TOOL_SUSPENDED') expect(openCalls(reply?.content ?? [])).toEqual([]);
      for (const [run_, times] of ledger) if (run_.startsWith('once') || run_.startsWith('asks')) expect([run_, times]).toEqual([run_, 1]);
      for (const { id, state } of sealedResults(kept)) expect(reply?.content).toContainEqual(expect.objectContaining({ type: 'tool_result', id, state }));
    }),
    { numRuns: 500 },
  );
});

test('a once tool that had started is not run again: the result says that nobody knows, and later effects do not start', async () => {
  const inner = new InMemorySession();
  const ledger: Ledger = new Map();
  const script = [[{ tool: 'once', id: 'a' }, { tool: 'keyed', id: 'b' }, { tool: 'read', id: 'c' }]];
  const run: GeneratedRun = { script, maxIters: 3, interruptAt: undefined, answer: undefined };
  const dying = new DyingStore(inner, { at: 5, before: true }); // epoch, input, model call, intent; dies with the result
  void new ReActAgent({ name: 'F', model: modelCalls(run, 0), toolkit: ledgerTools(ledger), session: dying.store }).call('go').catch(() => undefined);
  await dying.died;
  await dying.bury();
  expect([...ledger.values()]).toEqual([1]);
  const again = new ReActAgent({ name: 'F', model: scriptedModel('I will check.'), toolkit: ledgerTools(ledger), session: anotherObject(inner) });
  const reply = await again.call();
  expect(reply.getToolCalls().map(({ call, result }) => [call.id, result?.state])).toEqual([
    ['a', 'interrupted'],
    ['b', 'interrupted'],
    ['c', 'success'],
  ]);
  expect(JSON.stringify(reply.getToolCalls()[0]?.result?.output)).toContain('unknown');
  expect(reply.getTextContent()).toBe('I will check.');
});

afterAll(() => {
  process.stdout.write(`killed: ${[...deaths].map(([where, n]) => `${where} ${n}`).join(', ')}\n`);
});
