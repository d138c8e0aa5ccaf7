import { isObject, newId } from '../../internal/index.ts';
import type { BlockType, ContentBlock, Role } from '../blocks.ts';
import { invalid } from '../invalid.ts';
import { readMembers, readObject, readText, readTextOrNull } from '../members.ts';
import { Msg, MSG_NAMES } from '../msg.ts';
import type { MsgData } from '../msg-data.ts';
import { mayHold, readRole } from '../role.ts';
import { readUsage } from '../usage.ts';
import { readBlocks } from './read-block.ts';

export interface ReadMsgOptions {
  /** What an unknown block type gets. Default `'throw'`: `wire/unknown-type`; `'keep'`: an opaque block. */
  readonly unknown?: 'throw' | 'keep' | undefined;
  /** Where the message stands in what is being read. */
  readonly path?: string;
}

/** A message in Java's JSON or our extended form of it; the role is repaired where it does not fit its blocks (WIRE §1.1). */
export function msgFromJava2(raw: unknown, { unknown = 'throw', path = '' }: ReadMsgOptions = {}): Msg {
  if (!isObject(raw)) throw invalid(path, 'a message is an object, or the whole JSON text of one');
  const { known, extra } = readMembers(raw, MSG_NAMES);
  const content = readBlocks(known['content'], { path: `${path}content`, unknown });
  return msgOf({
    id: readText(known['id'], `${path}id`, ''),
    name: readTextOrNull(known['name'], `${path}name`),
    role: readRole(known['role'], `${path}role`),
    content,
    metadata: { ...readObject(known['metadata'], `${path}metadata`) },
    timestamp: readTextOrNull(known['timestamp'], `${path}timestamp`),
    usage: readUsage(known['usage']),
    ...(typeof known['finishedAt'] === 'string' ? { finishedAt: known['finishedAt'] } : {}),
    ...(typeof known['originalRole'] === 'string' ? { originalRole: known['originalRole'] } : {}),
    ...(extra === undefined ? {} : { extra }),
  });
}

/** What every reader ends with: an id, a role that fits, frozen lists. */
export function msgOf(data: MsgData): Msg {
  const role = repairedRole(data.role, data.content);
  return Msg.from({
    ...data,
    id: data.id || newId(),
    role,
    content: Object.freeze(data.content),
    metadata: Object.freeze(data.metadata),
    ...(role === data.role ? {} : { originalRole: data.originalRole ?? data.role.toLowerCase() }),
  });
}

const MODEL_ONLY: readonly BlockType[] = ['tool_use', 'tool_result', 'thinking', 'hint'];

function repairedRole(role: Role, content: readonly ContentBlock[]): Role {
  if (role === 'USER') return content.some((block) => MODEL_ONLY.includes(block.type)) ? 'ASSISTANT' : role;
  if (role !== 'SYSTEM' || content.every((block) => mayHold(role, block.type))) return role;
  return content.every((block) => block.type === 'tool_result') ? 'TOOL' : 'ASSISTANT';
}
