// The same agent on every provider whose key is in the environment (and on a local Ollama, if OLLAMA_HOST says where): one line each.
import { defineTool, ModelRegistry, ReActAgent } from '@agentscope/core';

const clock = defineTool({ name: 'clock', description: 'Says the time.', readOnly: true, execute: () => '12:34' });

for (const { id, keyVariables, urlVariable } of ModelRegistry.providers()) {
  const isReady = keyVariables.length > 0 ? keyVariables.some((name) => process.env[name] !== undefined) : urlVariable !== undefined && process.env[urlVariable] !== undefined;
  const [card] = isReady ? await ModelRegistry.listModels(id) : [];
  if (!card) continue;
  const agent = new ReActAgent({ name: 'Friday', sysPrompt: 'Answer in one short sentence.', model: `${id}:${process.env['MODEL'] ?? card.modelName}`, toolkit: [clock] });
  try {
    const reply = await agent.call('What time is it?');
    console.log(`${id.padEnd(17)} ${reply.getToolCalls().map(({ call }) => call.name).join() || '-'}  ${reply.getTextContent()}  (${reply.usage?.inputTokens ?? '?'} in, ${reply.usage?.outputTokens ?? '?'} out)`);
  } catch (error) {
    console.log(`${id.padEnd(17)} ${(error as { code?: string }).code ?? ''} ${(error as Error).message}`);
  }
}
