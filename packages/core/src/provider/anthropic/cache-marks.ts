import type { CacheControl } from '../../formatter/index.ts';
import { cacheMark } from './wire.ts';
import type { AnthropicCacheMark, AnthropicWire, AnthropicWireBlock, AnthropicWireMessage } from './wire.ts';

const MOST_MARKS = 4;

/**
 * The wire with at most four cache marks, which is all the API takes: those of the blocks, and if asked for one at the end of the system
 * prompt and one at the end of the conversation. Where there are more, the system prompt's last one and the newest ones stay. Long
 * marks (`1h`) may not stand behind short ones, so they become short there. What has no mark stays the same object.
 */
export function withCacheMarks(wire: AnthropicWire, cacheControl: CacheControl | undefined): AnthropicWire {
  const asked = cacheControl === undefined ? wire : { system: markLast(wire.system, cacheControl), messages: markEnd(wire.messages, cacheControl) };
  const marks = [...asked.system, ...asked.messages.flatMap(({ content }) => content)].filter((block) => block.cache_control !== undefined);
  if (marks.length <= MOST_MARKS && !marks.some(isLongBehindShort)) return asked;
  const ofSystem = asked.system.filter((block) => block.cache_control !== undefined).slice(-1);
  const newest = marks.filter((block) => !ofSystem.includes(block)).slice(ofSystem.length - MOST_MARKS);
  return remarked(asked, [...ofSystem, ...newest.filter((block) => !asked.system.includes(block) || ofSystem.length === 0)]);
}

function markLast(blocks: readonly AnthropicWireBlock[], cacheControl: CacheControl): readonly AnthropicWireBlock[] {
  return blocks.map((block, at) => (at === blocks.length - 1 && canBear(block) ? { ...block, cache_control: cacheMark(cacheControl) } : block));
}

function markEnd(messages: readonly AnthropicWireMessage[], cacheControl: CacheControl): readonly AnthropicWireMessage[] {
  const last = messages.at(-1);
  return last === undefined ? messages : [...messages.slice(0, -1), { ...last, content: markLast(last.content, cacheControl) }];
}

function canBear({ type }: AnthropicWireBlock): boolean {
  return type !== 'thinking' && type !== 'redacted_thinking';
}

function isLongBehindShort(block: AnthropicWireBlock, at: number, marks: readonly AnthropicWireBlock[]): boolean {
  return isLong(block.cache_control) && marks.slice(0, at).some((before) => !isLong(before.cache_control));
}

function isLong(mark: AnthropicCacheMark | undefined): boolean {
  return mark?.ttl === '1h';
}

/** Only the blocks in `kept` keep their mark. */
function remarked({ system, messages }: AnthropicWire, kept: readonly AnthropicWireBlock[]): AnthropicWire {
  let short = false;
  const remark = (block: AnthropicWireBlock): AnthropicWireBlock => {
    const { cache_control: mark, ...bare } = block;
    if (mark === undefined) return block;
    if (!kept.includes(block)) return bare as AnthropicWireBlock;
    short ||= !isLong(mark);
    return short && isLong(mark) ? { ...block, cache_control: cacheMark('5m') } : block;
  };
  return {
    system: system.map(remark),
    messages: messages.map((message) => (message.content.some((block) => block.cache_control !== undefined) ? { ...message, content: message.content.map(remark) } : message)),
  };
}
