// Pictures in, blocks out: what a message is made of, and that it is its own JSON.
import assert from 'node:assert/strict';
import { AssistantMessage, Msg, ReActAgent, SystemMessage, toDataBlock, UserMessage } from '@agentscope/core';
import { scriptedModel } from '@agentscope/core/testing';

// One red pixel; in a program of yours: `await readFile('receipt.png')`, or a `File` of a page.
const photo = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==', 'base64');
const question = new UserMessage('alice', [
  'What does this receipt say, and is it like the one on the page?',
  toDataBlock(photo, { mediaType: 'image/png', name: 'receipt.png' }),
  { type: 'data', source: { type: 'url', url: 'https://example.com/receipt.jpg' } },
]);

// Stands in for a model that sees and draws.
const model = scriptedModel([
  { thinking: 'Two pictures of receipts.' },
  { text: 'It says 12 euros; the other one says 15. Here is the difference:' },
  { data: { mediaType: 'image/png', base64: photo.toString('base64') } },
  { usage: { inputTokens: 812, outputTokens: 40 } },
]);
const clerk = new ReActAgent({ name: 'Clerk', model });
const reply = await clerk.call(question);

console.log(reply.getTextContent());
for (const block of reply.content) {
  switch (block.type) {
    case 'text': console.log('text:', block.text.length, 'characters'); break;
    case 'thinking': console.log('thought:', block.thinking.length, 'characters'); break;
    case 'data': console.log('media:', block.source.type === 'url' ? block.source.url : block.source.mediaType); break;
    case 'tool_use': console.log('called:', block.name, block.input); break;
    default: console.log(block.type);
  }
}
const drawn = reply.getFirstContentBlock('data'); // DataBlock | undefined
assert.equal(drawn?.source.type === 'base64' ? drawn.source.mediaType : undefined, 'image/png');
assert.deepEqual(model.requests[0]?.messages.at(-1)?.content.map(({ type }) => type), ['text', 'data', 'data'], 'the model saw what was asked, in order');

// Who may say what is a compile error before it is `message/invalid`.
// @ts-expect-error a system message holds text only
assert.throws(() => new SystemMessage([toDataBlock('https://example.com/x.png')]), { code: 'message/invalid' });
// @ts-expect-error a user does not think
assert.throws(() => new UserMessage([{ type: 'thinking', thinking: 'hm' }]), { code: 'message/invalid' });

// A message is its JSON, and the dict form of AgentScope Python is a message.
const copy = new Msg(JSON.parse(JSON.stringify(reply)));
assert.ok(copy.equals(reply));
const search = new AssistantMessage('Clerk', [{ type: 'tool_use', id: 'c1', name: 'search', input: { query: 'weather' } }]);
assert.equal(search.getFirstContentBlock('tool_use')?.state, 'pending');
console.log(copy.generateReason, copy.usage?.inputTokens, 'tokens read');
