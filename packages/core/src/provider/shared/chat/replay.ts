import { isObject } from '../../../internal/index.ts';
import type { ThinkingBlock } from '../../../message/index.ts';
import type { AssistantTurn, Turn } from '../../../formatter/index.ts';
import type { CompatibleProfile } from './profile.ts';

/** Thinking this server said itself, marked by the decoder. Nobody else's goes back. */
export function isOwnThinking({ metadata }: ThinkingBlock, { name }: CompatibleProfile): boolean {
  const own = metadata?.[name];
  return isObject(own) && own['reasoning'] === true;
}

/**
 * For each turn, whether its thinking goes back. `tool turns`: those that call, and those behind results, so that nothing said later
 * changes what an earlier message looks like.
 */
export function repliesToReplay(turns: readonly Turn[], { replay }: CompatibleProfile, isThinking: boolean): readonly boolean[] {
  if (!isThinking || replay.thinking === 'never') return turns.map(() => false);
  let behindResults = false;
  return turns.map((turn) => {
    if (turn.role === 'tool') behindResults = true;
    if (turn.role !== 'assistant') return false;
    const goesBack = replay.thinking === 'always' || turn.calls.length > 0 || behindResults;
    behindResults = false;
    return goesBack;
  });
}

/** The member that holds the thinking of a turn, and the text that stands in front of what was said where it came between tags. */
export function replayed(turn: AssistantTurn, { name, replay: { field, empty } }: CompatibleProfile): { readonly fields: Readonly<Record<string, unknown>>; readonly prefix: string } {
  const blocks = turn.content.filter((block) => block.type === 'thinking');
  const own = blocks.map(({ metadata }) => metadata?.[name]);
  const text = blocks.map(({ thinking }) => thinking.toWellFormed()).join('');
  const [open, close] = own.map(tagsOf).find((tags) => tags !== undefined) ?? [];
  if (open !== undefined && close !== undefined) return { fields: {}, prefix: open + text + close };
  if (field !== 'reasoning_details') return { fields: text !== '' || empty ? { [field]: text } : {}, prefix: '' };
  const details = blocks.flatMap(({ thinking }, at) => detailsOf(own[at], thinking.toWellFormed()));
  return { fields: details.length > 0 ? { [field]: details } : {}, prefix: '' };
}

/** The tags as they stood; those of thinking that was cut, as they mostly stand. */
function tagsOf(data: unknown): readonly [open: string, close: string] | undefined {
  const tags = isObject(data) ? data['tags'] : undefined;
  if (tags === true) return ['<think>\n', '\n</think>\n\n'];
  const [open, close] = Array.isArray(tags) ? (tags as unknown[]) : [];
  return typeof open === 'string' && typeof close === 'string' ? [open, close] : undefined;
}

function detailsOf(own: unknown, text: string): readonly unknown[] {
  const list = isObject(own) && Array.isArray(own['details']) ? (own['details'] as unknown[]) : [];
  if (list.length > 1) return list;
  if (text === '' && list.length === 0) return [];
  const [part] = list;
  return [{ type: 'reasoning.text', ...(isObject(part) ? part : {}), ...(text === '' ? {} : { text }) }];
}
