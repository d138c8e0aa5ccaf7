import { AgentScopeError } from '../error/index.ts';
import type { Awaitable } from '../internal/index.ts';
import type { ModelCard } from './card.ts';
import type { ListModelsOptions, ModelContext } from './context.ts';
import { ModelCache } from './model-cache.ts';
import type { ChatModel } from './model.ts';

/** Known providers complete in the editor; any text is taken, since it often comes from the environment. */
export type ModelId =
  | `${'openai' | 'openai-responses' | 'anthropic' | 'gemini' | 'dashscope' | 'ollama' | 'deepseek' | 'glm' | 'kimi' | 'minimax' | 'xai'}:${string}`
  | 'offline:demo'
  | (string & {});

export type ModelFactory = (modelName: string, context: ModelContext) => Awaitable<ChatModel>;

/** What is known of a provider beside its factory. */
export interface ModelSource {
  /** Variable of the environment that holds the key; of several the first that is set counts. */
  readonly variable?: string | readonly string[] | undefined;
  /** Variable that holds the base address of the server. */
  readonly urlVariable?: string | undefined;
  /**
   * `'tenant'`: a model is made once for each id and tenant, and again when the tenant's credential changes; one made with a credential for
   * nobody in particular is never kept. `'never'`, the default: made anew each time.
   */
  readonly cache?: 'never' | 'tenant' | undefined;
  readonly listModels?: ((options: ListModelsOptions) => Awaitable<readonly ModelCard[]>) | undefined;
}

/** A provider as the registry knows it. */
export interface ModelProvider {
  /** What stands before the colon, or an id of its own. */
  readonly id: string;
  /** None: it wants no key. */
  readonly keyVariables: readonly string[];
  readonly urlVariable: string | undefined;
}

interface Registration extends ModelSource {
  readonly pattern: string | RegExp;
  readonly factory: ModelFactory;
}

/** Ids to models. Knows no provider by itself; the package's entry registers the built-in ones, loaded when first used. */
export class ModelRegistryStore {
  readonly #models = new Map<string, ChatModel>();
  readonly #kept = new ModelCache();
  #factories: readonly Registration[] = [];

  /** This very model for this very id. */
  register(id: string, model: ChatModel): void {
    this.#models.set(id, model);
  }

  /**
   * A string stands for the word before the colon, and `factory` gets what follows it (one with a colon in it stands for that very id);
   * a regular expression is tried on the whole id, and `factory` gets its first group, else the id; behind the name it gets who the model is
   * for. The newest registration that fits is taken.
   */
  registerFactory(pattern: string | RegExp, factory: ModelFactory, source: ModelSource = {}): void {
    const others = this.#factories.filter((known) => String(known.pattern) !== String(pattern));
    this.#factories = [{ ...source, pattern, factory }, ...others];
    this.#kept.clear();
  }

  /** @throws AgentScopeError `config/invalid` (option `model`), naming the id that looks most like it and the providers there are. */
  async resolve(id: ModelId, context: ModelContext = {}): Promise<ChatModel> {
    const model = this.#models.get(id);
    if (model !== undefined) return model;
    for (const { pattern, factory, cache } of this.#factories) {
      const name = nameIn(id, pattern);
      if (name === undefined) continue;
      const make = async (): Promise<ChatModel> => factory(name, context);
      return cache === 'tenant' ? this.#kept.get(id, context, make) : make();
    }
    throw new AgentScopeError('config/invalid', `${await this.#unknownText(id)} ${this.#knownText()}`, { details: { option: 'model' } });
  }

  /** Drops the models that are kept for a tenant, or for all; those in use go on. */
  forget(tenant?: string): void {
    this.#kept.clear(tenant);
  }

  /** In the order they were registered. */
  providers(): readonly ModelProvider[] {
    return this.#factories.toReversed().flatMap(({ pattern, urlVariable, ...source }) => (typeof pattern === 'string' ? [{ id: pattern, keyVariables: keyVariables(source), urlVariable }] : []));
  }

