import type { JsonObject } from '../internal/index.ts';
import { msgToJava2 } from '../message/index.ts';
import type { MsgData, ParseOptions, WriteOptions } from '../message/index.ts';
import type { AgentEvent } from './events.ts';
import { eventFromJava2, eventType, java2Blocks, unknownType } from './java2/read-event.ts';
import { eventToJava2 } from './java2/write-event.ts';

/**
 * An event from JSON: AgentScope Java's, Python's or the older TypeScript package's form, or our own extended one. Without `dialect`
 * the form is told from the members.
 *
 * @throws AgentScopeError `event/invalid` for what is no event; `wire/unknown-type` for an unknown type, unless `unknown: 'keep'`
 *   gives it back as an opaque event; `message/invalid` for a block inside that is not valid
 */
export function parseEvent(json: unknown, { unknown = 'throw' }: ParseOptions = {}): AgentEvent {
  const type = eventType(json);
  const raw = json as Record<string, unknown>;
  if (type === undefined) {
    if (unknown === 'keep') return raw as unknown as AgentEvent;
    throw unknownType(String(raw['type']));
  }
  return eventFromJava2(raw, type, java2Blocks(unknown));
}

/**
 * A message or an event as AgentScope Java prints it. Strict by default: exactly what Java declares, without what only we know.
 * `extensions: true` adds the model's optional members, so that reading it gives an equal value: the form of journals and streams.
 * Events without blocks come back as they are, not copied.
 */
export function toJava2(value: MsgData | AgentEvent, { extensions = false }: WriteOptions = {}): JsonObject {
  return 'type' in value ? eventToJava2(value, extensions) : msgToJava2(value, { extensions });
}
