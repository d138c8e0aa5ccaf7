import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { ReActAgent } from '../src/agent/react-agent.ts';
import type { AgentEvent } from '../src/event/index.ts';
import { expand, InMemorySession } from '../src/session/index.ts';
import type { Durability, JournalEntry, Session } from '../src/session/index.ts';
import { scriptedModel } from '../src/testing/index.ts';
import { generatedRun, ledgerTools } from './generated-runs.ts';
import type { GeneratedRun, Ledger } from './generated-runs.ts';

/** When the process is killed: at an append, before it reached the store or after, or when its reader was told so many events. */
type Moment = { readonly kind: 'append'; readonly at: number; readonly before: boolean } | { readonly kind: 'event'; readonly at: number };

/** What is left of a process that was killed: the store's entries, what its reader was told, what its tools did. */
interface Remains {
  readonly kept: readonly JournalEntry[];
  readonly told: readonly AgentEvent[];
  readonly ledger: Ledger;
  readonly died: boolean;
}

const moment: fc.Arbitrary<Moment> = fc.oneof(
  fc.record({ kind: fc.constant('append' as const), at: fc.integer({ min: 1, max: 14 }), before: fc.boolean() }),
  fc.record({ kind: fc.constant('event' as const), at: fc.integer({ min: 1, max: 40 }) }),
);
const run = generatedRun.map((each): GeneratedRun => ({ ...each, interruptAt: undefined }));
const KEY = { userId: undefined, sessionId: 'F' };
const counts = new Map<string, number>();

test('I7 durability delta: nothing is lost but the network read that was on its way to the store', async () => {
  await forAll('delta', async (remains) => {
    expect(missing(remains).filter(notNewest(remains))).toEqual([]);
  });
});

test('I7 durability step: only deltas of the running model call or reading tool are lost, and what was on its way to the store', async () => {
  const unfinished = /^(MODEL_CALL_START|HINT_BLOCK|EXCEED_MAX_ITERS|(TEXT|THINKING|DATA)_BLOCK_(START|DELTA|END)|TOOL_CALL_(START|DELTA|END)|TOOL_RESULT_(START|TEXT_DELTA|DATA_DELTA))$/;
  await forAll('step', async (remains) => {
    const lost = missing(remains).filter(notNewest(remains));
    for (const { type } of lost) expect(type).toMatch(unfinished);
    expect(lost.filter(isEffect)).toEqual([]);
    expect(lost.filter(({ type }) => type === 'MODEL_CALL_START').length).toBeLessThanOrEqual(1);
  });
});

test('I7 durability reply: the running reply is lost, intents of tools with effects and the input excepted', async () => {
  await forAll('reply', async (remains) => {
    const lost = missing(remains).filter(notNewest(remains));
    expect(lost.filter(isEffect)).toEqual([]);
    expect(lost.filter(({ type }) => type === 'AGENT_START' || type === 'AGENT_END')).toEqual([]);
  });
});

test('I7 durability none: everything since the last save is lost, and a run that was saved is there', async () => {
  await fc.assert(
    fc.asyncProperty(run, moment, async (each, when) => {
      const { kept } = await killed(each, 'none', when);
      expect(kept.filter(({ kind }) => kind !== 'epoch')).toEqual([]);
    }),
    { numRuns: 60 },
  );
  const session = new InMemorySession();
  const agent = new ReActAgent({ name: 'F', model: scriptedModel('one', 'two'), session, durability: 'none' });
  await agent.call('1');
  await agent.saveTo(session, 'F');
  await agent.call('2');
  const texts = (await new ReActAgent({ name: 'F', model: scriptedModel(), session: another(await entriesOf(session)) }).session().messages()).map((msg) => msg.getTextContent());
  expect(texts).toEqual(['1', 'one']);
});

