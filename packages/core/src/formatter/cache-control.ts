import { isObject } from '../internal/index.ts';
import type { ContentBlock } from '../message/index.ts';

/** How long a provider should remember what stands up to here. */
export type CacheControl = '5m' | '1h';

/** Metadata of a block, as in AgentScope Java: `true`, `'5m'`, `'1h'`, or the provider's own object. */
export const CACHE_CONTROL_KEY = '_cache_control';

/** The mark on a block, if there is one. */
export function cacheControlOf(block: ContentBlock): CacheControl | undefined {
  return 'metadata' in block ? readCacheControl(block.metadata?.[CACHE_CONTROL_KEY]) : undefined;
}

/** Nothing for `false`, nothing at all, and what says no such thing. */
export function readCacheControl(value: unknown): CacheControl | undefined {
  if (value === '1h' || (isObject(value) && value['ttl'] === '1h')) return '1h';
  return value === true || value === '5m' || isObject(value) ? '5m' : undefined;
}
