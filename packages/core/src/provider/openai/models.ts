import type { ListModelsOptions, ModelCard } from '../../model/index.ts';
import { endpointUrl, listModels, objectsIn, readEnv } from '../shared/index.ts';

const SEES = { input: ['text', 'image', 'file'], output: ['text'] } as const;

const CARDS = [
  { modelName: 'gpt-5.5', label: 'GPT-5.5', contextWindow: 1_050_000, maxOutputTokens: 128_000, ...SEES },
  { modelName: 'gpt-5', label: 'GPT-5', contextWindow: 400_000, maxOutputTokens: 128_000, ...SEES },
  { modelName: 'gpt-5-mini', label: 'GPT-5 mini', contextWindow: 400_000, maxOutputTokens: 128_000, ...SEES },
  { modelName: 'gpt-4.1', label: 'GPT-4.1', contextWindow: 1_047_576, maxOutputTokens: 32_768, ...SEES },
  { modelName: 'gpt-4o', label: 'GPT-4o', contextWindow: 128_000, maxOutputTokens: 16_384, ...SEES },
  { modelName: 'gpt-4o-mini', label: 'GPT-4o mini', contextWindow: 128_000, maxOutputTokens: 16_384, ...SEES },
] as const;

/** Models of OpenAI: a few known ones, or with `live` those of the server (`GET /models`), whatever they are for. */
export function listOpenAIModels(options: ListModelsOptions = {}): Promise<readonly ModelCard[]> {
  return listModels(
    {
      provider: 'openai',
      variable: 'OPENAI_API_KEY',
      cards: CARDS,
      request: ({ value }) => ({
        url: endpointUrl(options.credential?.baseUrl ?? readEnv('OPENAI_BASE_URL') ?? 'https://api.openai.com/v1', '/models'),
        headers: value === undefined ? {} : { authorization: `Bearer ${value}` },
      }),
      read: (body) => ({ models: objectsIn(body['data']).flatMap(({ id }) => (typeof id === 'string' ? [{ modelName: id }] : [])) }),
    },
    options,
  );
}
