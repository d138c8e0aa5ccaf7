// A program of AgentScope Java 1, line by line: message, tool class, agent with a memory, session manager.
// With DASHSCOPE_API_KEY it talks to that API; without, a script stands in for the model.
import { defineTool, InMemoryMemory, Msg, ReActAgent, SessionManager, Toolkit, UserMessage } from '@agentscope/core';
import type { Hook } from '@agentscope/core';
import { DashScopeChatModel, DashScopeMultiAgentFormatter } from '@agentscope/core/provider/dashscope';
import { JsonSession } from '@agentscope/core/store/file';
import { z } from 'zod';
import { script } from './script.ts';

const msg = new Msg({ name: 'user', content: process.argv[2] ?? "What's the weather like in Beijing today?" });
const imgMsg = new UserMessage('user', ['What is in this image?', { type: 'image', source: { type: 'url', url: 'https://example.com/photo.jpg' } }]);

class WeatherService { // @Tool on a method becomes a property
  getWeather = defineTool({
    name: 'get_weather',
    description: 'Get weather for a specified city',
    input: z.object({ city: z.string().describe('City name') }),
    readOnly: true,
    execute: ({ city }) => `${city}: Sunny, 25°C`,
  });
}
const toolkit = new Toolkit();
toolkit.registerTool(new WeatherService());

const loggingHook: Hook = {
  priority: 50,
  onEvent(event) {
    switch (event.type) {
      case 'PRE_CALL': console.log('Agent starting...'); break;
      case 'REASONING_CHUNK': process.stdout.write(event.incrementalChunk.getTextContent()); break;
      case 'POST_CALL': console.log('\nCompleted:', event.finalMessage.getTextContent()); break;
      default: break;
    }
  },
};

const formatter = new DashScopeMultiAgentFormatter({ historyHeading: '# The talk so far' });
const apiKey = process.env['DASHSCOPE_API_KEY'];
const model = apiKey === undefined ? script : new DashScopeChatModel({ apiKey, modelName: 'qwen3-max', formatter });
const agent = new ReActAgent({ name: 'Assistant', sysPrompt: 'You are a helpful assistant.', model, toolkit, memory: new InMemoryMemory(), hooks: [loggingHook] });

const known = await SessionManager.forSessionId('user123').withSession(new JsonSession('sessions')).addComponent(agent).loadIfExists();
const response = await agent.call(msg);
console.log(known ? 'known:' : 'new:', response.getTextContent(), response.generateReason, imgMsg.hasContentBlocks('image'));
await SessionManager.forSessionId('user123').withSession(new JsonSession('sessions')).addComponent(agent).saveSession();
