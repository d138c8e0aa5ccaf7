import type { ListModelsOptions, ModelCard } from '../../model/index.ts';
import { listChatModels } from '../shared/chat/index.ts';
import { SERVER } from './model.ts';

const CARDS: readonly Omit<ModelCard, 'provider'>[] = [
  { modelName: 'grok-4', label: 'Grok 4', contextWindow: 256_000, input: ['text', 'image'], output: ['text'] },
  { modelName: 'grok-code-fast-1', label: 'Grok Code Fast 1', contextWindow: 256_000, input: ['text'], output: ['text'] },
  { modelName: 'grok-3-mini', label: 'Grok 3 mini', contextWindow: 131_072, input: ['text'], output: ['text'] },
];

/** Models of xAI: a few known ones, or with `live` those of the server (`GET /models`). */
export function listXAIModels(options: ListModelsOptions = {}): Promise<readonly ModelCard[]> {
  return listChatModels(SERVER, CARDS, options);
}
