import type { ListModelsOptions, ModelCard } from '../../model/index.ts';
import { listModels, objectsIn } from '../shared/index.ts';
import { ollamaUrl } from './address.ts';
import { withOllamaErrors } from './errors.ts';

/** Some of those that can be pulled. */
const CARDS = [
  { modelName: 'qwen3:8b', label: 'Qwen3 8B', contextWindow: 40_960, input: ['text'], output: ['text'] },
  { modelName: 'gpt-oss:20b', label: 'gpt-oss 20B', contextWindow: 131_072, input: ['text'], output: ['text'] },
  { modelName: 'llama3.2', label: 'Llama 3.2 3B', contextWindow: 131_072, input: ['text'], output: ['text'] },
  { modelName: 'gemma3', label: 'Gemma 3 4B', contextWindow: 131_072, input: ['text', 'image'], output: ['text'] },
] as const;

/**
 * Models for Ollama: some that can be pulled, or with `live` those that are there (`GET /api/tags`), the newest first. The context a
 * model can have is not what the server gives it: that is `numCtx`.
 */
export function listOllamaModels(options: ListModelsOptions = {}): Promise<readonly ModelCard[]> {
  const fetch = withOllamaErrors(() => options.fetch ?? globalThis.fetch, { provider: 'ollama' });
  return listModels(
    {
      provider: 'ollama',
      variable: 'OLLAMA_API_KEY',
      needsKey: false,
      cards: CARDS,
      request: ({ value }) => ({ url: ollamaUrl(options.credential?.baseUrl, 'tags'), headers: value === undefined ? {} : { authorization: `Bearer ${value}` } }),
      read: (body) => ({ models: objectsIn(body['models']).flatMap(({ name }) => (typeof name === 'string' ? [{ modelName: name }] : [])) }),
    },
    { ...options, fetch },
  );
}
