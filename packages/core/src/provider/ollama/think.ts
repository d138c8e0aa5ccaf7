import type { GenerateOptions } from '../../model/index.ts';

/** `think` of a request: on or off, or for models that have levels one of those. */
export type OllamaThink = boolean | 'low' | 'medium' | 'high';

/**
 * An effort or a budget as Ollama can say it. Models with levels (gpt-oss) take a level and cannot be kept from thinking; the others
 * only think or do not. A budget has no number here: zero is no thinking, more is some.
 */
export function thinkField({ reasoningEffort, thinkingBudget }: GenerateOptions, modelName: string): OllamaThink | undefined {
  const hasLevels = /(?:^|\/)gpt-oss\b/i.test(modelName);
  if (reasoningEffort !== undefined) return hasLevels ? (LEVELS.get(reasoningEffort) ?? 'medium') : reasoningEffort !== 'none';
  if (thinkingBudget === undefined) return undefined;
  return hasLevels ? levelOf(thinkingBudget) : thinkingBudget !== 0;
}

const LEVELS: ReadonlyMap<string, OllamaThink> = new Map([['none', 'low'], ['minimal', 'low'], ['low', 'low'], ['medium', 'medium'], ['high', 'high'], ['xhigh', 'high'], ['max', 'high']]);

/** -1: as much as the model likes. */
function levelOf(budget: number): OllamaThink {
  if (budget < 0) return 'medium';
  return budget < 4_096 ? 'low' : budget < 16_384 ? 'medium' : 'high';
}
