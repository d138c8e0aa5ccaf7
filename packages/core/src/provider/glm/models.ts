import type { ListModelsOptions, ModelCard } from '../../model/index.ts';
import { listChatModels } from '../shared/chat/index.ts';
import { SERVER } from './model.ts';

const CARDS: readonly Omit<ModelCard, 'provider'>[] = [
  { modelName: 'glm-4.7', label: 'GLM-4.7', contextWindow: 200_000, maxOutputTokens: 128_000, input: ['text'], output: ['text'] },
  { modelName: 'glm-4.6', label: 'GLM-4.6', contextWindow: 200_000, maxOutputTokens: 128_000, input: ['text'], output: ['text'] },
  { modelName: 'glm-4.5-air', label: 'GLM-4.5 Air', contextWindow: 128_000, maxOutputTokens: 96_000, input: ['text'], output: ['text'] },
  { modelName: 'glm-4.6v', label: 'GLM-4.6V', contextWindow: 128_000, maxOutputTokens: 32_000, input: ['text', 'image', 'video'], output: ['text'] },
];

/** Models of GLM that are known. The server has no list of its own, so `live` asks nobody. */
export function listGLMModels(options: ListModelsOptions = {}): Promise<readonly ModelCard[]> {
  return listChatModels(SERVER, CARDS, { ...options, live: false });
}
