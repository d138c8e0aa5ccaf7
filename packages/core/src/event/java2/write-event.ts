import type { JsonObject } from '../../internal/index.ts';
import { msgToJava2, withoutNulls, writeBlock, writeBlocks, writeRule, writeUsage } from '../../message/index.ts';
import type { ChatUsage, ContentBlock, HintBlock, MsgData, Owner } from '../../message/index.ts';
import type { AgentEvent, ConfirmResult, UserInterruptEvent } from '../events.ts';
import { EVENT_FIELDS, WITHOUT_REPLY } from './fields.ts';
import type { FieldKind, Fields } from './fields.ts';

/**
 * An event as Java prints it, or with our extensions. An event that holds no block is its own extended form: it comes back as it is,
 * not as a copy, so that writing a delta costs nothing.
 */
export function eventToJava2(event: AgentEvent, extensions: boolean): JsonObject {
  const fields = EVENT_FIELDS[event.type] as Fields | undefined;
  if (fields === undefined) return event as unknown as JsonObject; // kept as read, by { unknown: 'keep' }
  if (event.type === 'USER_INTERRUPT') return writeInterrupt(event, extensions);
  return extensions ? writeExtended(event, fields) : writeStrict(event, fields);
}

function writeExtended(event: AgentEvent, fields: Fields): JsonObject {
  const members = event as unknown as Record<string, unknown>;
  let written: Record<string, unknown> | undefined;
  for (const name of blockFields(event.type, fields)) {
    if (members[name] === undefined) continue;
    written ??= { ...members };
    written[name] = writeField(fields[name] as FieldKind, members[name], { id: ownerOf(event), extensions: true });
  }
  return (written ?? members) as JsonObject;
}

function writeStrict(event: AgentEvent, fields: Fields): JsonObject {
  const members = event as unknown as Record<string, unknown>;
  const owner = { id: ownerOf(event), extensions: false };
  const written = commonOf(event);
  for (const name in fields) {
    const kind = fields[name] as FieldKind;
    const value = members[name];
    if (value === undefined || value === null || (kind === 'id' && value === '')) continue;
    if (name === 'replyId' && WITHOUT_REPLY.has(event.type)) continue;
    written[name] = writeField(kind, value, owner);
  }
  return written as JsonObject;
}

/** Java fails on a type it does not know: an interrupt is a CUSTOM there, and our reader turns it back. */
function writeInterrupt(event: UserInterruptEvent, extensions: boolean): JsonObject {
  const common = extensions && event.metadata !== undefined ? { ...commonOf(event), metadata: event.metadata } : commonOf(event);
  return { ...common, type: 'CUSTOM', name: 'user_interrupt', value: { replyId: event.replyId } } as JsonObject;
}

function commonOf({ type, id, createdAt, source, metadata }: AgentEvent): Record<string, unknown> {
  const common: Record<string, unknown> = { type };
  if (id !== '') common['id'] = id;
  if (createdAt !== '') common['createdAt'] = createdAt;
  if (source !== undefined && source !== '') common['source'] = source;
  const kept = metadata === undefined ? {} : withoutNulls(metadata);
  if (Object.keys(kept).length > 0) common['metadata'] = kept;
  return common;
}

const WITH_BLOCKS: ReadonlySet<FieldKind> = new Set<FieldKind>(['msg', 'block', 'calls', 'results', 'confirms', 'usage?', 'hint']);
const blockFieldsByType = new Map<string, readonly string[]>();

/** Members of a type that need writing; for most types there are none. */
function blockFields(type: string, fields: Fields): readonly string[] {
  let names = blockFieldsByType.get(type);
  if (names === undefined) blockFieldsByType.set(type, (names = Object.keys(fields).filter((name) => WITH_BLOCKS.has(fields[name] as FieldKind))));
  return names;
}

function ownerOf(event: AgentEvent): string {
  return 'toolCallId' in event ? event.toolCallId : (event.replyId ?? '');
}

function writeField(kind: FieldKind, value: unknown, owner: Owner): unknown {
  switch (kind) {
    case 'msg':
      return msgToJava2(value as MsgData, { extensions: owner.extensions });
    case 'block':
      return writeBlock(value as ContentBlock, owner);
    case 'calls':
    case 'results':
      return writeBlocks(value as ContentBlock[], owner);
    case 'confirms':
      return (value as ConfirmResult[]).map((answer) => writeConfirm(answer, owner));
    case 'usage?':
      return writeUsage(value as ChatUsage, owner.extensions);
    case 'hint':
      return writeBlock({ type: 'hint', id: owner.id, hint: value as HintBlock['hint'], source: null }, owner)['hint'];
    default:
      return value;
  }
}

function writeConfirm({ confirmed, toolCall, rules }: ConfirmResult, owner: Owner): JsonObject {
  return { confirmed, toolCall: writeBlock(toolCall, owner), rules: rules === null ? null : rules.map((rule) => writeRule(rule, owner.extensions)) };
}
