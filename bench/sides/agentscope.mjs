// This library, used as a server would use it: an agent for each conversation, its events read to the end.
import { defineTool, ReActAgent } from '@agentscope/core';
import { OpenAIChatModel } from '@agentscope/core/provider/openai';
import { add, DESCRIPTION, PROMPT, schema, SYSTEM } from './task.mjs';

const tool = defineTool({ name: 'add', description: DESCRIPTION, input: schema, readOnly: true, execute: add });

/** Runs one conversation; gives the characters of text and the tool results seen in the event stream. */
export const run = runWith();

/** The same with something around it. */
export function runWith(middleware) {
  return async (baseUrl, model) => {
    const seen = { characters: 0, results: 0 };
    for await (const event of agentFor(baseUrl, model, middleware).streamEvents(PROMPT)) {
      if (event.type === 'TEXT_BLOCK_DELTA') seen.characters += event.delta.length;
      else if (event.type === 'TOOL_RESULT_END') seen.results++;
    }
    return seen;
  };
}

function agentFor(baseUrl, modelName, middleware) {
  return new ReActAgent({
    name: 'bench',
    sysPrompt: SYSTEM,
    model: new OpenAIChatModel({ modelName, apiKey: 'x', baseUrl }),
    toolkit: [tool],
    maxIters: 1000,
    middleware,
  });
}
