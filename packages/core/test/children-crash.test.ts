import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { ReActAgent } from '../src/agent/index.ts';
import { createFold } from '../src/event/index.ts';
import { defineChatModel } from '../src/model/index.ts';
import { agentAsTool } from '../src/multi-agent/index.ts';
import { InMemorySession } from '../src/session/index.ts';
import type { JournalEvent, Lease, Session } from '../src/session/index.ts';
import { defineTool } from '../src/tool/index.ts';

const KEY = { userId: 'u', sessionId: 's' };
const reached = { deaths: 0, rewinds: 0, middle: 0 };
afterAll(() => void process.stdout.write(`children: ${JSON.stringify(reached)}\n`));

/** The same data as another process has it. With `dieAt` nothing of it comes back from that append on. */
function processOver(inner: InMemorySession, { dieAt = Infinity, before = false }: { dieAt?: number; before?: boolean } = {}) {
  const leases: Lease[] = [];
  let appends = 0;
  let die: () => void = () => undefined;
  const died = new Promise<void>((resolve) => (die = resolve));
  const store = new Proxy<Session>(inner, {
    get(target, name) {
      if (name === 'lease') return async (...args: Parameters<Session['lease']>) => (leases.push(await inner.lease(...args)), leases.at(-1));
      if (name !== 'append') {
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      }
      return async (...args: Parameters<Session['append']>) => {
        const isLast = ++appends >= dieAt;
        if (!isLast || !before) await inner.append(...args);
        if (!isLast) return;
        die();
        await new Promise(() => undefined);
      };
    },
  });
  return { store, died, bury: async () => void (await Promise.all(leases.map((lease) => lease.release()))) };
}

/** What it says depends on what it is shown, so that it goes on in a fresh process where it was: `then` in order, one a model call. */
const model = (then: readonly (readonly object[])[]) =>
  defineChatModel({
    provider: 'test',
    modelName: 'test',
    async *stream({ messages }) {
      const reply = messages.findLast(({ role }) => role === 'ASSISTANT');
      const calls = new Set(reply?.content.flatMap((block) => (block.type === 'tool_use' ? [block.call] : []))).size;
      for (const increment of then[calls] ?? [{ index: 0, type: 'text', text: 'nothing left' }]) yield { content: [increment] as never };
      yield { content: [], finishReason: 'stop' };
    },
  });
const text = (...pieces: string[]) => pieces.map((piece) => ({ index: 0, type: 'text', text: piece }));
const call = (index: number, name: string, message: string) => ({ index, type: 'tool_use', id: `${name}-${message}`, name, content: JSON.stringify({ message }), done: true });

/** A root that asks two children at once; each child asks a person before its tool runs. */
function root(store: Session, paid: string[]): ReActAgent {
  const pay = defineTool({ name: 'pay', description: 'pays', effect: 'keyed', checkPermission: 'ask', input: { type: 'object', properties: { message: { type: 'string' } } }, execute: (_, { idempotencyKey }) => (paid.push(idempotencyKey), 'paid') });
  const leaf = new ReActAgent({ name: 'leaf', model: model([[...text('I ', 'will ', 'pay.'), call(1, 'pay', 'x')], text('Paid ', 'it.')]), toolkit: [pay] });
  const script = [[call(0, 'leaf', 'one'), call(1, 'leaf', 'two')], text('All ', 'is ', 'paid.')];
  return new ReActAgent({ name: 'root', model: model(script), toolkit: [agentAsTool(leaf)], session: store });
}

test('I1 I7 C117 C118 killed at any append with children at work: their questions are answered, nothing is paid twice, and whoever watched ends with what is stored', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 2, max: 40 }), fc.boolean(), fc.nat(60), async (dieAt, before, seen) => {
      const inner = new InMemorySession();
      const paid: string[] = [];
      const first = processOver(inner, { dieAt, before });
      const watched = await untilItDies(root(first.store, paid), first);
      await first.bury();
      const second = root(processOver(inner).store, paid);
      const done = await answerAll(second);
      expect([done.getTextContent(), new Set(paid).size]).toEqual(['All is paid.', 2]);
      // who watched the process that died goes on from the last event it saw
      const kept = watched.slice(0, seen);
      const fold = createFold();
      for (const { event } of kept) fold.apply(event);
      const rest: JournalEvent[] = [];
      for await (const told of second.session(KEY).events({ from: kept.at(-1)?.cursor })) rest.push(told);
      for (const { event } of rest) fold.apply(event);
      if (rest.some(({ event }) => event.id.startsWith('rewind:'))) reached.rewinds++;
      if (kept.at(-1)?.event.source !== undefined) reached.middle++;
      expect(JSON.stringify(fold.message())).toBe(JSON.stringify(done));
      const children = fold.children();
      expect(children.map(({ source, messages }) => [source, messages.map((msg) => msg.getTextContent())])).toEqual([
        ['s/leaf', ['I will pay.\nPaid it.']],
        ['s/leaf', ['I will pay.\nPaid it.']],
      ]);
      for (const { taskId, messages } of children) {
        const stored = (await second.session({ userId: 'u', sessionId: `s/${taskId}` }).messages()).at(-1);
        expect(JSON.parse(JSON.stringify(messages[0]?.content))).toEqual(JSON.parse(JSON.stringify(stored?.content)));
      }
    }),
    { numRuns: 150 },
  );
  expect([reached.deaths > 75, reached.rewinds > 0, reached.middle > 0]).toEqual([true, true, true]);
});

/** Everything a viewer in the process saw; it answers what it is asked. */
async function untilItDies(agent: ReActAgent, { died }: { died: Promise<void> }): Promise<readonly JournalEvent[]> {
  const watched: JournalEvent[] = [];
  const over = new AbortController();
  const watching = (async () => {
    for await (const told of agent.session(KEY).events({ follow: true, signal: over.signal })) watched.push(told);
  })();
  const lived = answerAll(agent).then(
    () => false,
    () => false,
  );
  if (await Promise.race([lived, died.then(() => true)])) reached.deaths++;
  await new Promise((resolve) => setTimeout(resolve, 1)); // what was said is seen
  over.abort();
  await watching;
  return watched;
}

/** The conversation to its end: the same message again, then each question by its id, one after the other. */
async function answerAll(agent: ReActAgent) {
  const chat = agent.session(KEY);
  let reply = await chat.call({ id: 'in', name: 'user', role: 'USER', content: [{ type: 'text', text: 'pay' }], metadata: {}, timestamp: null } as never);
  while (reply.generateReason === 'PERMISSION_ASKING') {
    const [question] = await chat.pending('confirm');
    if (!question) throw new Error('It waits and nobody asks.');
    reply = await chat.call({ type: 'USER_CONFIRM_RESULT', id: '', createdAt: '', replyId: question.replyId, confirmResults: [{ confirmed: true, toolCall: question.toolCall, rules: null }] } as never);
  }
  return reply;
}
