// A stream of AgentScope Java, read from a file and shown as it grows. The same lines run in a page: this entry is the fold and its
// readers, without the agent. Java gives each model call a reply id of its own; the fold makes one message of them.
import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { createFold, parseEvent } from '@agentscope/core/event';
import type { AgentEvent, Msg } from '@agentscope/core/event';

const fold = createFold();
for await (const event of eventsOf(createReadStream(new URL('../java-chat.sse', import.meta.url), 'utf8'))) {
  fold.apply(event);
  const reply = fold.message();
  if (reply !== undefined && event.type.endsWith('_END')) console.log(`${event.type.padEnd(18)} ${screen(reply)}`);
}

const reply = fold.message();
assert.equal(fold.messages().length, 1);
assert.equal(reply?.getTextContent(), 'Checking.\nHigh tide at Oster is 03:11.');
assert.deepEqual(reply.getToolCalls().map(({ call, result }) => [call.name, call.input, result?.state]), [['tide_table', { port: 'Oster' }, 'success']]);
console.log(`\n${reply.name}: ${reply.getTextContent()}\n${reply.usage?.outputTokens} tokens, ${reply.generateReason}`);

/** Server-sent events (WHATWG HTML): frames end with an empty line; what follows `data:` is the event's JSON. */
async function* eventsOf(text: AsyncIterable<string>): AsyncGenerator<AgentEvent> {
  let rest = '';
  for await (const chunk of text) {
    const frames = (rest + chunk).replaceAll('\r\n', '\n').split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const data = frame.split('\n').filter((line) => line.startsWith('data:')).map((line) => line.slice(5)).join('\n');
      if (data !== '') yield parseEvent(data, { unknown: 'keep' });
    }
  }
}

/** What a page would draw: one card for each block. */
function screen(reply: Msg): string {
  const cards = reply.content.map((block) => {
    switch (block.type) {
      case 'text': return block.text;
      case 'thinking': return `(${block.thinking})`;
      case 'tool_use': return `${block.name} ${JSON.stringify(block.input)}: ${block.state}`;
      case 'tool_result': return block.output.map((part) => (part.type === 'text' ? part.text : part.type)).join('');
      default: return block.type;
    }
  });
  return cards.map((card) => `[${card}]`).join(' ');
}
