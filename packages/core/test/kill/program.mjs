// One process of a kill test: it has a store and this configuration, goes on with whatever the store holds, and is killed or finishes.
// Everything it does leaves a line in the ledger, written at once and never taken back. Exit codes: 0 finished, 7 a person is asked, who answers later.
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { agentAsTool, AgentScopeError, approve, collectResponse, defineTool, ReActAgent, toJava2, UserMessage } from '@agentscope/core';
import { deadlyStore } from './deadly-store.mjs';
import { openStore } from './stores.mjs';

const plan = JSON.parse(process.argv[2]);
const { place, key, ledger, out, durability, approval, resume, incarnation } = plan;
const note = (what) => {
  appendFileSync(ledger, `${JSON.stringify({ process: incarnation, ...what })}\n`);
  process.stdout.write('.'); // the parent counts, and kills behind so many
};
const soFar = () => readFileSync(ledger, 'utf8').trim().split('\n').filter(Boolean).map((line) => JSON.parse(line));

const INPUTS = [['in-1', 'Do it all.'], ['in-2', 'And now?']];
const MAIN = [
  ['I will look.', ['read', 1], ['read', 2], ['keyed', 1], ['once', 1], ['read', 3]],
  [['asks', 1], ['traced', 1], ['keyed', 2], ['asks', 2]],
  ['A helper does the rest.', ['helper', 0], ['once', 2]],
  ['All of it is done.'],
  ['Nothing is left.'],
];
const HELPER = [[['once', 3], ['keyed', 3], ['traced', 2], ['read', 4]], ['Helped.']];

/** Says what its script says behind as many model calls as the messages show to have ended. */
function scripted(name, script) {
  async function* stream({ messages }) {
    const at = new Set(messages.flatMap((msg) => (msg.role === 'ASSISTANT' ? msg.content.map((block) => `${msg.id} ${block.call}`) : []))).size;
    note({ model: name, at, ...faultsOf(messages) });
    const [id, parts] = [`${name}-${at}`, script[at]];
    if (parts === undefined) throw new Error(`${name} was asked once more, behind ${at} model calls.`);
    for (const [index, part] of parts.entries()) {
      await sleep(1);
      if (typeof part === 'string') for (const text of part.match(/.{1,6}/g)) yield { id, content: [{ index, type: 'text', text }] };
      else for (const content of argumentsOf(part)) yield { id, content: [{ index, type: 'tool_use', id: `${name}-${at}-${index}`, name: part[0], content }] };
    }
    yield { id, content: [], usage: { inputTokens: 3, outputTokens: 2 }, finishReason: parts.some((part) => typeof part !== 'string') ? 'tool_calls' : 'stop' };
  }
  return { provider: 'scripted', modelName: name, stream, call: (request, options) => collectResponse(stream(request, options)) };
}

/** In pieces, so that a kill cuts them. */
function argumentsOf([name, n]) {
  return JSON.stringify(name === 'helper' ? { message: 'Help.' } : { n }).match(/.{1,4}/g);
}

/** A request no provider takes: a call without its result, or with half its arguments. */
function faultsOf(messages) {
  const blocks = messages.flatMap(({ content }) => content);
  const isWhole = ({ id, content }) => blocks.some((block) => block.type === 'tool_result' && block.id === id && block.state !== 'running') && content.endsWith('}');
  const bad = blocks.filter((block) => block.type === 'tool_use' && !isWhole(block)).map(({ id }) => id);
  return bad.length === 0 ? {} : { bad };
}

/** The ledger is the world: the line is the effect. */
function tool(name, rest) {
  return defineTool({
    name,
    description: name,
    input: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
    execute: async ({ n }, { idempotencyKey }) => {
      await sleep(1);
      note({ tool: name, n, key: idempotencyKey });
      await sleep(1);
      return `${name} ${n} is done`;
    },
    ...rest,
  });
}
const tools = [
  tool('read', { effect: 'read' }),
  tool('keyed', { effect: 'keyed' }),
  tool('once', {}),
  tool('asks', { checkPermission: 'ask' }),
  tool('traced', {
    reconcile: ({ n }, { idempotencyKey }) => {
      note({ looked: 'traced', n });
      const isDone = soFar().some((line) => line.tool === 'traced' && line.key === idempotencyKey);
      return isDone ? { status: 'done', output: `traced ${n} is done` } : { status: 'notStarted' };
    },
  }),
];

const store = await deadlyStore(await openStore(place), { kill: plan.kill, ttlMs: plan.ttlMs, note });
const helper = new ReActAgent({ name: 'helper', description: 'Helps.', model: scripted('helper', HELPER), toolkit: tools, session: store, durability });
const agent = new ReActAgent({ name: 'main', model: scripted('main', MAIN), toolkit: [...tools, agentAsTool(helper)], session: store, durability });
const session = agent.session(key);

process.stdout.write('.');
if (resume === 'recover') await retrying(() => agent.recoverAll({ userId: key.userId }));
for (const [id, text] of INPUTS) {
  for (let reply = await say(id, text); reply?.generateReason === 'PERMISSION_ASKING'; ) reply = await answer();
}
await report();
await store.close();
process.exit(0);

/** The message under the same id again, or nothing when it is known to have been accepted. */
function say(id, text) {
  return retrying(async () => {
    const isAccepted = resume === 'nothing' && soFar().some((line) => line.accepted === id || line.durable?.input === id);
    if (isAccepted) return (await session.openReply()) === undefined ? undefined : session.call();
    const stream = session.streamEvents(new UserMessage({ id, content: text }));
    void stream.accepted.then(() => note({ accepted: id }), () => undefined);
    return stream.result;
  });
}

async function answer() {
  const [question] = await session.pending('confirm');
  if (question === undefined) return session.call();
  const isAsked = soFar().some((line) => line.asked !== undefined && line.process < incarnation);
  if (approval !== 'same' && !isAsked) {
    note({ asked: question.id });
    await store.close();
    process.exit(7);
  }
  note({ answered: question.id });
  if (approval !== 'inbox') return retrying(() => session.confirm(question.id, { approve: true }));
  const at = new Date().toISOString();
  await store.post(key, { id: `answer-${question.id}`, at, kind: 'answer', body: toJava2(approve(question), { extensions: true }) });
  return retrying(() => session.call());
}

/** A killed process keeps its lease for a while. */
async function retrying(work) {
  for (let tries = 0; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries > 200 || !AgentScopeError.is(error, 'session/conflict')) throw error;
      note({ refused: error.code });
      await sleep(20);
    }
  }
}

/** What is in the store in the end, read by objects that know nothing else. */
async function report() {
  const fresh = await openStore(place);
  const sessions = [];
  for await (const { key: found } of fresh.list({ userId: key.userId })) {
    const reader = new ReActAgent({ name: found.sessionId.includes('/') ? 'helper' : 'main', model: scripted('nobody', []), session: fresh });
    const entries = [];
    for await (const entry of fresh.read(found)) entries.push(entry.kind === 'input' ? { ...entry, msg: { id: entry.msg.id } } : entry);
    const events = [];
    for await (const { event } of reader.session(found).events()) events.push(event.type === 'AGENT_RESULT' ? { ...event, result: undefined } : event);
    sessions.push({ sessionId: found.sessionId, entries, events, messages: await reader.session(found).messages(), inbox: await fresh.inbox(found) });
  }
  await fresh.close();
  writeFileSync(`${out}.draft`, JSON.stringify(sessions));
  renameSync(`${out}.draft`, out);
}
