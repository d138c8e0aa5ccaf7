import { ModelRegistry } from '@agentscope/core';
import type { ChatModel } from '@agentscope/core';

/** @throws AgentScopeError `config/invalid`, before anything of the conversation is touched. */
export function openModel(id: string): Promise<ChatModel> {
  return ModelRegistry.resolve(id);
}

/** The environment variable of the address of a model's server; undefined where its provider has none. */
export function urlVariableOf(id: string): string | undefined {
  return ModelRegistry.variablesOf(id).url;
}

/** How many tokens a model takes, from its card; undefined where there is none. */
export async function contextWindowOf(id: string): Promise<number | undefined> {
  const [provider = ''] = id.split(':', 1);
  const cards = await ModelRegistry.listModels(provider).catch(() => []);
  return cards.find(({ modelName }) => `${provider}:${modelName}` === id)?.contextWindow;
}
