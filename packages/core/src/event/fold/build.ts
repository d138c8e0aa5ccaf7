import { parseObject } from '../../internal/index.ts';
import type { ContentBlock, DataBlock, Source, ToolResultBlock, ToolUseBlock } from '../../message/index.ts';
import { base64Of } from './base64-pieces.ts';
import { joined } from './slots.ts';
import type { CallSlot, DataSlot, ResultSlot, Slot, TextSlot } from './slots.ts';

/** The block a slot shows now; the same object as long as it does not change. */
export function blockOf(slot: Slot): ContentBlock {
  return (slot.block ??= build(slot));
}

function build(slot: Slot): ContentBlock {
  switch (slot.kind) {
    case 'text':
    case 'thinking':
      return textBlock(slot);
    case 'data':
      return dataBlock(slot);
    case 'call':
      return callBlock(slot);
    case 'result':
      return resultBlock(slot);
    case 'whole':
      return slot.whole;
  }
}

function textBlock(slot: TextSlot): ContentBlock {
  const text = joined(slot);
  const block: Building = slot.kind === 'text' ? { type: 'text', text } : { type: 'thinking', thinking: text };
  if (slot.id !== '') block['id'] = slot.id;
  if (slot.metadata !== undefined) block['metadata'] = slot.metadata;
  return finished<ContentBlock>(block, slot);
}

function dataBlock(slot: DataSlot): DataBlock {
  const block: Building = { type: 'data', source: sourceOf(slot) };
  if (slot.id !== '') block['id'] = slot.id;
  if (slot.name !== undefined) block['name'] = slot.name;
  if (slot.metadata !== undefined) block['metadata'] = slot.metadata;
  return finished<DataBlock>(block, slot);
}

function sourceOf({ url, mediaType, pieces }: DataSlot): Source {
  if (url !== undefined) return mediaType === undefined ? { type: 'url', url } : { type: 'url', url, mediaType };
  return { type: 'base64', data: base64Of(pieces), mediaType: mediaType ?? 'application/octet-stream' };
}

function callBlock(slot: CallSlot): ToolUseBlock {
  const text = joined(slot);
  slot.input ??= (slot.closed ? parseObject(text) : undefined) ?? {}; // what does not end like an object is none: no parse while it grows
  const { id, name, input, state, metadata } = slot;
  const block: Building = { type: 'tool_use', id, name, input, content: slot.nullContent ? null : text || '{}', state, metadata };
  if (slot.rules !== undefined) block['suggestedRules'] = slot.rules;
  return finished<ToolUseBlock>(block, slot);
}

function resultBlock(slot: ResultSlot): ToolResultBlock {
  const text = joined(slot);
  const { id, name, state, metadata } = slot;
  const output = text === '' ? slot.output.slice() : [...slot.output, { type: 'text', text }];
  const block: Building = { type: 'tool_result', id, name, output, state, metadata };
  if (slot.outputString) block['outputString'] = true;
  return finished<ToolResultBlock>(block, slot);
}

/** A block while it is put together: members are set one by one, since a spread for each optional one costs more than the fold of a delta. */
type Building = Record<string, unknown>;

function finished<B extends ContentBlock>(block: Building, { createdAt, finishedAt, call, extra }: Slot): B {
  if (createdAt !== undefined) block['createdAt'] = createdAt;
  if (finishedAt !== undefined) block['finishedAt'] = finishedAt;
  if (call !== undefined) block['call'] = call;
  if (extra !== undefined) block['extra'] = extra;
  return block as unknown as B;
}
