import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ReActAgent } from '../../src/agent/index.ts';
import { AgentScopeError } from '../../src/error/index.ts';
import { foldEvents } from '../../src/event/index.ts';
import type { AgentEvent } from '../../src/event/index.ts';
import { UserMessage } from '../../src/message/index.ts';
import type { ModelRequest } from '../../src/model/index.ts';
import type { JournalEntry, Session } from '../../src/session/index.ts';
import { PostgresSession } from '../../src/store/postgres/index.ts';
import { RedisSession } from '../../src/store/redis/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import type { ScriptedPart } from '../../src/testing/index.ts';
import { ledgerTools } from '../generated-runs.ts';
import type { Ledger } from '../generated-runs.ts';
import { lossyProxy } from '../support/store-servers.ts';
import type { LossyProxy } from '../support/store-servers.ts';
import { numbering } from './kill-checks.ts';
import { storePlaces } from './places.ts';

/** What an append is asked with, so that the proxy knows it. */
const REQUESTS: Readonly<Record<string, string>> = { redis: 'EVALSHA', postgres: 'COMMIT' };
/** Appends of one turn: message, model call, intent and result of each tool with an effect, end. */
const APPENDS = 8;

for (const { store: name, place, why, clean } of storePlaces().filter(({ store }) => store in REQUESTS)) {
  describe.skipIf(place === undefined)(`${name}${place === undefined ? ` (skipped: ${why})` : ''}`, () => {
    let proxy: LossyProxy;
    let store: Session;
    const lost = { resolved: 0, rejected: 0 };
    beforeAll(async () => {
      const address = new URL(place?.url ?? '');
      proxy = await lossyProxy({ hostname: address.hostname, port: Number(address.port || (name === 'redis' ? 6379 : 5432)) });
      [address.hostname, address.port] = ['127.0.0.1', String(proxy.port)];
      store = name === 'redis' ? new RedisSession({ url: address.href, keyPrefix: `${place?.name}:`, timeoutMs: 400 }) : new PostgresSession({ connectionString: address.href, schema: place?.name ?? '', timeoutMs: 400 });
    });
    afterAll(async () => {
      if (place === undefined) return;
      process.stdout.write(`lost connections, ${name}: ${proxy.lost} answers lost, ${lost.resolved} calls ended all the same, ${lost.rejected} were told and went on when they called again\n`);
      await store.close();
      await proxy.close();
      await clean();
    });

    test.for([1, 50])('I7 C083 the answers to any append of a reply lost %d times: the caller learns of it or it ends well, called again it goes on, nothing is there twice or runs twice', { timeout: 60_000 }, async (times) => {
      for (let at = 1; at <= APPENDS; at++) {
        const key = { userId: 'u', sessionId: `lost-${times}-${at}` };
        const ledger: Ledger = new Map();
        let appends = 0;
        const losing = new Proxy(store, {
          get(target, member) {
            const value: unknown = Reflect.get(target, member);
            if (member !== 'append') return typeof value === 'function' ? value.bind(target) : value;
            return (...words: Parameters<Session['append']>) => {
              if (++appends === at) proxy.lose(REQUESTS[name] ?? '', times);
              return target.append(...words);
            };
          },
        });
        const model = scriptedModel(...Array.from({ length: 9 }, () => answer));
        const agent = new ReActAgent({ name: 'F', model, toolkit: ledgerTools(ledger), session: losing });
        const message = new UserMessage({ id: 'in-1', content: 'go' });
        const first = await agent.call(message, key).then(() => undefined, (error: unknown) => error);
        proxy.lose('', 0);
        if (first === undefined) lost.resolved++;
        else expect(first).toSatisfy((error) => AgentScopeError.is(error, 'session/unavailable'));
        if (first !== undefined) lost.rejected++;
        await expect.poll(() => agent.call(message, key).then((reply) => reply.getTextContent(), String), { timeout: 10_000 }).toBe('All of it is done.');

        const entries: JournalEntry[] = [];
        for await (const entry of store.read(key)) entries.push(entry);
        expect(numbering(entries as never)).toEqual([]);
        const events: AgentEvent[] = [];
        for await (const { event } of agent.session(key).events()) events.push(event);
        const [input, reply, ...more] = await agent.session(key).messages();
        expect([input?.id, more]).toEqual(['in-1', []]);
        expect(JSON.stringify(foldEvents(events))).toBe(JSON.stringify(reply));
        for (const [run, ran] of ledger) if (run.startsWith('once')) expect([run, ran]).toEqual([run, 1]);
      }
    });
  });
}

/** The calls first; with their results, the end. */
function answer({ messages }: ModelRequest): string | readonly ScriptedPart[] {
  const hasResults = messages.some(({ content }) => content.some(({ type }) => type === 'tool_result'));
  return hasResults ? 'All of it is done.' : [{ tool: 'once' }, { tool: 'keyed' }, { tool: 'read' }];
}
