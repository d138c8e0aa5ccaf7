import { isObject } from '../../internal/index.ts';
import type { EmbeddingModel, EmbeddingModelOptions, EmbeddingOptions, EmbeddingResponse } from '../../model/index.ts';
import { createEmbedder, endpointUrl, inOrder, readEnv } from '../shared/index.ts';

export type OpenAITextEmbeddingOptions = EmbeddingModelOptions;

/** OpenAI takes 300 000 tokens a request; three bytes are seldom less than one. */
const MOST = { texts: 2_048, bytes: 900_000 };

/** Vectors of OpenAI (`text-embedding-3-small`, …; key `OPENAI_API_KEY`), and of every server with its `/embeddings` (`baseUrl` or `OPENAI_BASE_URL`). */
export class OpenAITextEmbedding implements EmbeddingModel {
  readonly provider: string = 'openai';
  readonly modelName: string;
  readonly #embedder: ReturnType<typeof createEmbedder>;

  constructor(options: OpenAITextEmbeddingOptions) {
    const { modelName, dimensions, additionalBodyParams } = options;
    this.modelName = modelName;
    this.#embedder = createEmbedder(options, {
      provider: this.provider,
      variable: 'OPENAI_API_KEY',
      most: MOST,
      prepare: ({ texts, key }) => ({
        url: endpointUrl(options.baseUrl ?? readEnv('OPENAI_BASE_URL') ?? 'https://api.openai.com/v1', '/embeddings'),
        headers: key.value === undefined ? {} : { authorization: `Bearer ${key.value}` },
        body: JSON.stringify({ model: modelName, input: texts, dimensions, encoding_format: 'float', ...additionalBodyParams }),
      }),
      read: ({ data, usage }) => ({ embeddings: inOrder(data, 'index'), inputTokens: isObject(usage) ? usage['prompt_tokens'] : undefined }),
    });
  }

  get dimensions(): number | undefined {
    return this.#embedder.dimensions;
  }

  embed(texts: Parameters<EmbeddingModel['embed']>[0], options?: EmbeddingOptions): Promise<EmbeddingResponse> {
    return this.#embedder.embed(texts, options);
  }
}
