import type { Awaitable } from '../internal/index.ts';
import type { ContentBlock } from '../message/index.ts';
import type { ChatModel, ModelCallOptions, ModelRequest } from './model.ts';

/** Counts the prompt tokens of a request. */
export type TokenCounter = (request: ModelRequest, options?: ModelCallOptions) => Awaitable<number>;

const BYTES_PER_TOKEN = 4;
const TOKENS_PER_MEDIA = 2000;

/**
 * How many tokens a request has, by the model's own counter where it has one (option `countTokens`), else by {@link estimateTokens}.
 *
 * @throws whatever the counter throws
 */
export async function countTokens(model: ChatModel, request: ModelRequest, options: ModelCallOptions = {}): Promise<number> {
  return model.countTokens === undefined ? estimateTokens(request) : model.countTokens(request, options);
}

/**
 * A rough count where nobody counts: UTF-8 bytes of texts, arguments and tool schemas / 4, and 2000 for each picture, sound, film or
 * file. Looks at no bytes of media. Off by a factor of two in either direction for some languages.
 */
export function estimateTokens({ messages, tools = [], responseFormat }: Pick<ModelRequest, 'messages' | 'tools' | 'responseFormat'>): number {
  const weight: Weight = { bytes: 0, media: 0 };
  for (const { content, name } of messages) {
    weight.bytes += sizeOf(name ?? '');
    for (const block of content) weigh(block, weight);
  }
  for (const { name, description, inputSchema } of tools) weight.bytes += sizeOf(name) + sizeOf(description) + sizeOf(JSON.stringify(inputSchema));
  if (responseFormat !== undefined) weight.bytes += sizeOf(JSON.stringify(responseFormat.schema));
  return Math.ceil(weight.bytes / BYTES_PER_TOKEN) + weight.media * TOKENS_PER_MEDIA;
}

interface Weight {
  bytes: number;
  media: number;
}

function weigh(block: ContentBlock, weight: Weight): void {
  switch (block.type) {
    case 'text':
      weight.bytes += sizeOf(block.text);
      return;
    case 'thinking':
      weight.bytes += sizeOf(block.thinking);
      return;
    case 'tool_use':
      weight.bytes += sizeOf(block.name) + sizeOf(block.content ?? JSON.stringify(block.input));
      return;
    case 'tool_result':
      for (const part of block.output) weigh(part, weight);
      return;
    case 'hint':
      if (typeof block.hint === 'string') weight.bytes += sizeOf(block.hint);
      else for (const part of block.hint) weigh(part, weight);
      return;
    case 'data':
    case 'image':
    case 'audio':
    case 'video':
      weight.media++;
  }
}

/** Bytes in UTF-8, without making them. */
function sizeOf(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    bytes += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 1 : 2; // a pair is two units and four bytes
  }
  return bytes;
}
