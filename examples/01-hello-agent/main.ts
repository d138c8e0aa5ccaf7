// An agent with one typed tool: ask, then stream the next answer of the same conversation.
// With OPENAI_API_KEY it talks to that API; without, a script stands in for the model.
import assert from 'node:assert/strict';
import { defineTool, ReActAgent } from '@agentscope/core';
import { scriptedModel } from '@agentscope/core/testing';
import { z } from 'zod';

const skies: Readonly<Record<string, string>> = { Beijing: 'sunny, 25 °C', Hangzhou: 'light rain, 19 °C' };

const getWeather = defineTool({
  name: 'get_weather',
  description: 'Current weather of a city.',
  input: z.object({ city: z.string().describe('English name of the city') }),
  readOnly: true,
  execute: ({ city }) => {
    const sky = skies[city];
    if (sky === undefined) throw new Error(`No weather station in ${city}. There is one in: ${Object.keys(skies).join(', ')}.`);
    return `${city}: ${sky}`;
  },
});

const script = scriptedModel(
  { tool: 'get_weather', input: { city: 'Beijing' } },
  'It is sunny in Beijing, at 25 °C.',
  { text: ['No, ', 'leave it ', 'at home.'] },
);
const hasKey = process.env['OPENAI_API_KEY'] !== undefined;

const agent = new ReActAgent({
  name: 'Friday',
  sysPrompt: 'You are a helpful assistant.',
  model: hasKey ? (process.env['MODEL'] ?? 'openai:gpt-5.5') : script,
  toolkit: [getWeather],
});

const reply = await agent.call('What is the weather in Beijing?');
console.log(reply.getTextContent());

// The same conversation goes on: without a session id both calls share the agent's default session.
const stream = agent.streamEvents('And should I take an umbrella?');
for await (const piece of stream.text()) process.stdout.write(piece);
process.stdout.write('\n');

const [call] = reply.getToolCalls();
assert.equal(call?.call.name, 'get_weather');
assert.equal(call?.result?.state, 'success');
assert.equal(reply.generateReason, 'MODEL_STOP');
const history = await agent.session().messages();
assert.deepEqual(history.map(({ role }) => role), ['USER', 'ASSISTANT', 'USER', 'ASSISTANT']);
assert.equal(history.at(-1)?.id, (await stream.result).id);
if (!hasKey) {
  assert.equal(script.requests.length, 3);
  assert.match(JSON.stringify(script.requests[2]?.messages), /sunny, 25 °C/, 'the last request still holds what the tool said');
}
