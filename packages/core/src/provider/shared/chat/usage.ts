import { isObject } from '../../../internal/index.ts';
import type { ChatUsage } from '../../../message/index.ts';
import { count, toChatUsage } from '../../../model/index.ts';

/** Usage of Chat Completions and its dialects: cached tokens in the details, at the top, or as cache hits. */
export function readUsage(raw: unknown): ChatUsage | undefined {
  if (!isObject(raw)) return undefined;
  const prompt = detailsOf(raw['prompt_tokens_details']);
  return toChatUsage({
    input: raw['prompt_tokens'],
    output: outputOf(raw),
    cached: prompt['cached_tokens'] ?? raw['cached_tokens'] ?? raw['prompt_cache_hit_tokens'],
    cacheCreation: prompt['cache_creation_input_tokens'] ?? prompt['cache_write_tokens'],
  });
}

/** Some servers count reasoning beside the completion; their total gives them away. */
function outputOf(raw: Record<string, unknown>): number | undefined {
  const output = count(raw['completion_tokens']);
  const reasoning = count(detailsOf(raw['completion_tokens_details'])['reasoning_tokens']);
  if (output === undefined || reasoning === undefined || reasoning === 0) return output;
  const total = count(raw['total_tokens']);
  const beside = (count(raw['prompt_tokens']) ?? 0) + output + reasoning;
  return total === beside ? output + reasoning : output;
}

function detailsOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
