import type { JsonObject } from '../internal/index.ts';
import { jsonOf, msgToJava2, msgToPython2 } from '../message/index.ts';
import type { MsgData, ParseOptions, WriteOptions } from '../message/index.ts';
import type { AgentEvent } from './events.ts';
import { isPlainEvent } from './java2/plain-event.ts';
import { eventFromJava2, eventType, java2Blocks, unknownType } from './java2/read-event.ts';
import { eventToJava2 } from './java2/write-event.ts';
import { eventFromPython2 } from './python2/read-event.ts';
import { eventToPython2 } from './python2/write-event.ts';

/**
 * An event from JSON, parsed or as text (a line of a stream): AgentScope Java's, Python's or the older TypeScript package's form, or
 * our own extended one. Without `dialect` the form is told from the members. What has the model's form already comes back as it is,
 * not copied.
 *
 * @throws AgentScopeError `event/invalid` for what is no event, a text that is cut among it; `wire/unknown-type` for an unknown type, unless `unknown: 'keep'`
 *   gives it back as an opaque event; `message/invalid` for a block inside that is not valid
 */
export function parseEvent(json: unknown, { dialect, unknown = 'throw' }: ParseOptions = {}): AgentEvent {
  const raw = jsonOf(json) as Record<string, unknown>;
  const type = eventType(raw);
  if (isPlainEvent(raw)) return raw as unknown as AgentEvent;
  if (type === undefined) {
    if (unknown === 'keep') return raw as unknown as AgentEvent;
    throw unknownType(String(raw['type']));
  }
  if (dialect === undefined ? isPython2(raw) : dialect !== 'java2') return eventFromPython2(raw, type, unknown);
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

/** A message or an event as AgentScope Python 2 prints it; undefined for an event that has no twin there (WIRE §5.2). */
export function toPython2(value: MsgData): JsonObject;
export function toPython2(value: MsgData | AgentEvent): JsonObject | undefined;
export function toPython2(value: MsgData | AgentEvent): JsonObject | undefined {
  return 'type' in value ? eventToPython2(value) : msgToPython2(value);
}

/** Members that only Python spells so, and always writes. */
function isPython2(raw: Record<string, unknown>): boolean {
  return 'created_at' in raw || 'reply_id' in raw || 'block_id' in raw || 'session_id' in raw || 'tool_call_id' in raw;
}
