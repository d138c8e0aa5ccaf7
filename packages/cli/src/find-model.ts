import type { ListModelsOptions, ModelProvider, ModelRegistry } from '@agentscope/core';

export type Env = Readonly<Record<string, string | undefined>>;

/**
 * The id of the model to use: the flag, then the environment, then the first provider whose key is set, then what a server of this machine
 * has, then the model that needs nothing.
 */
export async function findModelId(flag: string | undefined, env: Env): Promise<string> {
  const { chooseModelId } = await import('./model.ts');
  const chosen = chooseModelId(flag, env);
  if (flag !== undefined || chosen !== OFFLINE || isSet(env['AGENTSCOPE_MODEL'])) return chosen;
  const { ModelRegistry: registry } = await import('@agentscope/core');
  const providers = registry.providers();
  const withKey = providers.find(({ keyVariables }) => keyVariables.some((name) => isSet(env[name])));
  const usable = withKey === undefined ? providers.filter(isLocal) : [withKey];
  for (const { id } of usable) {
    const name = await nameOf(registry, id, { env, options: withKey === undefined ? { live: true, timeoutMs: LOCAL_MS } : {} });
    if (name !== undefined) return `${id}:${name}`;
  }
  return OFFLINE;
}

/** Milliseconds a server of this machine has to say what it has. */
export const LOCAL_MS = 1_000;

/** Wants no key, so it can be asked unasked. */
export function isLocal({ id, keyVariables }: ModelProvider): boolean {
  return keyVariables.length === 0 && !id.includes(':');
}

const OFFLINE = 'offline:demo';

/** Of a server that is there, the model its variable names, else its first one that talks. */
async function nameOf(registry: typeof ModelRegistry, id: string, { env, options }: { env: Env; options: ListModelsOptions }): Promise<string | undefined> {
  const wanted = env[`${id.toUpperCase().replaceAll('-', '_')}_MODEL`]?.trim();
  const cards = await registry.listModels(id, options).catch(() => undefined);
  if (cards === undefined) return undefined;
  return wanted || cards.find(({ modelName }) => !/embed|minilm|bge-|rerank/i.test(modelName))?.modelName;
}

export function isSet(value: string | undefined): boolean {
  return value !== undefined && value.trim() !== '';
}
