import type { ListModelsOptions, ModelProvider, ModelRegistry } from '@agentscope/core';
import { BUILT_IN, chooseModel } from './choose-model.ts';
import type { Chosen } from './choose-model.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** What to use where neither a flag, the environment nor a configuration names a model: the first provider whose key is set, then what a server of this machine has, then the model that needs nothing. */
export async function findModel(env: Env): Promise<Chosen> {
  const { ModelRegistry: registry } = await import('@agentscope/core');
  const providers = registry.providers();
  const withKey = providers.find(({ keyVariables }) => keyVariables.some((name) => isSet(env[name])));
  const usable = withKey === undefined ? providers.filter(isLocal) : [withKey];
  for (const { id, keyVariables } of usable) {
    const name = await nameOf(registry, id, { env, options: withKey === undefined ? { live: true, timeoutMs: LOCAL_MS } : {} });
    if (name !== undefined) return { value: `${id}:${name}`, from: keyVariables.find((variable) => isSet(env[variable])) ?? `${id} on this machine` };
  }
  return chooseModel({ env: {} });
}

/** The id of the model to use without a configuration. */
export async function findModelId(flag: string | undefined, env: Env): Promise<string> {
  const chosen = chooseModel({ flag, env });
  return (chosen.from === BUILT_IN ? await findModel(env) : chosen).value;
}

/** Milliseconds a server of this machine has to say what it has. */
export const LOCAL_MS = 1_000;

/** Wants no key, so it can be asked unasked. */
export function isLocal({ id, keyVariables }: ModelProvider): boolean {
  return keyVariables.length === 0 && !id.includes(':');
}

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
