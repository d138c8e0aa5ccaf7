import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { ReActAgent } from '../src/agent/react-agent.ts';
import { foldEvents, toJava2 } from '../src/event/index.ts';
import type { AgentEvent } from '../src/event/index.ts';
import { UserMessage } from '../src/message/index.ts';
import { InMemorySession } from '../src/session/index.ts';
import type { InboxItem, Lease, Session } from '../src/session/index.ts';
import { scriptedModel } from '../src/testing/index.ts';
import { ledgerTools } from './generated-runs.ts';
import type { Ledger } from './generated-runs.ts';

const KEY = { userId: undefined, sessionId: 'F' };
type Kind = 'steer' | 'observe' | 'input' | 'interrupt';
interface Posted {
  readonly kind: Kind;
  /** Posted when so many things were written; one that comes too late is posted between the two processes. */
  readonly at: number;
}

/** The same data as another process has it; `step` is asked around each write, and may never answer. */
function processOf(inner: InMemorySession, step: (write: () => Promise<unknown>) => Promise<unknown>, onLease: (lease: Lease) => void = () => undefined): Session {
  const changes: Partial<Session> = {
    lease: async (key, options) => {
      const lease = await inner.lease(key, options);
      onLease(lease);
      return lease;
    },
    append: async (key, entries, options) => void (await step(() => inner.append(key, entries, options))),
    acknowledge: async (key, ids) => void (await step(() => inner.acknowledge(key, ids))),
  };
  return new Proxy(inner, {
    get(target, name) {
      const value: unknown = name === 'store' ? 'shared' : (Reflect.get(changes, name) ?? Reflect.get(target, name));
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function itemOf({ kind }: Posted, id: string): InboxItem {
  const body = kind === 'interrupt' ? null : toJava2(new UserMessage({ id, content: `said ${id}` }), { extensions: true });
  return { id, at: '2026-01-01T00:00:00.000Z', kind, body };
}

const inputIdsOf = ({ metadata }: AgentEvent): readonly unknown[] => (Array.isArray(metadata?.['inputIds']) ? metadata['inputIds'] : []);
const model = () => scriptedModel([{ tool: 'once' }, { tool: 'read' }], { tool: 'keyed' }, ...Array.from({ length: 40 }, () => 'enough'));
const seen = new Map<string, number>();
const note = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);

test('I7 killed at any write, acknowledging included: each item of the inbox has its effect once, and none is lost', async () => {
  const posted = fc.record({ kind: fc.constantFrom<Kind>('steer', 'observe', 'input', 'interrupt'), at: fc.integer({ min: 0, max: 12 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(posted, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 14 }), fc.boolean(), async (items, dieAt, before) => {
      const inner = new InMemorySession();
      const ledger: Ledger = new Map();
      const waiting = new Map(items.map((item, i) => [`i${i}`, item]));
      const post = async (written: number): Promise<void> => {
        for (const [id, item] of waiting) {
          if (item.at > written) continue;
          waiting.delete(id);
          await inner.post(KEY, itemOf(item, id));
        }
      };
      await post(0);
      let lease: Lease | undefined;
      let writes = 0;
      let die = (): void => undefined;
      const died = new Promise<'died'>((resolve) => (die = () => resolve('died')));
      const dying = processOf(
        inner,
        async (write) => {
          const last = ++writes >= dieAt;
          if (!last || !before) await write();
          await post(writes);
          if (!last) return;
          die();
          await new Promise(() => undefined);
        },
        (taken) => (lease = taken),
      );
      const first = new ReActAgent({ name: 'F', model: model(), toolkit: ledgerTools(ledger), session: dying });
      const idle = async (agent: ReActAgent): Promise<void> => {
        do await new Promise((resolve) => setTimeout(resolve, 1));
        while ((await agent.session().openReply())?.waiting === false);
      };
      note(await Promise.race([died, first.call('go').then(() => 'lived', () => 'failed')]));
      await lease?.release();
      await post(Infinity);

      const again = new ReActAgent({ name: 'F', model: model(), toolkit: ledgerTools(ledger), session: processOf(inner, (write) => write()) });
      const hadInput = (await again.session().messages()).some((msg) => msg.getTextContent() === 'go');
      await again.call(hadInput ? undefined : 'go').catch(() => undefined);
      for (let tries = 0; tries < 5; tries++) await idle(again);

      const messages = await again.session().messages();
      const events: AgentEvent[] = [];
      for await (const { event } of again.session().events()) events.push(event);
      for (const [i, { kind }] of items.entries()) {
        if (kind === 'interrupt') continue;
        const hints = messages.flatMap(({ content }) => content.filter((block) => block.type === 'hint' && block.id === `i${i}`)).length;
        const own = messages.filter(({ id }) => id === `i${i}`).length;
        note(`${kind} as ${hints > 0 ? 'hint' : 'message'}`);
        expect([kind, hints + own]).toEqual([kind, 1]);
        const answered = hints > 0 || events.some((event) => event.type === 'AGENT_START' && inputIdsOf(event).includes(`i${i}`));
        if (kind === 'input') expect([kind, answered]).toEqual([kind, true]);
      }
      const interrupts = events.filter(({ type }) => type === 'USER_INTERRUPT').length;
      expect(interrupts).toBeLessThanOrEqual(items.filter(({ kind }) => kind === 'interrupt').length);
      if (interrupts > 0) note('interrupted');
      for (const [run, times] of ledger) if (run.startsWith('once')) expect([run, times]).toEqual([run, 1]);
      for (const reply of messages.filter(({ role }) => role === 'ASSISTANT')) {
        expect(JSON.stringify(foldEvents(events.filter(({ replyId }) => replyId === reply.id)))).toBe(JSON.stringify(reply));
      }
      expect(await inner.inbox(KEY)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

afterAll(() => {
  process.stdout.write(`inbox: ${[...seen].map(([what, n]) => `${what} ${n}`).join(', ')}\n`);
});
