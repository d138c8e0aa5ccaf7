import { isObject } from '../../internal/index.ts';
import type { JsonObject, JsonValue } from '../../internal/index.ts';
import type { ChatUsage, Metadata } from '../blocks.ts';
import type { MsgData } from '../msg-data.ts';
import { ERROR_KEY } from '../metadata-keys.ts';
import { REASON_KEY, STRUCTURED_OUTPUT_KEY } from '../reason.ts';
import { javaTime, pythonTime } from '../times.ts';
import { PYTHON_REASONS } from './read.ts';
import { blocksToPython2 } from './write-block.ts';

/** A message as Python 2 prints it: every member, nulls included. A message without a time gets the present one. */
export function msgToPython2(msg: MsgData): JsonObject {
  const created_at = pythonTime(msg.timestamp ?? javaTime(Date.now()));
  const role = msg.role === 'TOOL' ? 'assistant' : msg.role.toLowerCase();
  const finished = msg.finishedAt === undefined ? null : pythonTime(msg.finishedAt);
  return {
    name: msg.name ?? '',
    content: blocksToPython2(msg.content, { id: msg.id, createdAt: created_at }),
    role,
    id: msg.id,
    created_at,
    usage: msg.usage === null ? null : usageToPython2(msg.usage),
    finished_at: role === 'assistant' ? finished : created_at,
    ...endingOf(msg.metadata),
  };
}

/** Python counts no seconds. */
export function usageToPython2(usage: ChatUsage): JsonObject {
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_input_tokens: usage.cachedTokens ?? 0,
    cache_creation_input_tokens: usage.cacheCreationTokens ?? 0,
  };
}

/** What Python has a word for; undefined for the other reasons. */
export function reasonToPython2(reason: unknown): string | undefined {
  for (const [word, known] of PYTHON_REASONS) if (known === reason) return word;
  return undefined;
}

/** Three members of Python's live in our metadata. A reason Python has no word for stays there. */
function endingOf(metadata: Metadata): JsonObject {
  const { [REASON_KEY]: reason, [STRUCTURED_OUTPUT_KEY]: output, [ERROR_KEY]: error, ...rest } = metadata;
  const word = isObject(error) ? 'error' : reasonToPython2(reason);
  const kept = reason === undefined || reasonToPython2(reason) !== undefined ? rest : { ...rest, [REASON_KEY]: reason };
  return { metadata: kept, finished_reason: word ?? null, structured_output: (output ?? null) as JsonValue, error: isObject(error) ? (error as JsonObject) : null };
}
