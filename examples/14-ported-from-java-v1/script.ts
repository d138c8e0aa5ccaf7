// Stands in for the model: it knows only what the request holds.
import { scriptedModel } from '@agentscope/core/testing';
import type { ScriptedReply } from '@agentscope/core/testing';

const answer: ScriptedReply = ({ messages }) => {
  const last = messages.at(-1);
  if (last?.role === 'ASSISTANT') return `The weather: ${JSON.stringify(last.content).match(/Beijing: [^"]*/)?.[0] ?? 'unknown'}.`;
  if (last?.getTextContent().includes('weather')) return { tool: 'get_weather', input: { city: 'Beijing' } };
  return `You are ${/My name is (\w+)/.exec(JSON.stringify(messages))?.[1] ?? 'somebody'}.`;
};

export const script = scriptedModel(answer, answer);
