import type { ListModelsOptions, ModelCard } from '../../model/index.ts';
import { endpointUrl, listModels, objectsIn, readEnv } from '../shared/index.ts';

const NEW = { contextWindow: 1_000_000, maxOutputTokens: 128_000, input: ['text', 'image', 'file'], output: ['text'] } as const;
const OLD = { ...NEW, contextWindow: 200_000, maxOutputTokens: 64_000 } as const;

const CARDS = [
  { modelName: 'claude-sonnet-5', label: 'Claude Sonnet 5', ...NEW },
  { modelName: 'claude-opus-5-5', label: 'Claude Opus 5.5', ...NEW },
  { modelName: 'claude-opus-5', label: 'Claude Opus 5', ...NEW },
  { modelName: 'claude-opus-4-5', label: 'Claude Opus 4.5', ...OLD },
  { modelName: 'claude-sonnet-4-5', label: 'Claude Sonnet 4.5', ...OLD },
  { modelName: 'claude-haiku-4-5', label: 'Claude Haiku 4.5', ...OLD },
] as const;

/** Models of Anthropic: a few known ones, or with `live` those of the server (`GET /models`, page by page). */
export function listAnthropicModels(options: ListModelsOptions = {}): Promise<readonly ModelCard[]> {
  return listModels(
    {
      provider: 'anthropic',
      variable: 'ANTHROPIC_API_KEY',
      cards: CARDS,
      request: ({ value }) => ({
        url: `${endpointUrl(options.credential?.baseUrl ?? readEnv('ANTHROPIC_BASE_URL') ?? 'https://api.anthropic.com/v1', '/models')}?limit=1000`,
        headers: { 'anthropic-version': '2023-06-01', ...(value === undefined ? {} : { 'x-api-key': value }) },
      }),
      read: (body, url) => ({
        models: objectsIn(body['data']).flatMap(({ id, display_name: label }) => (typeof id === 'string' ? [{ modelName: id, ...(typeof label === 'string' ? { label } : {}) }] : [])),
        next: body['has_more'] === true && typeof body['last_id'] === 'string' ? withParam(url, 'after_id', body['last_id']) : undefined,
      }),
    },
    options,
  );
}

function withParam(address: string, name: string, value: string): string {
  const url = new URL(address);
  url.searchParams.set(name, value);
  return url.href;
}