/** What every durability but none promises beside its own: the input is kept, no `once` tool runs twice, the journal has no gap. */
async function forAll(durability: Exclude<Durability, 'none'>, check: (remains: Remains) => Promise<void>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(run, moment, async (each, when) => {
      const remains = await killed(each, durability, when);
      const { kept, told, ledger } = remains;
      const name = `${durability} ${remains.died ? `${when.kind}${when.kind === 'append' ? (when.before ? ' before' : ' after') : ''}` : 'none'}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
      await check(remains);
      expect(kept.flatMap(expand).map(({ seq }) => seq)).toEqual(kept.flatMap(expand).map((_, i) => i + 1));
      const hasInput = kept.some(({ kind }) => kind === 'input');
      const toldMore = told.some(notNewest(remains));
      if (toldMore) expect(hasInput).toBe(true);
      const ended = kept.filter((entry) => entry.kind === 'event' && entry.event.type === 'MODEL_CALL_END').length;
      const again = new ReActAgent({ name: 'F', model: script(each, ended), toolkit: ledgerTools(ledger), maxIters: each.maxIters, session: another(kept) });
      await again.call(hasInput ? undefined : 'go').catch(() => undefined);
      for (const [ran, times] of ledger) if (ran.startsWith('once') || ran.startsWith('asks')) expect([ran, times]).toEqual([ran, 1]);
    }),
    { numRuns: 250 },
  );
}

/** Events its reader was told and the store does not have. */
function missing({ kept, told }: Remains): readonly AgentEvent[] {
  const ids = new Set(kept.flatMap(expand).map((entry) => (entry.kind === 'event' ? entry.event.id : '')));
  return told.filter(({ id }) => !ids.has(id));
}
/** Not of the newest commit: that one may be told and not stored yet. The clock gives each commit a time of its own. */
function notNewest({ told }: Remains): (event: AgentEvent) => boolean {
  const newest = told.at(-1)?.createdAt;
  return ({ createdAt }) => createdAt !== newest;
}
function isEffect(event: AgentEvent): boolean {
  const record = event.type === 'TOOL_RESULT_START' ? (event.metadata?.['run'] as { decision?: string; effect?: string } | undefined) : undefined;
  return (record?.decision === 'allow' || record?.decision === 'user-allow') && record.effect !== 'read';
}

async function killed(each: GeneratedRun, durability: Durability, when: Moment): Promise<Remains> {
  const stored: JournalEntry[] = [];
  const told: AgentEvent[] = [];
  const ledger: Ledger = new Map();
  let now = Date.now();
  const remains = (died: boolean): Remains => ({ kept: stored.slice(), told: told.slice(), ledger: new Map(ledger), died });
  let end: (remains: Remains) => void = () => undefined;
  const ended = new Promise<Remains>((resolve) => (end = resolve));
  const store = dying(stored, when, () => end(remains(true)));
  const agent = new ReActAgent({ name: 'F', model: script(each, 0), toolkit: ledgerTools(ledger), maxIters: each.maxIters, session: store, durability, clock: () => (now += 1) });
  const read = async (): Promise<void> => {
    for await (const event of agent.streamEvents('go')) {
      told.push(event);
      if (when.kind === 'event' && told.length === when.at) end(remains(true));
    }
  };
  read().then(
    () => end(remains(false)),
    () => end(remains(false)),
  );
  return ended;
}

/** A store whose process dies at an append; what reached it stands in `stored`. */
function dying(stored: JournalEntry[], when: Moment, die: () => void): Session {
  const inner = new InMemorySession();
  let appends = 0;
  const append: Session['append'] = async (key, entries, options) => {
    const isLast = when.kind === 'append' && ++appends === when.at;
    if (!isLast || !when.before) {
      const done = inner.append(key, entries, options);
      stored.push(...entries);
      await done;
    }
    if (!isLast) return;
    die();
    await new Promise(() => undefined);
  };
  return new Proxy(inner, {
    get(target, name) {
      const value: unknown = name === 'append' ? append : Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** A store that has these entries: what a fresh process finds. */
function another(entries: readonly JournalEntry[]): Session {
  const store = new InMemorySession();
  if (entries.length > 0) void store.append(KEY, entries, { expectedSeq: 0, fence: 1 });
  return store;
}
function script(each: GeneratedRun, skip: number): ReturnType<typeof scriptedModel> {
  return scriptedModel(...each.script.slice(skip), ...Array.from({ length: 12 }, () => ({ text: 'enough' })));
}
async function entriesOf(store: Session): Promise<readonly JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for await (const entry of store.read(KEY)) entries.push(entry);
  return entries;
}

afterAll(() => {
  process.stdout.write(`killed: ${[...counts].map(([where, n]) => `${where} ${n}`).join(', ')}\n`);
});
