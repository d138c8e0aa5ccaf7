import { createEvent } from '../../event/index.ts';
import type { AgentEvent } from '../../event/index.ts';
import { canonicalJson } from '../../internal/index.ts';
import type { JsonObject, JsonValue } from '../../internal/index.ts';
import type { ContentBlock, Msg } from '../../message/index.ts';
import { sayBlocks } from './say-blocks.ts';

export interface Rewriting {
  readonly replyId: string;
  /** Number of the model call that is said anew. */
  readonly call: number;
}

/** The beginning of what is said anew in place of a model call; its blocks and, where the call had ended, its end follow. */
export function takeBack({ replyId, call }: Rewriting): AgentEvent[] {
  return [
    createEvent('MODEL_CALL_END', { replyId, metadata: { call, discarded: true } }),
    createEvent('MODEL_CALL_START', { replyId, metadata: { call, purpose: 'rewrite' } }),
  ];
}

/** True when a hook left something else than what it was given. */
export function isChanged(before: unknown, after: unknown): boolean {
  return before !== after && canonicalJson(plain(before)) !== canonicalJson(plain(after));
}

/** The blocks a final message says in place of the last model call: what stands behind all that came before it, or all it has. */
export function lastAnswer(given: Msg, changed: Msg, call: number): readonly ContentBlock[] {
  const first = given.content.findIndex((block) => block.call === call);
  const before = first < 0 ? given.content.length : first;
  const head = changed.content.slice(0, before);
  const keeps = head.length === before && !isChanged(given.content.slice(0, before), head);
  return keeps ? changed.content.slice(before) : changed.content;
}

/** The last answer said anew, after its call had ended. */
export function sayAnew(blocks: readonly ContentBlock[], { replyId, call }: Rewriting): AgentEvent[] {
  return [...takeBack({ replyId, call }), ...sayBlocks(blocks, replyId), createEvent('MODEL_CALL_END', { replyId, metadata: { finishReason: 'stop' } })];
}

/** What of the metadata is new, for `AGENT_END.metadata.msg`; null takes a value away. */
export function moreMetadata(given: Msg, changed: Msg): JsonObject {
  const more: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(changed.metadata)) if (isChanged(given.metadata[name], value)) more[name] = value as JsonValue;
  for (const name of Object.keys(given.metadata)) if (!(name in changed.metadata)) more[name] = null;
  return more;
}

function plain(value: unknown): JsonValue {
  return value === undefined ? null : (JSON.parse(JSON.stringify(value)) as JsonValue);
}
