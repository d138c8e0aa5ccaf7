// One process asks and ends; another one answers, with edited arguments, and the same reply goes on.
//   node dist/janitor.js ask "Remove the old logs."
//   node dist/janitor.js answer
// Works in the current folder: conversations in .agentscope/sessions, logs in logs.
import { readdirSync, rmSync } from 'node:fs';
import { defineTool, isToolCall, ReActAgent } from '@agentscope/core';
import type { Msg } from '@agentscope/core';
import { JsonSession } from '@agentscope/core/store/file';
import { scriptedModel } from '@agentscope/core/testing';
import { z } from 'zod';

const deleteLogs = defineTool({
  name: 'delete_logs',
  description: 'Deletes the log files whose name starts with a prefix.',
  input: z.object({ prefix: z.string(), dryRun: z.boolean().default(false) }),
  checkPermission: ({ dryRun }) => (dryRun ? 'allow' : { behavior: 'ask', message: 'Deleted logs are gone for good.' }),
  execute: ({ prefix, dryRun }) => {
    const names = readdirSync('logs').filter((name) => name.startsWith(prefix)).sort();
    if (!dryRun) for (const name of names) rmSync(`logs/${name}`);
    return `${dryRun ? 'would delete' : 'deleted'} ${names.join(', ') || 'nothing'}`;
  },
});

const [mode, words = 'Remove the old logs.'] = process.argv.slice(2);
const script =
  mode === 'ask' ? scriptedModel({ tool: 'delete_logs', input: { prefix: '' } }) : scriptedModel(({ messages }) => `Done: ${lastResult(messages)}.`);

const agent = new ReActAgent({
  name: 'Janitor',
  model: process.env['OPENAI_API_KEY'] === undefined ? script : 'openai:gpt-5.5',
  toolkit: [deleteLogs],
  session: new JsonSession('.agentscope/sessions'),
});
const session = agent.session({ userId: 'alice', sessionId: 'cleanup' });

if (mode === 'ask') {
  const reply = await session.call(words);
  if (reply.generateReason !== 'PERMISSION_ASKING') console.log(reply.getTextContent());
}

for (const { id, toolCall, message } of await session.pending('confirm')) {
  console.log(`asked: ${toolCall.name} ${JSON.stringify(toolCall.input)} ${message ?? ''}`.trimEnd());
  if (mode !== 'answer' || !isToolCall<typeof deleteLogs>(toolCall, 'delete_logs')) continue;
  const input = { ...toolCall.input, prefix: '2025-' }; // a person narrows what the model wanted
  const reply = await session.confirm(id, { approve: true, input, remember: 'session' });
  console.log(reply.getTextContent());
}

function lastResult(messages: readonly Msg[]): string {
  const results = messages.flatMap((msg) => msg.getContentBlocks('tool_result'));
  return (results.at(-1)?.output ?? []).flatMap((block) => (block.type === 'text' ? block.text : [])).join('');
}
