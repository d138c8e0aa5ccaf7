import type { ListModelsOptions, ModelCard } from '../../model/index.ts';

const SEES = { input: ['text', 'image', 'video'], output: ['text'] } as const;
const READS = { input: ['text'], output: ['text'] } as const;

const CARDS = [
  { modelName: 'qwen3.5-plus', label: 'Qwen3.5 Plus', contextWindow: 1_000_000, ...SEES },
  { modelName: 'qwen3-max', label: 'Qwen3 Max', contextWindow: 262_144, ...READS },
  { modelName: 'qwen-plus', label: 'Qwen Plus', contextWindow: 1_000_000, ...READS },
  { modelName: 'qwen-flash', label: 'Qwen Flash', contextWindow: 1_000_000, ...READS },
  { modelName: 'qwen3-vl-plus', label: 'Qwen3 VL Plus', contextWindow: 262_144, ...SEES },
] as const;

/** A few known models of DashScope. It has no list to ask, so `live` brings the same. */
export async function listDashScopeModels({ signal }: ListModelsOptions = {}): Promise<readonly ModelCard[]> {
  signal?.throwIfAborted();
  return CARDS.map((card) => ({ provider: 'dashscope', ...card }));
}
