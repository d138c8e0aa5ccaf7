import { AgentScopeError } from '../../error/index.ts';
import { isObject } from '../../internal/index.ts';
import { providerError } from '../../model/index.ts';
import type { ListModelsOptions, ModelCard } from '../../model/index.ts';
import { networkError, timeoutError } from './http.ts';
import { readKey } from './settings.ts';
import type { Key } from './settings.ts';

/** What one provider says about its models, in the package and when it is asked. */
export interface ModelList {
  readonly provider: string;
  /** The environment variable of the key. */
  readonly variable: string;
  readonly needsKey?: boolean;
  /** The recommended one first. */
  readonly cards: readonly Omit<ModelCard, 'provider'>[];
  /** The address and headers of its list. */
  request(key: Key): { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  /** One page of it, and the address of the next one. */
  read(body: Record<string, unknown>, url: string): { readonly models: readonly Omit<ModelCard, 'provider'>[]; readonly next?: string | undefined };
}

const TIMEOUT_MS = 10_000;
const MOST_PAGES = 50;

/**
 * The cards of a provider, or with `live` what it says it has, with what the cards know of that.
 *
 * @throws AgentScopeError as a model call does: `model/auth`, `model/network`, `model/timeout`, …; an abort of `signal` throws its reason.
 */
export async function listModels(list: ModelList, options: ListModelsOptions = {}): Promise<readonly ModelCard[]> {
  const { provider, cards } = list;
  const found = options.live === true ? await ask(list, options) : cards;
  return found.map((model) => ({ provider, ...cards.find(({ modelName }) => modelName === model.modelName), ...model }));
}

async function ask(list: ModelList, options: ListModelsOptions): Promise<ReturnType<ModelList['read']>['models']> {
  const key = await readKey(options.credential?.apiKey, list);
  const { url, headers } = list.request(key);
  const found: Omit<ModelCard, 'provider'>[] = [];
  let next: string | undefined = url;
  for (let page = 0; next !== undefined && page < MOST_PAGES; page++) {
    const body = await get(next, { ...headers, ...options.credential?.headers }, { list, key, options });
    const read = list.read(body, next);
    found.push(...read.models);
    next = read.next;
  }
  return found;
}

async function get(url: string, headers: Readonly<Record<string, string>>, { list: { provider }, key, options }: { list: ModelList; key: Key; options: ListModelsOptions }): Promise<Record<string, unknown>> {
  const { fetch = globalThis.fetch, timeoutMs = TIMEOUT_MS, signal } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { headers, signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]) });
    text = await response.text();
  } catch (error) {
    signal?.throwIfAborted();
    if (timeout.aborted) throw timeoutError(provider, timeoutMs);
    throw AgentScopeError.is(error) ? error : networkError(provider, url, error);
  }
  if (!response.ok) throw providerError({ provider, status: response.status, headers: response.headers, body: text, variable: key.variable, key: key.value });
  const body = parsed(text);
  if (!isObject(body)) throw new AgentScopeError('model/bad-stream', `${provider} answered with no list of models. Check the base address.`, { details: { provider, retryable: false } });
  return body;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Objects in a list that may be none. */
export function objectsIn(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
