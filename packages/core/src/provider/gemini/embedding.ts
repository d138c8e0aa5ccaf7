import { isObject } from '../../internal/index.ts';
import type { EmbeddingModel, EmbeddingModelOptions, EmbeddingOptions, EmbeddingResponse } from '../../model/index.ts';
import { createEmbedder, endpointUrl, objectsIn } from '../shared/index.ts';
import { baseOf, keyVariable } from './address.ts';
import { KEY_HEADER, withGoogleErrors } from './errors.ts';

export type GeminiTextEmbeddingOptions = EmbeddingModelOptions;

const PURPOSES = { query: 'RETRIEVAL_QUERY', document: 'RETRIEVAL_DOCUMENT' } as const;

/** Vectors of Gemini (`gemini-embedding-001`, …; keys and address as for the chat model). Tells searches from documents; `additionalBodyParams` goes into the request of each text. */
export class GeminiTextEmbedding implements EmbeddingModel {
  readonly provider: string = 'gemini';
  readonly modelName: string;
  readonly #embedder: ReturnType<typeof createEmbedder>;

  constructor(options: GeminiTextEmbeddingOptions) {
    const { modelName, dimensions, additionalBodyParams } = options;
    const name = modelName.includes('/') ? modelName : `models/${modelName}`;
    this.modelName = modelName;
    const fetch = withGoogleErrors(() => options.fetch ?? globalThis.fetch, { provider: this.provider, variable: () => (options.apiKey === undefined ? keyVariable() : undefined) });
    this.#embedder = createEmbedder({ ...options, fetch }, {
      provider: this.provider,
      get variable() {
        return keyVariable();
      },
      most: { texts: 100 },
      prepare: ({ texts, purpose, key }) => ({
        url: endpointUrl(baseOf(options.baseUrl), `/${name}:batchEmbedContents`),
        headers: key.value === undefined ? {} : { [KEY_HEADER]: key.value },
        body: JSON.stringify({ requests: texts.map((text) => ({ model: name, content: { parts: [{ text }] }, taskType: purpose && PURPOSES[purpose], outputDimensionality: dimensions, ...additionalBodyParams })) }),
      }),
      read: ({ embeddings, usageMetadata }) => ({ embeddings: objectsIn(embeddings).map(({ values }) => values), inputTokens: isObject(usageMetadata) ? usageMetadata['promptTokenCount'] : undefined }),
    });
  }

  get dimensions(): number | undefined {
    return this.#embedder.dimensions;
  }

  embed(texts: Parameters<EmbeddingModel['embed']>[0], options?: EmbeddingOptions): Promise<EmbeddingResponse> {
    return this.#embedder.embed(texts, options);
  }
}
