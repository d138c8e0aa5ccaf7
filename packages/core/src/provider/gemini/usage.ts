import { isObject } from '../../internal/index.ts';
import type { ChatUsage } from '../../message/index.ts';
import { count, toChatUsage } from '../../model/index.ts';

/** Candidates leave the thoughts out, so the output is both; prompt tokens have the cached ones in them already. */
export function readUsage(raw: unknown): ChatUsage | undefined {
  if (!isObject(raw)) return undefined;
  return toChatUsage({
    input: sum(raw['promptTokenCount'], raw['toolUsePromptTokenCount']),
    output: sum(raw['candidatesTokenCount'], raw['thoughtsTokenCount']),
    cached: raw['cachedContentTokenCount'],
  });
}

function sum(a: unknown, b: unknown): number | undefined {
  const first = count(a);
  const second = count(b);
  return first === undefined ? second : first + (second ?? 0);
}
