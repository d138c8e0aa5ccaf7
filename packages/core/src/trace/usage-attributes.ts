import type { Attributes } from '@opentelemetry/api';
import type { ChatUsage } from '../message/index.ts';

export function usageAttributes(usage: ChatUsage | null | undefined): Attributes {
  if (!usage) return {};
  const { inputTokens, outputTokens, cachedTokens, cacheCreationTokens } = usage;
  return {
    'gen_ai.usage.input_tokens': inputTokens,
    'gen_ai.usage.output_tokens': outputTokens,
    ...(cachedTokens === undefined ? {} : { 'gen_ai.usage.cache_read.input_tokens': cachedTokens }),
    ...(cacheCreationTokens === undefined ? {} : { 'gen_ai.usage.cache_creation.input_tokens': cacheCreationTokens }),
  };
}
