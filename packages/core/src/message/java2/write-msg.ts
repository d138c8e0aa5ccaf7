import type { JsonObject } from '../../internal/index.ts';
import type { ChatUsage } from '../blocks.ts';
import type { MsgData } from '../msg-data.ts';
import { messageTime } from '../times.ts';
import { withoutNulls, writeBlocks } from './write-block.ts';
import type { WriteOptions } from './write-block.ts';

/** A message as AgentScope Java prints it: all seven members, nulls included. */
export function msgToJava2(msg: MsgData, { extensions = false }: WriteOptions = {}): JsonObject {
  const strict = {
    id: msg.id,
    name: msg.name,
    role: msg.role,
    content: writeBlocks(msg.content, { id: msg.id, extensions }),
    metadata: extensions ? msg.metadata : withoutNulls(msg.metadata),
    timestamp: extensions || msg.timestamp === null ? msg.timestamp : (messageTime(msg.timestamp) ?? null),
    usage: msg.usage === null ? null : writeUsage(msg.usage, extensions),
  };
  if (!extensions) return strict;
  return {
    ...strict,
    ...(msg.finishedAt === undefined ? {} : { finishedAt: msg.finishedAt }),
    ...(msg.originalRole === undefined ? {} : { originalRole: msg.originalRole }),
    ...(msg.extra === undefined ? {} : { extra: msg.extra }),
  };
}

/** Java knows no missing count; the extended form leaves out what the model leaves out, so that it reads back equal. */
export function writeUsage(usage: ChatUsage, extensions: boolean): JsonObject {
  const cached = usage.cachedTokens ?? (extensions ? undefined : 0);
  const time = usage.time ?? (extensions ? undefined : 0);
  return {
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    ...(cached === undefined ? {} : { cachedTokens: cached }),
    ...(time === undefined ? {} : { time }),
    totalTokens: usage.inputTokens + usage.outputTokens,
    ...(extensions && usage.cacheCreationTokens !== undefined ? { cacheCreationTokens: usage.cacheCreationTokens } : {}),
  };
}
