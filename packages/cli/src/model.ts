import { ModelRegistry } from '@agentscope/core';
import type { ChatModel } from '@agentscope/core';

const DEFAULT_OPENAI_MODEL = 'gpt-5.5';

/** The id of the model to use: the flag, then the environment, then the model that needs nothing. Empty and blank variables count as not set. */
export function chooseModelId(flag: string | undefined, env: Readonly<Record<string, string | undefined>>): string {
  if (flag !== undefined) return flag;
  const [wanted, key, name] = ['AGENTSCOPE_MODEL', 'OPENAI_API_KEY', 'OPENAI_MODEL'].map((variable) => env[variable]?.trim());
  if (wanted) return wanted;
  return key ? `openai:${name || DEFAULT_OPENAI_MODEL}` : 'offline:demo';
}

/** @throws AgentScopeError `config/invalid`, before anything of the conversation is touched. */
export function openModel(id: string): Promise<ChatModel> {
  return ModelRegistry.resolve(id);
}

/** The environment variable of the address of a model's server; undefined where its provider has none. */
export function urlVariableOf(id: string): string | undefined {
  return ModelRegistry.variablesOf(id).url;
}
