import { parseObject } from '../../internal/index.ts';
import { fromBase64, toBase64 } from '../../message/index.ts';
import type { BlockExtras, ContentBlock, DataBlock, Source, ToolResultBlock, ToolUseBlock } from '../../message/index.ts';
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
  const rest = { ...(slot.id === '' ? {} : { id: slot.id }), ...(slot.metadata === undefined ? {} : { metadata: slot.metadata }), ...extras(slot) };
  return slot.kind === 'text' ? { type: 'text', text, ...rest } : { type: 'thinking', thinking: text, ...rest };
}

function dataBlock(slot: DataSlot): DataBlock {
  return {
    type: 'data',
    source: sourceOf(slot),
    ...(slot.id === '' ? {} : { id: slot.id }),
    ...(slot.name === undefined ? {} : { name: slot.name }),
    ...(slot.metadata === undefined ? {} : { metadata: slot.metadata }),
    ...extras(slot),
  };
}

function sourceOf({ url, mediaType, chunks }: DataSlot): Source {
  if (url !== undefined) return mediaType === undefined ? { type: 'url', url } : { type: 'url', url, mediaType };
  return { type: 'base64', data: joinBase64(chunks), mediaType: mediaType ?? 'application/octet-stream' };
}

/**
 * Chunks whose lengths are all divisible by four are complete base64 each: their bytes are joined. Otherwise they are pieces of one
 * text (WIRE F9). Without padding inside, both are the same, and nothing needs to be decoded.
 */
export function joinBase64(chunks: readonly string[]): string {
  const text = chunks.join('');
  const whole = chunks.every((chunk) => chunk.length % 4 === 0);
  if (!whole || !chunks.slice(0, -1).some((chunk) => chunk.endsWith('='))) return text;
  const parts = chunks.map(fromBase64);
  const bytes = new Uint8Array(parts.reduce((size, part) => size + (part?.length ?? 0), 0));
  let at = 0;
  for (const part of parts) {
    if (part === undefined) return text;
    bytes.set(part, at);
    at += part.length;
  }
  return toBase64(bytes);
}

function callBlock(slot: CallSlot): ToolUseBlock {
  const text = joined(slot);
  slot.input ??= parsedOrEmpty(text);
  return {
    type: 'tool_use',
    id: slot.id,
    name: slot.name,
    input: slot.input,
    content: slot.nullContent ? null : text || '{}',
    state: slot.state,
    metadata: slot.metadata,
    ...(slot.rules === undefined ? {} : { suggestedRules: slot.rules }),
    ...extras(slot),
  };
}

/** Text that does not end like an object cannot be one: an open call costs no parse. */
function parsedOrEmpty(text: string): ToolUseBlock['input'] {
  return text.trimEnd().endsWith('}') ? (parseObject(text) ?? {}) : {};
}

function resultBlock(slot: ResultSlot): ToolResultBlock {
  const text = joined(slot);
  return {
    type: 'tool_result',
    id: slot.id,
    name: slot.name,
    output: text === '' ? slot.output.slice() : [...slot.output, { type: 'text', text }],
    state: slot.state,
    metadata: slot.metadata,
    ...(slot.outputString ? { outputString: true } : {}),
    ...extras(slot),
  };
}

function extras({ createdAt, finishedAt, call, extra }: Slot): BlockExtras {
  return {
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(finishedAt === undefined ? {} : { finishedAt }),
    ...(call === undefined ? {} : { call }),
    ...(extra === undefined ? {} : { extra }),
  };
}
