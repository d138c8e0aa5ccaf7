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
