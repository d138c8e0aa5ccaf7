import type { ListModelsOptions, ModelCard } from '../../model/index.ts';
import { listChatModels } from '../shared/chat/index.ts';
import { SERVER } from './model.ts';

const CARDS: readonly Omit<ModelCard, 'provider'>[] = [
  { modelName: 'kimi-k2.5', label: 'Kimi K2.5', contextWindow: 262_144, input: ['text', 'image', 'video'], output: ['text'] },
  { modelName: 'kimi-k2-thinking', label: 'Kimi K2 Thinking', contextWindow: 262_144, input: ['text'], output: ['text'] },
  { modelName: 'moonshot-v1-128k', label: 'Moonshot v1 128k', contextWindow: 131_072, input: ['text'], output: ['text'] },
];

/** Models of Kimi: a few known ones, or with `live` those of the server (`GET /models`). */
export function listKimiModels(options: ListModelsOptions = {}): Promise<readonly ModelCard[]> {
  return listChatModels(SERVER, CARDS, options);
}
