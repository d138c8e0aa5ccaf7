import type { ChatUsage } from '../../message/index.ts';
import { count, toChatUsage } from '../../model/index.ts';

/** Here input, cache reads and cache writes are counted apart; with us the input is all three. */
export function readUsage(raw: Readonly<Record<string, unknown>> | undefined): ChatUsage | undefined {
  if (raw === undefined) return undefined;
  const cached = count(raw['cache_read_input_tokens']);
  const cacheCreation = count(raw['cache_creation_input_tokens']);
  const input = count(raw['input_tokens']);
  const all = input === undefined && cached === undefined && cacheCreation === undefined ? undefined : (input ?? 0) + (cached ?? 0) + (cacheCreation ?? 0);
  return toChatUsage({ input: all, output: raw['output_tokens'], cached, cacheCreation });
}
