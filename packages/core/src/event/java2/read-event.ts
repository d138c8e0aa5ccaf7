import { AgentScopeError } from '../../error/index.ts';
import { isObject } from '../../internal/index.ts';
import { hintParts, msgFromJava2, readBlock, readBlocks, readMembers, readRules, readUsage, RESULT_STATES } from '../../message/index.ts';
import type { BlockType, ContentBlock, Members, Msg, UnknownBlocks } from '../../message/index.ts';
import type { AgentEvent, AgentEventType } from '../events.ts';
import { EVENT_FIELDS, EVENT_NAMES, TYPE_ALIASES } from './fields.ts';
import type { FieldKind } from './fields.ts';

/** How the blocks and messages inside an event are read: the one thing dialects differ in here. */
export interface BlockReaders {
  block(raw: unknown, path: string): ContentBlock;
  blocks(raw: unknown, path: string): ContentBlock[];
  msg(raw: unknown, path: string): Msg;
}

/** Java's own blocks, and ours. */
export function java2Blocks(unknown: 'throw' | 'keep'): BlockReaders {
  const place = (path: string): { path: string; unknown: UnknownBlocks } => ({ path, unknown });
  return {
    block: (raw, path) => readBlock(raw, place(path)),
    blocks: (raw, path) => readBlocks(raw, place(path)),
    msg: (raw, path) => msgFromJava2(raw, { unknown, path: `${path}.` }),
  };
}

/** The canonical type, or undefined for one that is not known. @throws `event/invalid` without a type */
export function eventType(raw: unknown): AgentEventType | undefined {
  if (!isObject(raw)) throw invalidEvent('', 'an event is an object, or the whole JSON text of one');
  const { type } = raw;
  if (typeof type !== 'string') throw invalidEvent('type', 'an event says its type');
  return TYPE_ALIASES.get(type) ?? (EVENT_NAMES.has(type) ? (type as AgentEventType) : undefined);
}

/** An event in Java's JSON, in our extended form, or in the documented variants of them (WIRE §3.2). */
export function eventFromJava2(raw: Record<string, unknown>, type: AgentEventType, readers: BlockReaders): AgentEvent {
  const members = readMembers(raw, EVENT_NAMES.get(type) ?? new Map<string, string>());
  if (type === 'CUSTOM' && members.known['name'] === 'user_interrupt') return readInterrupt(members);
  return eventOf(type, withAliases(type, members), readers);
}

/** An event from members under the model's names. */
export function eventOf(type: AgentEventType, { known, extra }: Members, readers: BlockReaders): AgentEvent {
  const event: Record<string, unknown> = { type, id: text(known['id'], 'id'), createdAt: text(known['createdAt'], 'createdAt') };
  if (typeof known['source'] === 'string' && known['source'] !== '') event['source'] = known['source'];
  if (isObject(known['metadata'])) event['metadata'] = known['metadata'];
  const fields = EVENT_FIELDS[type];
  for (const name in fields) {
    const value = readField(fields[name] as FieldKind, known[name], { name, readers });
    if (value !== undefined) event[name] = value;
  }
  if (type === 'AGENT_START') event['role'] ||= 'assistant';
  if (extra !== undefined) event['extra'] = extra;
  return event as unknown as AgentEvent;
}

export function unknownType(type: string): AgentScopeError<'wire/unknown-type'> {
  const shown = type.slice(0, 40);
  return new AgentScopeError('wire/unknown-type', `No event type "${shown}" is known. Read with { unknown: 'keep' } to pass it on.`, { details: { path: 'type', type: shown } });
}

function invalidEvent(path: string, rule: string): AgentScopeError<'event/invalid'> {
  return new AgentScopeError('event/invalid', `The event is not valid at \`${path}\`: ${rule}.`, { details: { path } });
}

