import { isObject } from '../../internal/index.ts';
import type { DashScopePart, DashScopeWireMessage } from './wire.ts';

/** More do not count. */
const MOST_MARKS = 4;

/**
 * Messages in parts with at most four cache marks: those of the blocks, and if asked for one at the end of the system prompt and one at
 * the end of the conversation. Where there are more, that of the system prompt and the newest stay. Text cannot bear a mark. What has
 * no mark, or keeps its own, stays the same object.
 */
export function withCacheMarks(messages: readonly DashScopeWireMessage[], asked: boolean): readonly DashScopeWireMessage[] {
  const wished = asked ? messages.map((message, at) => (message.role === 'system' || at === messages.length - 1 ? markedAtEnd(message) : message)) : messages;
  const bearers = wished.flatMap((message) => marksIn(message).map((part) => ({ part, isSystem: message.role === 'system' })));
  if (bearers.length <= MOST_MARKS) return wished;
  const system = bearers.filter(({ isSystem }) => isSystem).slice(-1);
  const newest = bearers.filter(({ isSystem }) => !isSystem).slice(system.length - MOST_MARKS);
  const kept = new Set([...system, ...newest].map(({ part }) => part));
  return wished.map((message) => (marksIn(message).every((part) => kept.has(part)) ? message : withOnly(message, kept)));
}

function partsOf({ content }: DashScopeWireMessage): readonly DashScopePart[] {
  return Array.isArray(content) ? (content as readonly DashScopePart[]) : [];
}

function marksIn(message: DashScopeWireMessage): readonly DashScopePart[] {
  return partsOf(message).filter((part) => isObject(part) && part.cache_control !== undefined);
}

function markedAtEnd(message: DashScopeWireMessage): DashScopeWireMessage {
  const parts = partsOf(message);
  const last = parts.at(-1);
  if (last === undefined || last.cache_control !== undefined) return message;
  return { ...message, content: [...parts.slice(0, -1), { ...last, cache_control: { type: 'ephemeral' } }] };
}

function withOnly(message: DashScopeWireMessage, kept: ReadonlySet<DashScopePart>): DashScopeWireMessage {
  return { ...message, content: partsOf(message).map((part) => (kept.has(part) ? part : { ...part, cache_control: undefined })) };
}
