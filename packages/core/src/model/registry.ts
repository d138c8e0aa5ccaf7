import { AgentScopeError } from '../error/index.ts';
import type { Awaitable } from '../internal/index.ts';
import type { ChatModel } from './model.ts';

/** Known providers complete in the editor; any text is taken, since it often comes from the environment. */
export type ModelId =
  | `${'openai' | 'openai-responses' | 'anthropic' | 'gemini' | 'dashscope' | 'ollama' | 'deepseek' | 'glm' | 'kimi' | 'minimax' | 'xai'}:${string}`
  | 'offline:demo'
  | (string & {});

export type ModelFactory = (modelName: string) => Awaitable<ChatModel>;

interface Registration {
  readonly pattern: string | RegExp;
  readonly factory: ModelFactory;
  readonly variable: string | undefined;
  readonly urlVariable: string | undefined;
}

/** Names in the environment, for messages. */
export interface ModelVariables {
  /** Holds the key. */
  readonly variable?: string | undefined;
  /** Holds the base address of the server. */
  readonly urlVariable?: string | undefined;
}

/** Ids to models. Knows no provider by itself; the package's entry registers the built-in ones, loaded when first used. */
export class ModelRegistryStore {
  readonly #models = new Map<string, ChatModel>();
  #factories: readonly Registration[] = [];

  /** This very model for this very id. */
  register(id: string, model: ChatModel): void {
    this.#models.set(id, model);
  }

  /**
   * A string stands for the word before the colon, and `factory` gets what follows it (one with a colon in it stands for that very id);
   * a regular expression is tried on the whole id, and `factory` gets its first group, else the id. The newest registration that fits is taken.
   */
  registerFactory(pattern: string | RegExp, factory: ModelFactory, { variable, urlVariable }: ModelVariables = {}): void {
    const others = this.#factories.filter((known) => String(known.pattern) !== String(pattern));
    this.#factories = [{ pattern, factory, variable, urlVariable }, ...others];
  }

  /** @throws AgentScopeError `config/invalid` (option `model`), listing the providers there are. */
  async resolve(id: ModelId): Promise<ChatModel> {
    const model = this.#models.get(id);
    if (model !== undefined) return model;
    for (const { pattern, factory } of this.#factories) {
      const name = nameIn(id, pattern);
      if (name !== undefined) return factory(name);
    }
    throw new AgentScopeError('config/invalid', `${this.#unknownText(id)} ${this.#knownText()}`, { details: { option: 'model' } });
  }

  /** The environment variables the provider of an id reads, as far as its registration names them. */
  variablesOf(id: ModelId): { readonly key: string | undefined; readonly url: string | undefined } {
    const found = this.#factories.find(({ pattern }) => nameIn(id, pattern) !== undefined);
    return { key: found?.variable, url: found?.urlVariable };
  }

  #unknownText(id: string): string {
    if (id.trim() === '') return 'The model id is empty; it reads "<provider>:<name>".';
    const provider = id.trim().replace(/:$/, '').toLowerCase();
    const ids = [...this.#factories.map(({ pattern }) => patternText(pattern)), ...this.#models.keys()];
    const ownId = ids.find((known) => known.split(':', 1)[0] === provider);
    if (ownId !== undefined) return `"${id}" names no model of its provider; an id of it reads "${ownId}".`;
    if (id.endsWith(':')) return `"${id}" names no model; a model id reads "<provider>:<name>".`;
    if (!id.includes(':')) return `"${id}" names no provider; a model id reads "<provider>:<name>", for example "openai:${id}" with the key in OPENAI_API_KEY.`;
    return `No provider is known for the model "${id}".`;
  }

  #knownText(): string {
    const known = this.#factories.toReversed().map(({ pattern, variable }) => `${patternText(pattern)}${variable === undefined ? '' : ` (key: ${variable})`}`);
    return `Known: ${[...known, ...this.#models.keys()].join(', ') || 'none'}. Others: ModelRegistry.registerFactory(…).`;
  }
}

/** The registry of the process. */
export const ModelRegistry: ModelRegistryStore = new ModelRegistryStore();

function nameIn(id: string, pattern: string | RegExp): string | undefined {
  if (typeof pattern === 'string' && pattern.includes(':')) return id === pattern ? id : undefined;
  if (typeof pattern === 'string') return id.startsWith(`${pattern}:`) && id.length > pattern.length + 1 ? id.slice(pattern.length + 1) : undefined;
  const match = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '')).exec(id);
  return match === null ? undefined : (match[1] ?? id);
}

function patternText(pattern: string | RegExp): string {
  return typeof pattern !== 'string' ? String(pattern) : pattern.includes(':') ? pattern : `${pattern}:<name>`;
}