/** Flat counts, `data` for `delta`, flat tool data, the older name of results. */
export function withAliases(type: AgentEventType, { known, extra }: Members): Members {
  const more: Record<string, unknown> = { ...known };
  if (type === 'MODEL_CALL_END' && known['usage'] === undefined && known['inputTokens'] !== undefined) more['usage'] = flatUsage(known);
  if (type === 'DATA_BLOCK_DELTA') more['delta'] ??= known['data'];
  if (type === 'EXTERNAL_EXECUTION_RESULT') more['toolResults'] ??= known['executionResults'];
  if (type === 'TOOL_RESULT_DATA_DELTA' && !isObject(known['data'])) more['data'] = flatData(known);
  return { known: more, extra };
}

function flatUsage(known: Members['known']): object {
  return {
    inputTokens: known['inputTokens'],
    outputTokens: known['outputTokens'],
    cachedTokens: known['cacheInputTokens'],
    cacheCreationTokens: known['cacheCreationInputTokens'],
  };
}

/** A text `data`, or a `url`, with its media type beside it. Without an id the block takes that of its call. */
function flatData({ data, url, mediaType, blockId, toolCallId }: Members['known']): object {
  const source = typeof data === 'string' ? { type: 'base64', data, mediaType } : { type: 'url', url, mediaType };
  return { type: 'data', source, id: blockId ?? `${String(toolCallId)}-0` };
}

function readInterrupt({ known, extra }: Members): AgentEvent {
  const value = isObject(known['value']) ? known['value'] : {};
  return eventOf('USER_INTERRUPT', { known: { ...known, replyId: known['replyId'] ?? value['replyId'] ?? value['reply_id'] }, extra }, java2Blocks('throw'));
}

function readField(kind: FieldKind, value: unknown, { name, readers }: { name: string; readers: BlockReaders }): unknown {
  switch (kind) {
    case 'id':
    case 'text':
      return text(value, name);
    case 'word?':
      return value === undefined || value === null ? undefined : text(value, name);
    case 'number':
      return typeof value === 'number' ? value : 0;
    case 'object':
      return isObject(value) ? value : {};
    case 'error?':
      return isObject(value) ? { type: text(value['type'], 'error.type'), message: text(value['message'], 'error.message') } : undefined;
    case 'usage?':
      return readUsage(value) ?? undefined;
    case 'reason':
      return text(value, name) || 'MIDDLEWARE_STOP_REQUESTED';
    case 'state':
      return resultState(text(value, name).toLowerCase() || 'success', name);
    case 'hint':
      return Array.isArray(value) ? hintParts(readers.blocks(value, name), name) : text(value, name);
    case 'msg':
      return value === undefined || value === null ? undefined : readers.msg(value, name);
    case 'block':
      return readers.block(value, name);
    case 'calls':
      return only('tool_use', readers.blocks(value, name), name);
    case 'results':
      return only('tool_result', readers.blocks(value, name), name);
    case 'confirms':
      return readConfirms(value, { name, readers });
  }
}

function only(type: BlockType, blocks: ContentBlock[], name: string): ContentBlock[] {
  const at = blocks.findIndex((block) => block.type !== type);
  if (at >= 0) throw invalidEvent(`${name}[${at}].type`, `it is ${type}`);
  return blocks;
}

function resultState(state: string, name: string): string {
  if (RESULT_STATES.some((known) => known === state)) return state;
  throw invalidEvent(name, `it is one of ${RESULT_STATES.join(', ')}`);
}

function readConfirms(value: unknown, { name, readers }: { name: string; readers: BlockReaders }): unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalidEvent(name, 'it is a list of answers');
  return value.filter(isObject).map((answer, i) => ({
    confirmed: answer['confirmed'] === true,
    toolCall: only('tool_use', [readers.block(answer['toolCall'] ?? answer['tool_call'], `${name}[${i}].toolCall`)], name)[0],
    rules: answer['rules'] === undefined || answer['rules'] === null ? null : readRules(answer['rules'], `${name}[${i}].rules`),
  }));
}

function text(value: unknown, name: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw invalidEvent(name, 'it is a text');
}
