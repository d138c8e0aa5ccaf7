import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ReActAgent } from '../src/agent/react-agent.ts';
import { JsonSession } from '../src/store/file/index.ts';
import { scriptedModel } from '../src/testing/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'beyond-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

test('S4-043 what one process was told, another one shows its model; with a snapshot between them as well', async () => {
  const key = { userId: 'alice', sessionId: 's' };
  const first = new ReActAgent({ name: 'Friday', model: scriptedModel('Hello, Ann.', ...Array.from({ length: 40 }, () => 'I see.')), session: new JsonSession(folder) });
  await first.call('My name is Ann.', key);
  for (let turn = 0; turn < 40; turn++) await first.call(`Remember this: ${'x'.repeat(5_000)}`, key);
  const model = scriptedModel('Your name is Ann.');
  const second = new ReActAgent({ name: 'Friday', model, session: new JsonSession(folder) });
  const reply = await second.call('What is my name?', key);
  expect(reply.getTextContent()).toBe('Your name is Ann.');
  const shown = model.requests[0]?.messages ?? [];
  expect([shown.length, shown[0]?.getTextContent(), shown.at(-1)?.getTextContent()]).toEqual([83, 'My name is Ann.', 'What is my name?']);
  expect(await new JsonSession(folder).loadSnapshot(key)).toMatchObject({ seq: expect.any(Number) as number });
});
