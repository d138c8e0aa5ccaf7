// Talk into a running reply, stop it, go on: first in one process, then from another one.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineTool, ReActAgent } from '@agentscope/core';
import { JsonSession } from '@agentscope/core/store/file';
import { scriptedModel } from '@agentscope/core/testing';

await inOneProcess();
const folder = mkdtempSync(join(tmpdir(), 'interrupt-and-steer-'));
try {
  await fromAnotherProcess();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function inOneProcess(): Promise<void> {
  const lookUp = defineTool({
    name: 'look_up',
    description: 'Looks something up.',
    readOnly: true,
    execute: async () => {
      await session.steer('Only green tea.'); // what a person types while the tool is at work
      const receipt = await session.steer('And coffee. No, never mind.');
      console.log((await receipt.revoke()) ? '(taken back)' : '(too late, it was read)');
      return 'three kinds of tea';
    },
  });
  const model = scriptedModel({ tool: 'look_up' }, 'A report on green tea.', [{ text: 'A summary' }, { delayMs: 1_000 }], [{ text: 'Once upon a time' }, { hang: true }], 'Fine.');
  const session = new ReActAgent({ name: 'Writer', model, toolkit: [lookUp] }).session({ sessionId: 'report' });

  const reply = await session.call('Write a report on tea.');
  console.log(reply.content.map((block) => (block.type === 'hint' ? `hint: ${String(block.hint)}` : block.type)).join(' | '));
  assert.doesNotMatch(JSON.stringify(model.requests.map(({ messages }) => messages)), /coffee/);

  // An interrupt ends the reply and fulfils the promise. A signal is the caller's own: it rejects, as everywhere in JavaScript.
  await assert.rejects(session.call('Now a summary.', { signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' });
  console.log('took too long; the partial answer is in:', (await session.messages()).at(-1)?.generateReason);

  // Leaving the loop early interrupts too.
  for await (const event of session.streamEvents('Tell me a story.')) if (event.type === 'TEXT_BLOCK_DELTA') break;
  assert.equal((await session.messages()).at(-1)?.generateReason, 'INTERRUPTED');
  assert.equal((await session.call('Thank you.')).getTextContent(), 'Fine.');
}

async function fromAnotherProcess(): Promise<void> {
  const { OPENAI_API_KEY: _key, ...env } = process.env; // both wait for the script's words
  const writer = spawn(process.execPath, [program('writer.js')], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let written = '';
  writer.stdout.setEncoding('utf8').on('data', (text: string) => (written += text));
  const desk = (...args: readonly string[]): void => console.log(`$ desk ${args[0]}\n${execFileSync(process.execPath, [program('desk.js'), ...args], { cwd: folder, env, encoding: 'utf8' }).trimEnd()}`);
  const until = async (words: string): Promise<void> => {
    while (!written.includes(words)) await once(writer.stdout, 'data');
  };

  await until('China.');
  desk('steer', 'Shorter, please.');
  writeFileSync(join(folder, 'steered'), '');
  await until('water.');
  desk('stop', 'That is enough.');
  const [code] = await once(writer, 'close');
  console.log(`$ writer\n${written.trimEnd()}`);
  assert.equal(code, 0);

  const session = new ReActAgent({ name: 'Writer', model: scriptedModel(), session: new JsonSession(join(folder, '.agentscope/sessions')) }).session({ sessionId: 'report' });
  const messages = await session.messages();
  assert.deepEqual(messages.map(({ role }) => role), ['USER', 'ASSISTANT', 'USER']);
  assert.deepEqual(messages[1]?.content.map(({ type }) => type), ['text', 'hint', 'text']);
  assert.equal(messages[2]?.getTextContent(), 'That is enough.');
}

function program(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
