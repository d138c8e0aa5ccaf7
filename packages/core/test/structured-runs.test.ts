// Runs whose answer is data, as data: what the model says, in any order, by any way it may be asked, and what happens from outside.
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { openCalls } from '../src/agent/next-step.ts';
import { ReActAgent } from '../src/agent/react-agent.ts';
import { createFold, foldEvents } from '../src/event/index.ts';
import type { AgentEvent } from '../src/event/index.ts';
import { InMemorySession } from '../src/session/index.ts';
import type { Session } from '../src/session/index.ts';
import { scriptedModel } from '../src/testing/index.ts';
import type { ScriptedPart } from '../src/testing/index.ts';
import { anotherObject, DyingStore } from './dying-store.ts';
import { ledgerTools } from './generated-runs.ts';
import type { Ledger } from './generated-runs.ts';

const Answer = z.object({ n: z.int(), note: z.string().nullish() });

interface Run {
  readonly script: readonly (readonly ScriptedPart[])[];
  readonly native: boolean | 'without-tools';
  readonly mode: 'auto' | 'native' | 'tool';
  readonly hasTools: boolean;
  readonly maxIters: number;
  readonly interruptAt: number | undefined;
  readonly answers: boolean | undefined;
}

const said = fc.constantFrom('{"n":1}', '{"n":"one"}', '{"n":2,"note":null}', 'words', '{"n":', '```json\n{"n":3}\n```', '[]');
const part: fc.Arbitrary<ScriptedPart> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ text: said }) },
  { weight: 3, arbitrary: fc.record({ tool: fc.constant('generate_response'), arguments: said, id: fc.constantFrom('x', 'y') }) },
  { weight: 3, arbitrary: fc.record({ tool: fc.constantFrom('read', 'once', 'keyed', 'asks', 'asks', 'asks', 'asks', 'external', 'throws', 'unknown'), id: fc.constantFrom('x', 'y', 'z') }) },
  { weight: 1, arbitrary: fc.record({ thinking: fc.constant('hm') }) },
  { weight: 3, arbitrary: fc.record({ text: said, finishReason: fc.constantFrom('length' as const, 'content_filter' as const, 'pause' as const) }) },
);
const generated: fc.Arbitrary<Run> = fc.record({
  script: fc.array(fc.array(part, { maxLength: 3 }), { minLength: 1, maxLength: 5 }),
  native: fc.constantFrom(true, false, 'without-tools' as const),
  mode: fc.constantFrom('auto' as const, 'auto' as const, 'native' as const, 'tool' as const),
  hasTools: fc.boolean(),
  maxIters: fc.integer({ min: 1, max: 4 }),
  interruptAt: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.integer({ min: 2, max: 15 }) }),
  answers: fc.constantFrom(undefined, true, false),
});

function agentOf({ script, native, mode, hasTools, maxIters }: Run, { session, skip = 0, ledger = new Map() }: { session?: Session; skip?: number; ledger?: Ledger } = {}): ReActAgent {
  const rest = Array.from({ length: 12 }, () => ({ text: 'words' }));
  const model = Object.assign(scriptedModel(...script.slice(skip), ...rest), { nativeStructuredOutput: native });
  return new ReActAgent({ name: 'F', model, structuredOutput: mode, toolkit: hasTools ? ledgerTools(ledger) : [], maxIters, session });
}

const endings = new Map<string, number>();

async function play(run: Run) {
  const agent = agentOf(run);
  const streams: AgentEvent[][] = [];
  let error: unknown;
  const read = async (stream: AsyncIterable<AgentEvent>): Promise<void> => {
    const events: AgentEvent[] = [];
    streams.push(events);
    try {
      for await (const event of stream) {
        events.push(event);
        if (events.length === run.interruptAt) void agent.interrupt();
      }
    } catch (thrown) {
      error = thrown;
    }
  };
  await read(agent.streamEvents('go', { schema: Answer }));
  for (let rounds = 0; run.answers !== undefined && rounds < 5; rounds++) {
    const [question] = await agent.session().pending();
    if (!question) break;
    if (question.kind === 'confirm') await agent.session().confirm(question.id, { approve: run.answers }).catch((thrown: unknown) => (error = thrown));
    else await agent.session().provide(question.id, 'outside').catch((thrown: unknown) => (error = thrown));
  }
  const events: AgentEvent[] = [];
  for await (const { event } of agent.session().events()) events.push(event);
  const message = (await agent.session().messages()).find(({ role }) => role === 'ASSISTANT');
  if (!message) throw new Error('The run left no message.');
  const code = (message.metadata['agentscope_error'] as { type?: string } | undefined)?.type;
  const ending = code ?? message.generateReason;
  endings.set(ending, (endings.get(ending) ?? 0) + 1);
  return { streams, events, message, error, code };
}

