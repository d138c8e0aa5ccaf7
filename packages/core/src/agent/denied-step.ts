import type { Facts } from '../event/index.ts';
import type { ContentBlock, ToolUseBlock } from '../message/index.ts';

/**
 * The calls of the last step when all of them were denied, at least one of them by a person, and nobody said so yet. Asked only when
 * none is open.
 */
export function deniedStep(content: readonly ContentBlock[], { lastCall, refused, allDenied }: Facts): readonly ToolUseBlock[] {
  if (!lastCall || refused.length === 0 || allDenied === lastCall.call) return [];
  const from = content.findIndex((block) => block.call === lastCall.call);
  const step = from < 0 ? [] : content.slice(from);
  const calls = step.filter((block) => block.type === 'tool_use');
  const denied = new Set(step.flatMap((block) => (block.type === 'tool_result' && block.state === 'denied' ? [block.id] : [])));
  return calls.every(({ id }) => denied.has(id)) && calls.some(({ id }) => refused.includes(id)) ? calls : [];
}
