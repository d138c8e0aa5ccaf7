import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { foldEvents } from '../src/event/index.ts';
import type { AgentEvent } from '../src/event/index.ts';
import { openCalls } from '../src/agent/next-step.ts';
import { story, World } from './people-world.ts';
import type { Story } from './people-world.ts';

const endings = new Map<string, number>();
const acts = new Map<string, number>();

async function played(given: Story): Promise<World> {
  const world = new World(given);
  await world.play();
  for (const ending of world.endings) endings.set(ending, (endings.get(ending) ?? 0) + 1);
  for (const { act, disturbed } of given.acts) for (const name of [act.do, ...(disturbed ? [disturbed.kind] : [])]) acts.set(name, (acts.get(name) ?? 0) + 1);
  return world;
}

test('I1 I2 I3 I4 I7 I9 I10 I12 whatever model, tools and people do, and whenever the process dies: the invariants hold, and no tool ran without a decision', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(story, async (given) => {
      const world = await played(given);
      expect(world.faults).toEqual([]);
      const events: AgentEvent[] = [];
      for await (const { event } of world.session.events()) events.push(event);
      await checkMessages(world, events);
      for (const stream of world.streams) checkStream(stream);
      checkDecisions(world, events);
      await checkOthers(world);
    }),
    { numRuns: Number(process.env['PEOPLE_RUNS'] ?? 250) },
  );
});

/** I1, I3, I4, I7: what is said is kept, folds to what the session holds, and every call of a closed reply has its one result. */
async function checkMessages(world: World, events: readonly AgentEvent[]): Promise<void> {
  const messages = await world.session.messages();
  const replies = messages.filter(({ role }) => role === 'ASSISTANT');
  expect(new Set(replies.map(({ id }) => id)).size).toBe(replies.length);
  for (const msg of replies) {
    const own = events.filter((event) => event.replyId === msg.id);
    expect(JSON.stringify(foldEvents(own))).toBe(JSON.stringify(msg));
    const blocks = own.flatMap((event) => (event.type.endsWith('_BLOCK_START') && 'blockId' in event ? [event.blockId] : []));
    expect(new Set(blocks).size).toBe(blocks.length);
    expect(openCalls(msg.content)).toEqual([]);
  }
  const hints = messages.flatMap(({ content }) => content.flatMap((block) => (block.type === 'hint' ? [block.id] : [])));
  for (const id of world.accepted) expect([id, messages.filter((msg) => msg.id === id).length + hints.filter((hint) => hint === id).length]).toEqual([id, 1]);
}

/** I2: what a reader saw of a call that came to its end. */
function checkStream(events: readonly AgentEvent[]): void {
  if (events.length === 0) return; // refused before anything began
  expect([events[0]?.type, events.at(-2)?.type, events.at(-1)?.type]).toEqual(['AGENT_START', 'AGENT_RESULT', 'AGENT_END']);
  expect(new Set(events.map(({ replyId }) => replyId)).size).toBe(1);
  const open = new Map<string, number>();
  for (const event of events) {
    const [, name, edge] = /^(.*)_(START|END)$/.exec(event.type) ?? [];
    if (name === undefined || name === 'TOOL_RESULT') continue;
    const id = `${name} ${'blockId' in event ? event.blockId : 'toolCallId' in event ? event.toolCallId : ''}`;
    open.set(id, (open.get(id) ?? 0) + (edge === 'START' ? 1 : -1));
  }
  expect([...open].filter(([name, count]) => count !== 0 && name !== 'MODEL_CALL ')).toEqual([]);
}

interface RunRecord {
  readonly decision: string;
  readonly by: string;
  readonly key?: string;
}

/** I7, I9: every run has its decision on record before it, a yes of a person only where one was given, and effects happen once. */
function checkDecisions({ ran }: World, events: readonly AgentEvent[]): void {
  const approved = new Set<string>();
  const intents = new Set<string>();
  for (const event of events) {
    const call = (id: string): string => `${event.replyId} ${id}`;
    if (event.type === 'TOOL_CALL_START') approved.delete(call(event.toolCallId));
    if (event.type === 'USER_CONFIRM_RESULT' && event.metadata?.['rule'] === undefined) for (const { confirmed, toolCall } of event.confirmResults) if (confirmed) approved.add(call(toolCall.id));
    const run = event.type === 'TOOL_RESULT_START' ? (event.metadata?.['run'] as RunRecord | undefined) : undefined;
    if (event.type !== 'TOOL_RESULT_START' || run === undefined) continue;
    if (run.decision === 'user-allow') expect([event.toolCallName, approved.has(call(event.toolCallId))]).toEqual([event.toolCallName, true]);
    if (run.decision === 'allow' && event.toolCallName === 'asks') expect(run.by).toMatch(/^rule /);
    if (run.decision === 'allow' || run.decision === 'user-allow') intents.add(run.key ?? event.toolCallId);
  }
  for (const { tool, key, callId } of ran) {
    expect([tool, intents.has(key) || (tool === 'read' && intents.has(callId))]).toEqual([tool, true]);
    expect(tool).not.toBe('denies');
    if (tool === 'once' || tool === 'asks' || tool === 'slow') expect([tool, ran.filter((other) => other.key === key).length]).toEqual([tool, 1]);
  }
}

/** I12: another session of the same agent has heard of nothing. */
async function checkOthers({ agent }: World): Promise<void> {
  const other = agent.session({ sessionId: 'other' });
  expect([await other.messages(), (await other.permission()).mode, await other.pending()]).toEqual([[], 'default', []]);
}

test('the stories reach every ending in at least 3 % of their calls', () => {
  const total = [...endings.values()].reduce((sum, n) => sum + n, 0);
  process.stdout.write(`calls: ${total}; endings: ${[...endings].map(([ending, n]) => `${ending} ${((100 * n) / total).toFixed(1)} %`).join(', ')}\n`);
  for (const ending of ['success', 'error', 'abort', 'pause', 'limit', 'denial', 'crash']) expect([ending, (endings.get(ending) ?? 0) / total >= 0.03]).toEqual([ending, true]);
});

afterAll(() => {
  process.stdout.write(`acts: ${[...acts].map(([name, n]) => `${name} ${n}`).join(', ')}\n`);
});
