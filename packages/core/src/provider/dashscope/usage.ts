import { isObject } from '../../internal/index.ts';
import type { ChatUsage } from '../../message/index.ts';
import { toChatUsage } from '../../model/index.ts';

/** Cached tokens, and tokens written to a cache, are inside the input; thinking is inside the output. */
export function readUsage(raw: unknown): ChatUsage | undefined {
  if (!isObject(raw)) return undefined;
  const details = isObject(raw['prompt_tokens_details']) ? raw['prompt_tokens_details'] : {};
  return toChatUsage({ input: raw['input_tokens'], output: raw['output_tokens'], cached: details['cached_tokens'], cacheCreation: details['cache_creation_input_tokens'] });
}