  /**
   * The models of a provider (the word before the colon): from its cards, or with `live` from its own list, with what the cards know.
   *
   * @throws AgentScopeError `config/invalid` (option `provider`) for one nobody registered; with `live` what the provider's answer says
   */
  async listModels(provider: string, options: ListModelsOptions = {}): Promise<readonly ModelCard[]> {
    const found = this.#factories.find(({ pattern }) => pattern === provider);
    if (found === undefined) throw new AgentScopeError('config/invalid', `There is no model provider "${provider}". ${this.#knownText()}`, { details: { option: 'provider' } });
    return (await found.listModels?.(options)) ?? [];
  }

  /** The environment variables the provider of an id reads, as far as its registration names them. */
  variablesOf(id: ModelId): { readonly key: string | undefined; readonly url: string | undefined } {
    const found = this.#factories.find(({ pattern }) => nameIn(id, pattern) !== undefined);
    return { key: keyVariables(found)[0], url: found?.urlVariable };
  }

  async #unknownText(id: string): Promise<string> {
    if (id.trim() === '') return 'The model id is empty; it reads "<provider>:<name>".';
    const provider = id.trim().replace(/:$/, '').toLowerCase();
    const ids = [...this.#factories.map(({ pattern }) => patternText(pattern)), ...this.#models.keys()];
    const ownId = ids.find((known) => known.split(':', 1)[0] === provider);
    if (ownId !== undefined) return `"${id}" names no model of its provider; an id of it reads "${ownId}".`;
    if (id.endsWith(':')) return `"${id}" names no model; a model id reads "<provider>:<name>".`;
    const near = await this.#nearest(id);
    if (id.includes(':')) return `No provider is known for the model "${id}".${near === undefined ? '' : ` Did you mean "${near}"?`}`;
    return `"${id}" names no provider; a model id reads "<provider>:<name>". ${near === undefined ? `For example "openai:${id}" with the key in OPENAI_API_KEY.` : `Did you mean "${near}"?`}`;
  }

  /** Loads the cards of every provider, which an id that works never does. */
  async #nearest(id: string): Promise<string | undefined> {
    const providers = this.providers().map((provider) => provider.id);
    const cards = await Promise.all(providers.map((provider) => this.listModels(provider).catch(() => [])));
    const { nearestId } = await import('./nearest-id.ts');
    return nearestId(id, { providers, ids: this.#models.keys(), cards: cards.flatMap((list, at) => list.map(({ modelName }) => ({ provider: providers[at] ?? '', modelName }))) });
  }

  #knownText(): string {
    const known = this.#factories.toReversed().map(({ pattern, ...source }) => `${patternText(pattern)}${keyText(keyVariables(source))}`);
    return `Known: ${[...known, ...this.#models.keys()].join(', ') || 'none'}. Others: ModelRegistry.registerFactory(…).`;
  }
}

/** The registry of the process. */
export const ModelRegistry: ModelRegistryStore = new ModelRegistryStore();

function keyVariables({ variable }: Pick<ModelSource, 'variable'> = {}): readonly string[] {
  return variable === undefined ? [] : typeof variable === 'string' ? [variable] : variable;
}

function keyText([variable]: readonly string[]): string {
  return variable === undefined ? '' : ` (key: ${variable})`;
}

function nameIn(id: string, pattern: string | RegExp): string | undefined {
  if (typeof pattern === 'string' && pattern.includes(':')) return id === pattern ? id : undefined;
  if (typeof pattern === 'string') return id.startsWith(`${pattern}:`) && id.length > pattern.length + 1 ? id.slice(pattern.length + 1) : undefined;
  const match = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '')).exec(id);
  return match === null ? undefined : (match[1] ?? id);
}

function patternText(pattern: string | RegExp): string {
  return typeof pattern !== 'string' ? String(pattern) : pattern.includes(':') ? pattern : `${pattern}:<name>`;
}
