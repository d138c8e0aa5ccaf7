import type { CacheControl } from '../../formatter/index.ts';

/** A content block of the Messages API. */
export interface AnthropicWireBlock {
  readonly type: string;
  readonly cache_control?: AnthropicCacheMark;
  readonly [member: string]: unknown;
}

export interface AnthropicCacheMark {
  readonly type: 'ephemeral';
  readonly ttl?: '1h';
}

export interface AnthropicWireMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly AnthropicWireBlock[];
}

/** What the formatter gives: the system prompt stands beside the messages. */
export interface AnthropicWire {
  /** Empty where there is none. */
  readonly system: readonly AnthropicWireBlock[];
  readonly messages: readonly AnthropicWireMessage[];
}

/** Five minutes are the API's own default, so they are not spelled out. */
export function cacheMark(cacheControl: CacheControl): AnthropicCacheMark {
  return cacheControl === '1h' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' };
}
