import { isObject } from '../../internal/index.ts';
import { blockFromPython2, blocksFromPython2, msgFromPython2, PYTHON_REASONS, readMembers } from '../../message/index.ts';
import type { Members } from '../../message/index.ts';
import type { AgentEvent, AgentEventType } from '../events.ts';
import { EVENT_NAMES } from '../java2/fields.ts';
import { eventOf, withAliases } from '../java2/read-event.ts';
import type { BlockReaders } from '../java2/read-event.ts';

/** An event of AgentScope Python 2 (WIRE §5.2). */
export function eventFromPython2(raw: Record<string, unknown>, type: AgentEventType, unknown: 'throw' | 'keep'): AgentEvent {
  const members = withAliases(type, readMembers(raw, EVENT_NAMES.get(type) ?? new Map<string, string>()));
  return eventOf(type, withPythonMembers(type, members), python2Blocks(unknown));
}

function python2Blocks(unknown: 'throw' | 'keep'): BlockReaders {
  return {
    block: (raw, path) => blockFromPython2(raw, { path, unknown }),
    blocks: (raw, path) => blocksFromPython2(raw, { path, unknown }),
    msg: (raw, path) => msgFromPython2(raw, { unknown, path: `${path}.` }),
  };
}

/**
 * Python always writes `metadata`, keeps the path of a child there, says with `source` who gave a hint, and has words of its own for
 * how a reply and a model call ended.
 */
function withPythonMembers(type: AgentEventType, { known, extra }: Members): Members {
  const more: Record<string, unknown> = { ...known };
  if (type === 'HINT_BLOCK') {
    more['hintSource'] ??= known['source'];
    delete more['source'];
  }
  const { source, ...metadata } = isObject(known['metadata']) ? known['metadata'] : {};
  if (typeof source === 'string') more['source'] ??= source;
  more['metadata'] = Object.keys(metadata).length === 0 ? undefined : metadata;
  if (type === 'AGENT_END') more['generateReason'] ??= endReason(known['finishedReason']);
  if (type === 'MODEL_CALL_END' && known['finishedReason'] === 'completed') delete more['finishedReason'];
  return { known: more, extra };
}

/** `completed` is what no reason means. */
function endReason(word: unknown): string | undefined {
  return word === 'completed' ? undefined : PYTHON_REASONS.get(String(word));
}
