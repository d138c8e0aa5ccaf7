import type { ChatModelOptions } from './options.ts';

/** What a provider is reached with, where the environment does not say it or somebody else's shall be used. Plain data. */
export type ModelCredential = Pick<ChatModelOptions, 'apiKey' | 'baseUrl' | 'headers'>;

/** Who a model is made for. */
export interface ModelContext {
  /** Whose model it is: a model that is kept is kept for this tenant only. */
  readonly tenant?: string | undefined;
  /** Default: the environment. */
  readonly credential?: ModelCredential | undefined;
}

export interface ListModelsOptions extends ModelContext {
  /** Ask the provider what it has, instead of reading the cards that come with the package. Default false. */
  readonly live?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for asking. Default 10 000. Past it: `model/timeout`. */
  readonly timeoutMs?: number | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
}
