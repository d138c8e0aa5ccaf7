// Watch a conversation again, look at it as it was, and let it take another turn.
// A script stands in for the models; nothing here needs a key.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFold, ReActAgent } from '@agentscope/core';
import { JsonSession } from '@agentscope/core/store/file';
import { scriptedModel } from '@agentscope/core/testing';

const folder = mkdtempSync(join(tmpdir(), 'replay-and-fork-'));
try {
  await plan();
  await lookBack();
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** The conversation that is looked at afterwards. */
async function plan(): Promise<void> {
  const model = scriptedModel({ text: ['Kyoto, ', 'for the cherry blossom.'] }, { text: ['Three days: ', 'temples, gardens, food.'] });
  const agent = new ReActAgent({ name: 'Friday', model, session: new JsonSession(folder) });
  const session = agent.session({ userId: 'alice', sessionId: 'trip' });
  await session.call('Where should I go in spring?');
  await session.call('Plan it.');
}

async function lookBack(): Promise<void> {
  const model = scriptedModel('Nara, for the red maples.', 'Live from Nara.');
  const agent = new ReActAgent({ name: 'Friday', model, session: new JsonSession(folder) });
  const session = agent.session({ userId: 'alice', sessionId: 'trip' });

  // Replay: the same events in the same order, from any point.
  const fold = createFold();
  const ends: number[] = [];
  let asking = 0;
  for await (const { seq, event } of session.events()) {
    fold.apply(event);
    if (event.type === 'TEXT_BLOCK_DELTA') process.stdout.write(event.delta);
    if (event.type === 'MODEL_CALL_START') asking = seq;
    if (event.type === 'AGENT_END') {
      ends.push(seq);
      console.log(`\n-- reply ${ends.length} ended: ${event.generateReason ?? 'MODEL_STOP'}`);
    }
  }
  const before = await session.messages();
  assert.equal(JSON.stringify(fold.message()), JSON.stringify(before.at(-1)), 'the replay ends with the message that was kept');

  // Time travel: state and messages as of an entry.
  const atSeq = ends[0] ?? 0;
  console.log(`then: ${(await session.messages({ atSeq })).length} messages, ${(await session.state({ atSeq })).curIter} model call`);
  console.log(`now: ${before.length} messages`);

  // "Edit my question and try again": branch off before it. The original stays as it is.
  const asked = before.find((msg) => msg.role === 'USER');
  assert.ok(asked);
  const branch = await session.fork({ before: asked.id }, { sessionId: 'trip-in-autumn' });
  const reply = await branch.call(asked.getTextContent().replace('spring', 'autumn'));
  console.log(`${branch.sessionId}: ${reply.getTextContent()}`);

  // "What would another model have said?": another agent over the same store, from the moment the model was asked.
  const rival = agent.with({ model: scriptedModel('A week, by train.') }).session({ userId: 'alice', sessionId: 'trip' });
  console.log(`rival: ${(await (await rival.fork({ atSeq: asking })).call()).getTextContent()}`);
  assert.deepEqual(await session.messages(), before, 'neither branch changed the original');

  // Follow what others do to it, live, from where this reader is.
  let from: string | undefined;
  for await (const { cursor } of branch.events()) from = cursor;
  const running = branch.call('Tell me more.');
  for await (const { event } of branch.events({ from, follow: true })) {
    if (event.type === 'TEXT_BLOCK_DELTA') console.log(`following: ${event.delta}`);
    if (event.type === 'AGENT_END') break;
  }
  await running;

  console.log((await branch.exportTranscript('markdown')).split('\n').filter((line) => !line.startsWith('#') && line !== '').join(' / '));
}
