// The snippets of AgentScope Java 2's "message and event", and the message rebuilt from its events.
import assert from 'node:assert/strict';
import { AssistantMessage, defineTool, foldEvents, ReActAgent, SystemMessage, toJava2, UserMessage } from '@agentscope/core';
import type { AgentEvent } from '@agentscope/core';
import { scriptedModel } from '@agentscope/core/testing';
import { z } from 'zod';

// Messages. A builder is one options object.
const userText = new UserMessage('user', "What's in this image?");
const userMulti = new UserMessage('user', [
  { type: 'text', text: 'Describe this image:' },
  { type: 'data', source: { type: 'base64', data: 'iVBORw0KGgo=', mediaType: 'image/png' } },
]);
const systemMsg = new SystemMessage('system', 'You are a helpful assistant.');
const assistantMsg = new AssistantMessage('agent', "Here's the result...");
const built = new UserMessage({ name: 'user', content: 'Hello', metadata: { channel: 'web' } });
for (const msg of [userText, userMulti, systemMsg, assistantMsg, built]) console.log(msg.role, msg.content.map(({ type }) => type).join('+'), msg.getTextContent());
assert.deepEqual(userMulti.content.map((block) => (block.type === 'data' ? block.source : block.type)), ['text', { type: 'base64', data: 'iVBORw0KGgo=', mediaType: 'image/png' }]);
assert.deepEqual(toJava2(userMulti)['content'], [
  { type: 'text', text: 'Describe this image:' },
  { type: 'data', id: `${userMulti.id}-1`, source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
]);

// Events.
const readCode = defineTool({
  name: 'read_code',
  description: 'Reads a file.',
  input: z.object({ path: z.string() }),
  readOnly: true,
  execute: ({ path }) => `${path}: const a = 1 +;`,
});
const model = scriptedModel([{ text: 'Let me look. ' }, { tool: 'read_code', input: { path: 'a.ts' } }], { text: ['A number ', 'is missing after the plus.'] });
const agent = new ReActAgent({ name: 'Friday', model, toolkit: [readCode] });
const seen: AgentEvent[] = [];
let accumulated = '';
const stream = agent.streamEvents(new UserMessage('user', 'Help me fix this bug'));
for await (const event of stream) {
  seen.push(event);
  switch (event.type) {
    case 'AGENT_START': console.log(`[start ${event.name}, one reply id: ${event.replyId.length > 0}]`); break;
    case 'TEXT_BLOCK_DELTA': accumulated += event.delta; break;
    case 'TOOL_CALL_START': console.log(`[tool] ${event.toolCallName}`); break;
    case 'TOOL_RESULT_END': console.log(`[tool result state=${event.state}]`); break;
    case 'AGENT_END': console.log(`[end] full text:\n${accumulated}`); break;
    default: break;
  }
}

// Two views, same data.
const reply = await stream.result;
assert.equal(JSON.stringify(foldEvents(seen)), JSON.stringify(reply));
assert.equal(seen[0]?.replyId, reply.id);
