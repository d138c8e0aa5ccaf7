import { isObject } from '../internal/index.ts';
import type { ChatUsage } from './blocks.ts';

/** Java's names, snake_case or Python's; a count that is missing or impossible is 0. `totalTokens` is computed by every writer, so it is not read. */
export function readUsage(value: unknown): ChatUsage | null {
  if (!isObject(value)) return null;
  const cached = count(value['cachedTokens'] ?? value['cached_tokens'] ?? value['cacheInputTokens'] ?? value['cache_input_tokens']);
  const created = count(value['cacheCreationTokens'] ?? value['cache_creation_tokens'] ?? value['cache_creation_input_tokens']);
  const time = count(value['time']);
  return {
    inputTokens: count(value['inputTokens'] ?? value['input_tokens']) ?? 0,
    outputTokens: count(value['outputTokens'] ?? value['output_tokens']) ?? 0,
    ...(cached === undefined ? {} : { cachedTokens: cached }),
    ...(created === undefined ? {} : { cacheCreationTokens: created }),
    ...(time === undefined ? {} : { time }),
  };
}

/** The sum as a new object; neither argument is kept. */
export function addUsage(a: ChatUsage | null, b: ChatUsage): ChatUsage {
  if (a === null) return { ...b };
  const cached = sum(a.cachedTokens, b.cachedTokens);
  const created = sum(a.cacheCreationTokens, b.cacheCreationTokens);
  const time = sum(a.time, b.time);
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    ...(cached === undefined ? {} : { cachedTokens: cached }),
    ...(created === undefined ? {} : { cacheCreationTokens: created }),
    ...(time === undefined ? {} : { time }),
  };
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : a + b;
}
