import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFold, foldEvents } from '../src/event/index.ts';
import type { AgentEvent } from '../src/event/index.ts';
import type { ContentBlock } from '../src/message/index.ts';
import { endingOf, generatedRun, play } from './generated-runs.ts';
import type { Played } from './generated-runs.ts';

const RUNS = 400;
const endings = new Map<string, number>();

async function played(run: Parameters<typeof play>[0]): Promise<Played> {
  const result = await play(run);
  const ending = endingOf(result);
  endings.set(ending, (endings.get(ending) ?? 0) + 1);
  return result;
}
/** Properties over the same kind of runs; a failure prints the run. */
function forRuns(property: (result: Played) => Promise<void> | void): Promise<void> {
  return fc.assert(
    fc.asyncProperty(generatedRun, async (run) => property(await played(run))),
    { numRuns: RUNS },
  );
}

test('I1 S0-004 fold(events) is the message, also through JSON and with duplicates', async () => {
  await forRuns(({ streams, message }) => {
    const events = streams.flat();
    const expected = JSON.stringify(message);
    expect(JSON.stringify(foldEvents(events))).toBe(expected);
    expect(JSON.stringify(foldEvents(events.flatMap((event) => [event, event])))).toBe(expected);
    const seen = events.filter((event) => event.type !== 'AGENT_RESULT');
    expect(JSON.stringify(foldEvents(seen))).toBe(expected);
  });
});

test('I1 cut anywhere and gone on with from the snapshot, the fold is the same', async () => {
  await fc.assert(
    fc.asyncProperty(generatedRun, fc.nat(200), async (run, at) => {
      const { streams, message } = await played(run);
      const events = streams.flat();
      const cut = events.length === 0 ? 0 : at % events.length;
      const first = createFold();
      for (const event of events.slice(0, cut)) first.apply(event);
      const second = createFold({ snapshot: JSON.parse(JSON.stringify(first.snapshot())) });
      for (const event of events.slice(cut)) second.apply(event);
      expect(JSON.stringify(second.message())).toBe(JSON.stringify(message));
    }),
    { numRuns: RUNS },
  );
});

test('I2 S0-036 S0-037 every START has its END, each call one AGENT_START first and one AGENT_END last', async () => {
  await forRuns(({ streams }) => {
    for (const events of streams) {
      expect([events[0]?.type, events.at(-2)?.type, events.at(-1)?.type]).toEqual(['AGENT_START', 'AGENT_RESULT', 'AGENT_END']);
      const open = new Map<string, number>();
      for (const event of events) count(open, event);
      expect([...open].filter(([, number]) => number !== 0)).toEqual([]);
    }
  });
});

test('I3 S0-034 one reply id over all calls of a reply, block ids unique in it', async () => {
  await forRuns(({ streams, message }) => {
    const events = streams.flat();
    expect(new Set(events.map((event) => event.replyId))).toEqual(new Set([message.id]));
    const started = events.flatMap((event) => (event.type.endsWith('_BLOCK_START') && 'blockId' in event ? [event.blockId] : []));
    expect(new Set(started).size).toBe(started.length);
  });
});

test('I4 every call of a finished reply has exactly one result, after it and before the next model call', async () => {
  await forRuns(({ message }) => {
    if (message.generateReason === 'PERMISSION_ASKING' || message.generateReason === 'TOOL_SUSPENDED') return;
    expect(unanswered(message.content)).toEqual([]);
  });
});

test('a steering message is read once, by the reply or as a message of the next one; one that was taken back by nobody', async () => {
  const read = { hint: 0, message: 0, revoked: 0 };
  await forRuns(async ({ steer, agent, model }) => {
    if (!steer) return;
    const messages = await agent.session().messages();
    const hints = messages.flatMap(({ content }) => content.filter((block) => block.type === 'hint' && block.id === steer.id)).length;
    const own = messages.filter(({ id }) => id === steer.id).length;
    expect(hints + own).toBe(steer.revoked ? 0 : 1);
    if (steer.revoked) expect(JSON.stringify(model.requests.map((request) => request.messages))).not.toContain('by the way');
    read[steer.revoked ? 'revoked' : hints > 0 ? 'hint' : 'message']++;
  });
  process.stdout.write(`steered runs: ${JSON.stringify(read)}\n`);
  for (const [kind, times] of Object.entries(read)) expect([kind, times > 3]).toEqual([kind, true]);
});

test('the generator reaches every ending in at least 3 % of the runs', () => {
  const total = [...endings.values()].reduce((sum, n) => sum + n, 0);
  const shares = [...endings].map(([ending, n]) => `${ending} ${((100 * n) / total).toFixed(1)} %`);
  process.stdout.write(`generated runs: ${total}; endings: ${shares.join(', ')}\n`);
  for (const ending of ['success', 'error', 'abort', 'pause', 'limit', 'denial']) expect([ending, (endings.get(ending) ?? 0) / total >= 0.03]).toEqual([ending, true]);
});

function count(open: Map<string, number>, event: AgentEvent): void {
  const [, name, edge] = /^(.*)_(START|END)$/.exec(event.type) ?? [];
  if (name === undefined || name === 'TOOL_RESULT') return countResult(open, event);
  const id = `${name} ${'blockId' in event ? event.blockId : 'toolCallId' in event ? event.toolCallId : ''}`;
  open.set(id, (open.get(id) ?? 0) + (edge === 'START' ? 1 : -1));
}

/** Results handed in from outside are complete as they are (WIRE §3.4, rule 4). */
function countResult(open: Map<string, number>, event: AgentEvent): void {
  if (event.type === 'TOOL_RESULT_START') open.set(`result ${event.toolCallId}`, 1);
  if (event.type === 'TOOL_RESULT_END') open.set(`result ${event.toolCallId}`, 0);
}

/** Calls without exactly one result between them and the blocks of the next model call. */
function unanswered(content: readonly ContentBlock[]): readonly string[] {
  const faults: string[] = [];
  let open: string[] = [];
  let call: number | undefined;
  for (const block of content) {
    if (block.type !== 'tool_result' && block.call !== call) {
      faults.push(...open);
      open = [];
      call = block.call;
    }
    if (block.type === 'tool_use') open.push(block.id);
    if (block.type === 'tool_result') {
      if (!open.includes(block.id) || block.state === 'running') faults.push(`result ${block.id}`);
      open = open.filter((id) => id !== block.id);
    }
  }
  return [...faults, ...open];
}
