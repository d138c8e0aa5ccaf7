import type { ListModelsOptions, ModelCard } from '../../model/index.ts';
import { listChatModels } from '../shared/chat/index.ts';
import { SERVER } from './model.ts';

const CARDS: readonly Omit<ModelCard, 'provider'>[] = [
  { modelName: 'MiniMax-M2.1', label: 'MiniMax M2.1', contextWindow: 204_800, input: ['text'], output: ['text'] },
  { modelName: 'MiniMax-M2', label: 'MiniMax M2', contextWindow: 204_800, input: ['text'], output: ['text'] },
];

/** Models of MiniMax that are known. The server has no list of its own, so `live` asks nobody. */
export function listMiniMaxModels(options: ListModelsOptions = {}): Promise<readonly ModelCard[]> {
  return listChatModels(SERVER, CARDS, { ...options, live: false });
}
