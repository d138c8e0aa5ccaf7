import { AgentScopeError } from '../error/index.ts';
import { parseEvent, toJava2 } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import { isObject } from '../internal/index.ts';
import type { JsonObject } from '../internal/index.ts';
import { parseMsg } from '../message/index.ts';
import type { ChildPlace, FullSessionKey, JournalEntry } from './entry.ts';

/**
 * An entry as one line of JSON (without a newline): messages and events in the extended Java form, so that nothing of the model is
 * lost. Half a surrogate becomes U+FFFD, except at the ends of a delta, whose other half may come with the next one.
 */
export function encodeEntry(entry: JournalEntry): string {
  const text = JSON.stringify(toPlain(entry));
  // JSON.stringify escapes exactly the lone halves, so the second pass is for the rare text that may have one.
  return LONE_HALF.test(text) ? JSON.stringify(toPlain(entry), wellFormed) : text;
}

/**
 * The entry of a line that was parsed as JSON.
 *
 * An entry of a kind this version does not know comes back as it is.
 *
 * @throws AgentScopeError `event/invalid` or `message/invalid` for what is no entry.
 */
export function decodeEntry(json: JsonObject): JournalEntry {
  const { kind } = json;
  if (kind === 'input' && isObject(json['msg'])) return { ...basics(json, kind), msg: parseMsg(json['msg'], { unknown: 'keep' }), ...(json['steer'] === true ? { steer: true } : {}) };
  if (kind === 'event') return { ...basics(json, kind), event: readEvent(json['event']), ...(typeof json['blob'] === 'number' ? { blob: json['blob'] } : {}), ...(isObject(json['told']) ? { told: readPlace(json['told']) } : {}) };
  if (kind === 'delta') return { ...basics(json, kind), to: Number(json['to']), event: readEvent(json['event']), cuts: json['cuts'] as unknown as readonly (readonly [number, number])[] };
  if (kind === 'state') return { ...basics(json, kind), name: textOf(json['name']), value: json['value'] ?? null };
  if (kind === 'epoch') return { ...basics(json, kind), epoch: Number(json['epoch']), owner: textOf(json['owner']), schema: Number(json['schema']) };
  if (kind === 'child') return { ...basics(json, kind), to: Number(json['to']), child: readKey(json['child']), source: textOf(json['source']), taskId: textOf(json['taskId']), epoch: Number(json['epoch']), from: Number(json['from']) };
  if (kind === 'blob') return { ...basics(json, kind), data: textOf(json['data']) };
  if (typeof kind === 'string' && Number.isSafeInteger(json['seq'])) return unknownEntry(json);
  throw new AgentScopeError('event/invalid', 'A journal holds something that is no entry: it has no kind or no number.', { details: { path: 'kind' } });
}

/** Of a newer version: kept as it is, without what the file store adds to a line. */
function unknownEntry(json: JsonObject): JournalEntry {
  return Object.fromEntries(Object.entries(json).filter(([name]) => name !== 'more')) as unknown as JournalEntry;
}

const LONE_HALF = /\\ud[89a-f][0-9a-f]{2}/;

function toPlain(entry: JournalEntry): JsonObject {
  if (entry.kind === 'input') return { ...entry, msg: toJava2(entry.msg, { extensions: true }) };
  if (entry.kind === 'event' || entry.kind === 'delta') return { ...entry, event: writeEvent(entry.event) } as JsonObject;
  return { ...entry } as JsonObject;
}

/** AGENT_RESULT is kept without its result and then is no event the wire's writer knows. */
function writeEvent(event: AgentEvent): JsonObject {
  return event.type === 'AGENT_RESULT' && !('result' in event) ? { ...(event as JsonObject) } : toJava2(event, { extensions: true });
}
function readEvent(json: unknown): AgentEvent {
  const isBare = isObject(json) && json['type'] === 'AGENT_RESULT' && !('result' in json);
  return isBare ? (json as unknown as AgentEvent) : parseEvent(json, { unknown: 'keep' });
}

function readPlace(json: JsonObject): ChildPlace {
  return { child: readKey(json['child']), source: textOf(json['source']), taskId: textOf(json['taskId']), epoch: Number(json['epoch']), seq: Number(json['seq']), elsewhere: true };
}

function readKey(json: unknown): FullSessionKey {
  if (isObject(json) && typeof json['sessionId'] === 'string') return { userId: typeof json['userId'] === 'string' ? json['userId'] : undefined, sessionId: json['sessionId'] };
  throw new AgentScopeError('event/invalid', 'A journal tells of a child without saying which session it has.', { details: { path: 'child' } });
}

function basics<K extends string>(json: JsonObject, kind: K): { readonly seq: number; readonly at: string; readonly kind: K } {
  return { seq: Number(json['seq']), at: textOf(json['at']), kind };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function wellFormed(name: string, value: unknown): unknown {
  if (typeof value !== 'string' || value.isWellFormed()) return value;
  if (name !== 'delta') return value.toWellFormed();
  const start = /^[\udc00-\udfff]/.test(value) ? 1 : 0;
  const end = value.length - (/[\ud800-\udbff]$/.test(value) && value.length > start ? 1 : 0);
  return value.slice(0, start) + value.slice(start, end).toWellFormed() + value.slice(end);
}
