import type { ListModelsOptions, ModelCard } from '../../model/index.ts';
import { listModels, objectsIn } from '../shared/index.ts';
import { baseOf, keyVariable } from './address.ts';
import { KEY_HEADER } from './errors.ts';

const KNOWN = { contextWindow: 1_048_576, maxOutputTokens: 65_536, input: ['text', 'image', 'audio', 'video', 'file'], output: ['text'] } as const;

const CARDS = [
  { modelName: 'gemini-3-pro-preview', label: 'Gemini 3 Pro', ...KNOWN },
  { modelName: 'gemini-3-flash-preview', label: 'Gemini 3 Flash', ...KNOWN },
  { modelName: 'gemini-2.5-pro', label: 'Gemini 2.5 Pro', ...KNOWN },
  { modelName: 'gemini-2.5-flash', label: 'Gemini 2.5 Flash', ...KNOWN },
] as const;

/** Models of Gemini: a few known ones, or with `live` those of the server that make text (`GET /models`, page by page). */
export function listGeminiModels(options: ListModelsOptions = {}): Promise<readonly ModelCard[]> {
  return listModels(
    {
      provider: 'gemini',
      variable: keyVariable(),
      cards: CARDS,
      request: ({ value }) => ({ url: `${baseOf(options.credential?.baseUrl)}/models?pageSize=1000`, headers: value === undefined ? {} : { [KEY_HEADER]: value } }),
      read: (body, url) => ({ models: objectsIn(body['models']).flatMap(cardOf), next: nextPage(url, body['nextPageToken']) }),
    },
    options,
  );
}

function cardOf({ name, displayName, inputTokenLimit, outputTokenLimit, supportedGenerationMethods: methods }: Record<string, unknown>): readonly Omit<ModelCard, 'provider'>[] {
  if (typeof name !== 'string' || (Array.isArray(methods) && !methods.includes('generateContent'))) return [];
  return [
    {
      modelName: name.replace(/^models\//, ''),
      ...(typeof displayName === 'string' ? { label: displayName } : {}),
      ...(typeof inputTokenLimit === 'number' ? { contextWindow: inputTokenLimit } : {}),
      ...(typeof outputTokenLimit === 'number' ? { maxOutputTokens: outputTokenLimit } : {}),
    },
  ];
}

function nextPage(address: string, token: unknown): string | undefined {
  if (typeof token !== 'string' || token === '') return undefined;
  const url = new URL(address);
  url.searchParams.set('pageToken', token);
  return url.href;
}
