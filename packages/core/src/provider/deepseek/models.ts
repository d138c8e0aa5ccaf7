import type { ListModelsOptions, ModelCard } from '../../model/index.ts';
import { listChatModels } from '../shared/chat/index.ts';
import { SERVER } from './model.ts';

const CARDS: readonly Omit<ModelCard, 'provider'>[] = [
  { modelName: 'deepseek-chat', label: 'DeepSeek Chat', contextWindow: 128_000, maxOutputTokens: 8_192, input: ['text'], output: ['text'] },
  { modelName: 'deepseek-reasoner', label: 'DeepSeek Reasoner', contextWindow: 128_000, maxOutputTokens: 65_536, input: ['text'], output: ['text'] },
];

/** Models of DeepSeek: a few known ones, or with `live` those of the server (`GET /models`). */
export function listDeepSeekModels(options: ListModelsOptions = {}): Promise<readonly ModelCard[]> {
  return listChatModels(SERVER, CARDS, options);
}
