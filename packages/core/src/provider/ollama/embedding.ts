import type { EmbeddingModel, EmbeddingModelOptions, EmbeddingOptions, EmbeddingResponse } from '../../model/index.ts';
import { createEmbedder } from '../shared/index.ts';
import { ollamaUrl } from './address.ts';
import { withOllamaErrors } from './errors.ts';

export interface OllamaTextEmbeddingOptions extends EmbeddingModelOptions {
  /** Cut texts that are longer than the model takes, without a word. Default false: they are refused. */
  readonly truncate?: boolean | undefined;
  /** How long the model stays in memory after a call: seconds, or text with a unit (`'10m'`). Default: the server's, 5 minutes. */
  readonly keepAlive?: string | number | undefined;
  /** Milliseconds without a byte before a try fails with `model/timeout`. Default 300 000: a model may have to be loaded first. */
  readonly timeoutMs?: number;
}

/** The server knows no bound; this keeps one request, and its repetition, small. */
const MOST = { texts: 256 };

/** Vectors of an Ollama server (`nomic-embed-text`, …), found as the chat model finds it. */
export class OllamaTextEmbedding implements EmbeddingModel {
  readonly provider: string = 'ollama';
  readonly modelName: string;
  readonly #embedder: ReturnType<typeof createEmbedder>;

  constructor(options: OllamaTextEmbeddingOptions) {
    const { modelName, dimensions, keepAlive, truncate = false, timeoutMs = 300_000, additionalBodyParams } = options;
    this.modelName = modelName;
    const fetch = withOllamaErrors(() => options.fetch ?? globalThis.fetch, { provider: this.provider, modelName });
    this.#embedder = createEmbedder({ ...options, timeoutMs, fetch }, {
      provider: this.provider,
      variable: 'OLLAMA_API_KEY',
      needsKey: false,
      most: MOST,
      prepare: ({ texts, key }) => ({
        url: ollamaUrl(options.baseUrl, 'embed'),
        headers: key.value === undefined ? {} : { authorization: `Bearer ${key.value}` },
        body: JSON.stringify({ model: modelName, input: texts, truncate, dimensions, keep_alive: keepAlive, ...additionalBodyParams }),
      }),
      read: ({ embeddings, prompt_eval_count: inputTokens }) => ({ embeddings: Array.isArray(embeddings) ? embeddings : [], inputTokens }),
    });
  }

  get dimensions(): number | undefined {
    return this.#embedder.dimensions;
  }

  embed(texts: Parameters<EmbeddingModel['embed']>[0], options?: EmbeddingOptions): Promise<EmbeddingResponse> {
    return this.#embedder.embed(texts, options);
  }
}
