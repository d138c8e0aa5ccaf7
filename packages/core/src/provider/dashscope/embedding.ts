import { isObject } from '../../internal/index.ts';
import type { EmbeddingModel, EmbeddingModelOptions, EmbeddingOptions, EmbeddingResponse } from '../../model/index.ts';
import { createEmbedder, inOrder } from '../shared/index.ts';
import { KEY_VARIABLE, nativeUrl } from './address.ts';
import { ERROR_CODES, withDashScopeErrors } from './errors.ts';

export type DashScopeTextEmbeddingOptions = EmbeddingModelOptions;

/** Vectors of DashScope (`text-embedding-v4`, …; key `DASHSCOPE_API_KEY`, address `DASHSCOPE_HTTP_BASE_URL`). Tells searches from documents. */
export class DashScopeTextEmbedding implements EmbeddingModel {
  readonly provider: string = 'dashscope';
  readonly modelName: string;
  readonly #embedder: ReturnType<typeof createEmbedder>;

  constructor(options: DashScopeTextEmbeddingOptions) {
    const { modelName } = options;
    this.modelName = modelName;
    const fetch = withDashScopeErrors(() => options.fetch ?? globalThis.fetch, { provider: this.provider, modelName });
    this.#embedder = createEmbedder({ ...options, fetch }, {
      provider: this.provider,
      variable: KEY_VARIABLE,
      most: { texts: /-v[12]$/.test(modelName) ? 25 : 10 },
      prepare: ({ texts, purpose, key }) => ({
        url: nativeUrl(options.baseUrl, 'embeddings/text-embedding/text-embedding'),
        headers: key.value === undefined ? {} : { authorization: `Bearer ${key.value}` },
        body: bodyOf(texts, purpose, options),
        errorCodes: ERROR_CODES,
      }),
      read: ({ output, usage }) => ({ embeddings: inOrder(isObject(output) ? output['embeddings'] : undefined, 'text_index'), inputTokens: isObject(usage) ? usage['total_tokens'] : undefined }),
    });
  }

  get dimensions(): number | undefined {
    return this.#embedder.dimensions;
  }

  embed(texts: Parameters<EmbeddingModel['embed']>[0], options?: EmbeddingOptions): Promise<EmbeddingResponse> {
    return this.#embedder.embed(texts, options);
  }
}

function bodyOf(texts: readonly string[], purpose: EmbeddingOptions['purpose'], { modelName, dimensions, additionalBodyParams }: EmbeddingModelOptions): string {
  const { parameters, ...open } = additionalBodyParams ?? {};
  return JSON.stringify({ model: modelName, input: { texts }, parameters: { dimension: dimensions, text_type: purpose, ...(isObject(parameters) ? parameters : {}) }, ...open });
}
