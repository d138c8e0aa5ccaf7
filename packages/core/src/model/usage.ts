import type { ChatUsage } from '../message/index.ts';

/**
 * Usage from whatever a provider reported: no NaN, nothing negative, whole numbers sent as text are read. Nothing where neither input
 * nor output was reported. Cached tokens are counted inside `inputTokens`, as the contract says; a provider that reports more cached
 * tokens than input tokens counted them beside it.
 */
export function toChatUsage(counts: { input: unknown; output: unknown; cached?: unknown; cacheCreation?: unknown }): ChatUsage | undefined {
  const input = count(counts.input);
  const output = count(counts.output);
  const cached = count(counts.cached);
  const cacheCreation = count(counts.cacheCreation);
  if (input === undefined && output === undefined) return undefined;
  const inside = input ?? 0;
  return {
    inputTokens: cached !== undefined && cached > inside ? inside + cached : inside,
    outputTokens: output ?? 0,
    ...(cached === undefined ? {} : { cachedTokens: cached }),
    ...(cacheCreation === undefined ? {} : { cacheCreationTokens: cacheCreation }),
  };
}

/** A number of tokens, or nothing where there is no sensible one. */
export function count(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined;
}
