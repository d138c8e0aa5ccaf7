import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ReActAgent } from '../src/agent/react-agent.ts';
import { InMemorySession } from '../src/session/index.ts';
import type { JournalEntry } from '../src/session/index.ts';
import { scriptedModel } from '../src/testing/index.ts';
import { generatedRun, ledgerTools, play } from './generated-runs.ts';
import { JsonSession } from '../src/store/file/index.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const fresh = (): ReActAgent => new ReActAgent({ name: 'F', model: scriptedModel(), toolkit: ledgerTools(new Map()) });

test('S4-068 I8 whatever happened: what is saved loads equal, messages, questions and all, and saving that again is the same', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'save-and-load-'));
  let paused = 0;
  let runs = 0;
  try {
    const store = new JsonSession(folder);
    await fc.assert(
      fc.asyncProperty(generatedRun, async (run) => {
        const { agent } = await play(run);
        const key = { sessionId: `s${runs++}` };
        await agent.saveTo(store, key);
        const loaded = fresh();
        await loaded.loadFrom(store, key);
        expect(JSON.stringify(await loaded.session().messages())).toBe(JSON.stringify(await agent.session().messages()));
        const pending = await agent.session().pending();
        expect(await loaded.session().pending()).toEqual(pending);
        if (pending.length > 0) paused++;
        const saved = await store.get(key, 'agent');
        await loaded.saveTo(store, key);
        expect(await store.get(key, 'agent')).toEqual(saved);
      }),
      { numRuns: 1_200 },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  expect(paused / runs).toBeGreaterThan(0.03);
}, 120_000);

test('a journal says that nothing is unfinished once a state took the place of a reply that was cut off', async () => {
  const store = new InMemorySession();
  const agent = new ReActAgent({ name: 'F', model: scriptedModel('one'), session: store });
  await agent.call('hi');
  const elsewhere = new InMemorySession();
  await agent.saveTo(elsewhere, 'kept');
  const cut = new InMemorySession();
  const entries: JournalEntry[] = [];
  for await (const entry of store.read({ sessionId: 'F' })) entries.push(entry);
  const start = entries.findIndex((entry) => entry.kind === 'event' && entry.event.type === 'MODEL_CALL_START');
  await cut.append({ sessionId: 'F' }, entries.slice(0, start), { expectedSeq: 0 });
  const unfinished = async (): Promise<number> => {
    let found = 0;
    for await (const _ of cut.list({ unfinished: true })) found++;
    return found;
  };
  expect(await unfinished()).toBe(1);
  await new ReActAgent({ name: 'F', model: scriptedModel(), session: cut }).loadFrom(elsewhere, 'kept');
  expect(await unfinished()).toBe(0);
});
