// Runs both processes of the story in a folder of their own, and checks what they leave behind.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ReActAgent } from '@agentscope/core';
import { JsonSession } from '@agentscope/core/store/file';
import { scriptedModel } from '@agentscope/core/testing';

const folder = mkdtempSync(join(tmpdir(), 'approve-a-tool-'));
try {
  mkdirSync(join(folder, 'logs'));
  for (const name of ['2024-12.log', '2025-01.log', '2025-02.log']) writeFileSync(join(folder, 'logs', name), name);

  const asked = janitor('ask', 'Remove the old logs.');
  assert.match(asked, /^asked: delete_logs /);
  assert.equal(logs().length, 3, 'nothing is deleted while the question is open');

  const answered = janitor('answer');
  assert.deepEqual(logs(), ['2024-12.log'], 'what ran is what the person allowed');
  if (process.env['OPENAI_API_KEY'] === undefined) assert.match(answered, /Done: deleted 2025-01\.log, 2025-02\.log\.$/);

  await checkRecord();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function janitor(...args: readonly string[]): string {
  const program = fileURLToPath(new URL('janitor.js', import.meta.url));
  const output = execFileSync(process.execPath, [program, ...args], { cwd: folder, encoding: 'utf8' }).trimEnd();
  console.log(`$ janitor ${args.map((arg) => (arg.includes(' ') ? JSON.stringify(arg) : arg)).join(' ')}\n${output}`);
  return output;
}

function logs(): readonly string[] {
  return readdirSync(join(folder, 'logs')).sort();
}

/** A third process could read this as well: one reply across both, and its record says what was proposed and what was run. */
async function checkRecord(): Promise<void> {
  const agent = new ReActAgent({ name: 'Janitor', model: scriptedModel(), session: new JsonSession(join(folder, '.agentscope/sessions')) });
  const session = agent.session({ userId: 'alice', sessionId: 'cleanup' });
  assert.deepEqual(await session.pending(), []);
  const messages = await session.messages();
  assert.deepEqual(messages.map(({ role }) => role), ['USER', 'ASSISTANT']);
  const replyIds = new Set<string | undefined>();
  const story: string[] = [];
  for await (const { event } of session.events()) {
    replyIds.add(event.replyId);
    if (event.type === 'TOOL_CALL_DELTA') story.push(`proposed ${event.delta}`);
    if (event.type === 'REQUIRE_USER_CONFIRM') story.push('asked');
    if (event.type === 'USER_CONFIRM_RESULT') story.push(...event.confirmResults.map(({ toolCall }) => `allowed ${JSON.stringify(toolCall.input)}`));
    if (event.type === 'TOOL_RESULT_START') story.push(`ran ${JSON.stringify(event.metadata?.['run'])}`);
  }
  assert.deepEqual([...replyIds], [messages[1]?.id], 'the pause did not change the id of the reply');
  assert.deepEqual(story.slice(-3, -1), ['asked', 'allowed {"prefix":"2025-"}']);
  assert.match(story.at(-1) ?? '', /^ran .*"decision":"user-allow"/, 'the tool ran once, after the answer');
  if (process.env['OPENAI_API_KEY'] === undefined) assert.equal(story[0], 'proposed {"prefix":""}');
}
