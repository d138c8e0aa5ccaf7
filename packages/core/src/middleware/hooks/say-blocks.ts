import { createEvent } from '../../event/index.ts';
import type { AgentEvent } from '../../event/index.ts';
import { newId } from '../../internal/index.ts';
import type { ContentBlock } from '../../message/index.ts';

/** The events that say these blocks, as a model call would; a hint or a result is none of what a model says. */
export function sayBlocks(blocks: readonly ContentBlock[], replyId: string): AgentEvent[] {
  return blocks.flatMap((block) => sayBlock(block, replyId));
}

function sayBlock(block: ContentBlock, replyId: string): AgentEvent[] {
  const where = { replyId, blockId: newId() };
  const kept = 'metadata' in block && block.metadata && Object.keys(block.metadata).length > 0 ? { metadata: { block: block.metadata } } : {};
  if (block.type === 'text') return [createEvent('TEXT_BLOCK_START', where), createEvent('TEXT_BLOCK_DELTA', { ...where, delta: block.text }), createEvent('TEXT_BLOCK_END', { ...where, ...kept })];
  if (block.type === 'thinking') return [createEvent('THINKING_BLOCK_START', where), createEvent('THINKING_BLOCK_DELTA', { ...where, delta: block.thinking }), createEvent('THINKING_BLOCK_END', { ...where, ...kept })];
  if (block.type === 'data') return sayData(block, where);
  if (block.type !== 'tool_use') return [];
  const call = { replyId, toolCallId: block.id, toolCallName: block.name };
  return [createEvent('TOOL_CALL_START', call), createEvent('TOOL_CALL_DELTA', { ...call, delta: argumentsOf(block) }), createEvent('TOOL_CALL_END', { ...call, ...kept })];
}

function sayData({ source, name }: Extract<ContentBlock, { type: 'data' }>, where: { readonly replyId: string; readonly blockId: string }): AgentEvent[] {
  const mediaType = source.mediaType === undefined ? {} : { mediaType: source.mediaType };
  const piece = source.type === 'url' ? { delta: '', url: source.url } : { delta: source.data };
  return [
    createEvent('DATA_BLOCK_START', { ...where, ...mediaType, ...(name === undefined || name === null ? {} : { name }) }),
    createEvent('DATA_BLOCK_DELTA', { ...where, ...mediaType, ...piece }),
    createEvent('DATA_BLOCK_END', where),
  ];
}

/** The text a model wrote, where it still says the same. */
function argumentsOf({ content, input }: Extract<ContentBlock, { type: 'tool_use' }>): string {
  const written = JSON.stringify(input);
  if (typeof content !== 'string' || content === '') return written;
  try {
    return JSON.stringify(JSON.parse(content)) === written ? content : written;
  } catch {
    return written;
  }
}
