import { expect, test } from 'vitest';
import { ReActAgent } from '../src/agent/index.ts';
import { OpenAIChatFormatter, OpenAIChatModel } from '../src/provider/openai/index.ts';
import { defineTool } from '../src/tool/index.ts';

const chunk = (delta: object, finish: string | null = null): string => `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const ANSWERS = [
  chunk({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'look', arguments: '{}' } }] }, 'tool_calls'),
  chunk({ content: 'Seen.' }, 'stop'),
];

test('S4-005 each round: the memory is read, formatted, sent, in this order and once', async () => {
  const steps: string[] = [];
  const inner = new OpenAIChatFormatter();
  const model = new OpenAIChatModel({
    modelName: 'm',
    apiKey: 'k',
    baseUrl: 'http://model.test/v1',
    formatter: {
      format(messages, options) {
        steps.push(`format ${messages.map((msg) => `${msg.role}:${msg.content.length}`).join(' ')}`);
        return inner.format(messages, options);
      },
    },
    fetch: async (_url, init) => {
      const body = JSON.parse(String(init?.body)) as { messages: { role: string }[] };
      steps.push(`send ${body.messages.map(({ role }) => role).join(' ')}`);
      return new Response(`${ANSWERS.shift()}data: [DONE]\n\n`, { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  const look = defineTool({ name: 'look', description: 'Looks.', readOnly: true, execute: () => 'a cat' });
  const agent = new ReActAgent({ name: 'F', sysPrompt: 'Be kind.', model, toolkit: [look] });
  await agent.session().memory.addMessage({ id: 'm0', role: 'USER', name: 'user', content: [{ type: 'text', text: 'before' }], metadata: {}, timestamp: null, usage: null });
  await agent.call('What is there?');
  expect(steps).toEqual(['format SYSTEM:1 USER:1 USER:1', 'send system user user', 'format SYSTEM:1 USER:1 USER:1 ASSISTANT:2', 'send system user user assistant tool']);
});
