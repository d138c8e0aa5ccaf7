// Runs the ported program in three processes that share a folder, and checks that the conversation goes on.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InMemoryMemory, ReActAgent, SessionManager } from '@agentscope/core';
import { JsonSession } from '@agentscope/core/store/file';
import { scriptedModel } from '@agentscope/core/testing';

const folder = mkdtempSync(join(tmpdir(), 'ported-from-java-v1-'));
try {
  assert.match(assistant("My name is Ann. What's the weather like in Beijing today?"), /^Agent starting\.\.\.[^]*\nCompleted: .*25 ?°C[^]*\nnew: .*25 ?°C/);
  assert.match(assistant('What is my name?'), /\nknown: .*Ann/);
  await checkSaved();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function assistant(text: string): string {
  const program = fileURLToPath(new URL('assistant.js', import.meta.url));
  const output = execFileSync(process.execPath, [program, text], { cwd: folder, encoding: 'utf8' }).trimEnd();
  console.log(`$ assistant ${JSON.stringify(text)}\n${output}`);
  return output;
}

/** A third process with another prompt and no model to speak of: construction is separate from state. */
async function checkSaved(): Promise<void> {
  const memory = new InMemoryMemory();
  const agent = new ReActAgent({ name: 'Assistant', sysPrompt: 'Another prompt.', model: scriptedModel(), memory });
  const manager = SessionManager.forSessionId('user123').withSession(new JsonSession(join(folder, 'sessions'))).addComponent(agent);
  await manager.loadOrThrow();
  assert.deepEqual(memory.getMessages().map(({ role }) => role), ['USER', 'ASSISTANT', 'USER', 'ASSISTANT']);
  assert.equal(memory.getMessages()[1]?.getToolCalls()[0]?.result?.state, 'success');
  assert.deepEqual(await agent.session().messages(), memory.getMessages());

  assert.equal(await manager.deleteIfExists(), true);
  assert.equal(await manager.sessionExists(), false);
}
