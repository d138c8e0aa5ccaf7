// One of several processes that all write one session. Leases run out early and are never renewed, so that they are stolen while their
// owners are at work, or stopped. What it was told and what it did goes into the ledger; with `report` it says what is in the store.
import { appendFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { AgentScopeError, collectResponse, defineTool, ReActAgent, UserMessage } from '@agentscope/core';
import { openStore, wrapped } from './stores.mjs';

const { place, key, ledger, me, turns, ttlMs, report } = JSON.parse(process.argv[2]);
const note = (what) => appendFileSync(ledger, `${JSON.stringify({ process: me, ...what })}\n`);

/** For each message: two tools that carry its text, then words. */
async function* stream({ messages }) {
  const last = messages.findLastIndex(({ role }) => role === 'USER');
  const n = messages[last].getTextContent();
  const calls = new Set(messages.slice(last).flatMap((msg) => msg.content.map(({ call }) => call))).size - 1;
  await sleep(2);
  if (calls > 0) yield { id: n, content: [{ index: 0, type: 'text', text: `${n} is done.` }], finishReason: 'stop' };
  else yield { id: n, content: ['once', 'keyed'].map((name, index) => ({ index, type: 'tool_use', id: `${n}-${name}`, name, content: JSON.stringify({ n }) })), finishReason: 'tool_calls' };
}
const tool = (name) =>
  defineTool({
    name,
    description: name,
    effect: name,
    input: { type: 'object', properties: { n: { type: 'string' } }, required: ['n'] },
    execute: async ({ n }, { idempotencyKey }) => {
      await sleep(3);
      note({ tool: name, n, key: idempotencyKey });
      await sleep(3);
      return `${name} ${n} is done`;
    },
  });

const opened = await openStore(place);
const store = wrapped(opened, { lease: (of, options) => opened.lease(of, { ...options, ttlMs }) });
const model = { provider: 'scripted', modelName: 'racer', stream, call: (request, options) => collectResponse(stream(request, options)) };
const session = new ReActAgent({ name: 'racer', model, toolkit: [tool('once'), tool('keyed')], session: store }).session(key);

if (report === undefined) {
  process.stdout.write('ready\n');
  await new Promise((resolve) => process.stdin.once('data', resolve)); // all begin together
  for (let turn = 0; turn < turns; turn++) await say(`p${me}-${turn}`);
} else {
  const entries = [];
  for await (const entry of store.read(key)) entries.push(entry.kind === 'input' ? { ...entry, msg: { id: entry.msg.id } } : entry);
  const events = [];
  for await (const { event } of session.events()) events.push(event.type === 'AGENT_RESULT' ? { ...event, result: undefined } : event);
  const open = (await session.openReply())?.replyId;
  writeFileSync(report, JSON.stringify({ entries, events, messages: await session.messages(), open }));
}
await store.close();
process.exit(0);

async function say(id) {
  for (;;) {
    const run = session.streamEvents(new UserMessage({ id, content: id }));
    void run.accepted.then(() => note({ accepted: id }), () => undefined);
    try {
      return note({ done: id, reply: JSON.stringify(await run.result) });
    } catch (error) {
      note({ failed: id, code: AgentScopeError.is(error) ? error.code : String(error) });
      await sleep(2 + Math.random() * 20);
    }
  }
}
