// A customer orders, the till goes home, the bank calls back twice, and another till finishes the reply.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { scriptedModel } from '@agentscope/core/testing';
import { createTill } from './till.ts';

const hasKey = process.env['OPENAI_API_KEY'] !== undefined;
const folder = mkdtempSync(join(tmpdir(), 'webhook-'));
const servers: Server[] = [];
try {
  const charges: Record<string, unknown>[] = [];
  const bank = await listen(
    createServer((request, response) => {
      void json(request).then((charge) => (charges.push(charge as Record<string, unknown>), response.writeHead(202).end()));
    }),
  );

  const morning = createTill({ folder, bank, model: hasKey ? 'openai:gpt-5.5' : scriptedModel({ tool: 'charge_card', id: 'charge-1', input: { amountCents: 1250 } }) });
  const reason = await morning.order('ann', 'table-7', 'One soup. Charge my card, it is 12.50.');
  console.log(`ordered: ${reason}`);
  assert.equal(reason, 'TOOL_SUSPENDED');
  await morning.agent.shutdown();

  const evening = createTill({ folder, bank, model: hasKey ? 'openai:gpt-5.5' : scriptedModel('Paid, thank you. Your soup comes at once.') });
  const hook = await listen(evening.webhooks());
  const [charge] = charges;
  assert.ok(charge);
  console.log(`the bank was asked for ${String(charge['amountCents'])} cents`);
  const notice = { userId: charge['userId'], sessionId: charge['sessionId'], id: charge['id'], status: 'approved' };
  const codes = [];
  for (let i = 0; i < 2; i++) codes.push((await fetch(hook, { method: 'POST', body: JSON.stringify(notice) })).status);
  console.log(`the bank called twice: ${codes.join(', ')}`);
  assert.deepEqual(codes, [202, 200]);

  const session = evening.agent.session({ userId: 'ann', sessionId: 'table-7' });
  for await (const { event } of session.events({ follow: true })) {
    if (event.type === 'AGENT_END' && event.generateReason !== 'TOOL_SUSPENDED') break;
  }
  const messages = await session.messages();
  assert.deepEqual(messages.map(({ role }) => role), ['USER', 'ASSISTANT'], 'one reply across both tills');
  assert.deepEqual(messages[1]?.getToolCalls().map(({ result }) => result?.state), ['success']);
  if (!hasKey) console.log(messages[1]?.getTextContent());
  await evening.agent.shutdown();
} finally {
  for (const server of servers) server.close().closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
}

async function listen(server: Server): Promise<string> {
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