test('I1 I2 I3 I4 in every ending of a reply that owes data', async () => {
  await fc.assert(
    fc.asyncProperty(generated, fc.nat(300), async (run, cutAt) => {
      const { streams, events, message, code } = await play(run);
      const whole = JSON.stringify(message);
      expect(JSON.stringify(foldEvents(events))).toBe(whole); // I1, with AGENT_RESULT and without, with duplicates, cut anywhere
      expect(JSON.stringify(foldEvents(events.filter(({ type }) => type !== 'AGENT_RESULT').flatMap((event) => [event, event])))).toBe(whole);
      const first = createFold();
      for (const event of events.slice(0, cutAt % events.length)) first.apply(event);
      const second = createFold({ snapshot: JSON.parse(JSON.stringify(first.snapshot())) });
      for (const event of events.slice(cutAt % events.length)) second.apply(event);
      expect([JSON.stringify(second.message()), second.facts()]).toEqual([whole, foldAll(events).facts()]);
      for (const stream of streams) expect([stream[0]?.type, stream.at(-2)?.type, stream.at(-1)?.type]).toEqual(['AGENT_START', 'AGENT_RESULT', 'AGENT_END']); // I2
      expect(new Set(events.map(({ replyId }) => replyId))).toEqual(new Set([message.id])); // I3
      const blockIds = events.flatMap((event) => (event.type.endsWith('_BLOCK_START') && 'blockId' in event ? [event.blockId] : event.type === 'HINT_BLOCK' ? [event.blockId] : []));
      expect(new Set(blockIds).size).toBe(blockIds.length);
      const isPaused = ['PERMISSION_ASKING', 'TOOL_SUSPENDED'].includes(message.generateReason) || message.generateReason.endsWith('_STOP_REQUESTED');
      if (!isPaused) expect(openCalls(message.content)).toEqual([]); // I4
      // Data stand there exactly where the reason says so, or where the summary had them, and they fit.
      if (message.hasStructuredData()) {
        expect(['STRUCTURED_OUTPUT', 'MAX_ITERATIONS']).toContain(message.generateReason);
        expect(Answer.safeParse(message.getStructuredData()).success).toBe(true);
      } else expect(message.generateReason).not.toBe('STRUCTURED_OUTPUT');
      if (!isPaused && code === undefined && message.generateReason === 'MODEL_STOP') throw new Error('A reply that owes data ended as if it did not.');
    }),
    { numRuns: 500 },
  );
  process.stdout.write(`structured endings: ${JSON.stringify(Object.fromEntries(endings))}\n`);
  const times = (...names: readonly string[]): number => names.reduce((sum, name) => sum + (endings.get(name) ?? 0), 0);
  for (const kind of [['STRUCTURED_OUTPUT'], ['agent/structured-output-invalid'], ['model/refused'], ['INTERRUPTED'], ['PERMISSION_ASKING', 'TOOL_SUSPENDED'], ['MAX_ITERATIONS']]) expect([kind, times(...kind) >= 5]).toEqual([kind, true]);
});

function foldAll(events: readonly AgentEvent[]) {
  const fold = createFold();
  for (const event of events) fold.apply(event);
  return fold;
}

const deaths = new Map<string, number>();

test('I7 killed at any append and gone on with in another process, which knows nothing of the schema: it still ends as data or as a typed failure', async () => {
  await fc.assert(
    fc.asyncProperty(generated, fc.integer({ min: 1, max: 12 }), fc.boolean(), async (given, at, before) => {
      const run = { ...given, interruptAt: undefined };
      const inner = new InMemorySession();
      const dying = new DyingStore(inner, { at, before });
      const ledger: Ledger = new Map();
      const finished = agentOf(run, { session: dying.store, ledger }).call('go', { schema: Answer }).then(() => true, () => true);
      await Promise.race([finished, dying.died]);
      await dying.bury();
      const again = agentOf(run, { session: anotherObject(inner), ledger, skip: 1 });
      const hadInput = (await again.session().messages()).length > 0;
      if (!hadInput) return;
      await again.call().catch(() => undefined);
      const events: AgentEvent[] = [];
      for await (const { event } of again.session().events()) events.push(event);
      const message = (await again.session().messages()).find(({ role }) => role === 'ASSISTANT');
      expect(JSON.stringify(foldEvents(events.filter(({ replyId }) => replyId === message?.id)))).toBe(JSON.stringify(message));
      for (const [name, times] of ledger) if (name.startsWith('once')) expect([name, times]).toEqual([name, 1]);
      const code = (message?.metadata['agentscope_error'] as { type?: string } | undefined)?.type;
      const ending = code ?? message?.generateReason ?? '';
      deaths.set(ending, (deaths.get(ending) ?? 0) + 1);
      if (message?.hasStructuredData()) expect(Answer.safeParse(message.getStructuredData()).success).toBe(true);
      if (code === undefined) expect(message?.generateReason).not.toBe('MODEL_STOP');
    }),
    { numRuns: 300 },
  );
  expect(deaths.get('STRUCTURED_OUTPUT') ?? 0).toBeGreaterThan(20);
});

afterAll(() => {
  process.stdout.write(`structured, killed and gone on with: ${JSON.stringify(Object.fromEntries(deaths))}\n`);
});
