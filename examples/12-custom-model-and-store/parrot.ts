// A model provider from its smallest part: a stream of pieces. Ids, block numbers, `call` and the finish reason are filled in.
import { setImmediate as turn } from 'node:timers/promises';
import { AgentScopeError, defineChatModel, ModelRegistry } from '@agentscope/core';
import type { ChatModel } from '@agentscope/core';

/** Repeats what was said, and asks its clock about the time. `parrot:loud` shouts. */
function parrot(modelName: string): ChatModel {
  if (modelName !== 'loud' && modelName !== 'calm') {
    throw new AgentScopeError('config/invalid', `There is no parrot "${modelName}": take parrot:loud or parrot:calm.`, { details: { option: 'model' } });
  }
  return defineChatModel({
    provider: 'parrot',
    modelName,
    async *stream({ messages, tools = [] }, { signal }) {
      const asked = messages.findLast(({ role }) => role === 'USER')?.getTextContent() ?? '';
      const [answer] = messages.at(-1)?.getToolCalls() ?? [];
      if (answer === undefined && /time/.test(asked) && tools.some(({ name }) => name === 'clock')) {
        yield { content: [{ type: 'tool_use', id: 'call-1', name: 'clock', input: { zone: 'UTC' } }] };
        return;
      }
      const said = answer?.result?.output.map((block) => (block.type === 'text' ? block.text : '')).join('') ?? asked;
      for (const word of said.match(/\S+\s*/g) ?? []) {
        await turn(undefined, { signal }); // a server would be waited for here; an abort ends that
        yield { content: modelName === 'loud' ? word.toUpperCase() : word };
      }
      yield { usage: { inputTokens: messages.length, outputTokens: said.length } };
    },
  });
}

ModelRegistry.registerFactory('parrot', parrot); // from now on 'parrot:loud' is a model id like any other
