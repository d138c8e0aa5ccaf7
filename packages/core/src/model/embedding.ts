import type { JsonObject } from '../internal/index.ts';
import type { TextBlock } from '../message/index.ts';
import type { ChatModelOptions } from './options.ts';

export interface EmbeddingOptions {
  /** What the texts are for, where a model tells searches from what is searched. Default: neither. */
  readonly purpose?: 'query' | 'document' | undefined;
  /** Ends the request that runs and those still to come; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
}

/** The vectors of some texts. */
export interface EmbeddingResponse {
  /** One for each text, in their order. */
  readonly embeddings: readonly (readonly number[])[];
  /** Tokens of all texts, where the provider counted them. */
  readonly usage?: { readonly inputTokens: number };
}

/** A model that turns texts into vectors. Throws `AgentScopeError` with a `model/…` code; an aborted `signal` throws its reason. */
export interface EmbeddingModel {
  readonly provider: string;
  readonly modelName: string;
  /** Numbers of a vector: as asked for, else as the first answer told. */
  readonly dimensions: number | undefined;
  /**
   * As many requests as the texts need, one after the other. Either all texts get their vector or the call throws; no texts, no request.
   *
   * @throws AgentScopeError `model/bad-request` for a text without any letter, before anything is sent
   */
  embed(texts: string | TextBlock | readonly (string | TextBlock)[], options?: EmbeddingOptions): Promise<EmbeddingResponse>;
}

/** What every provider's embedding model takes; what it shares with chat models means the same. */
export interface EmbeddingModelOptions extends Pick<ChatModelOptions, 'modelName' | 'apiKey' | 'baseUrl' | 'headers' | 'fetch' | 'timeoutMs' | 'totalTimeoutMs' | 'maxRetries'> {
  /** Numbers of a vector, for models that leave a choice. Default: the model's own. A model that answers with another number is `model/bad-stream`. */
  readonly dimensions?: number | undefined;
  /** Texts of one request. Default, and most: what the provider takes. */
  readonly batchSize?: number | undefined;
  /** Merged into the request body as it is. */
  readonly additionalBodyParams?: JsonObject | undefined;
}
