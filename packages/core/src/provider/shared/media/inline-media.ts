import { AgentScopeError } from '../../../error/index.ts';
import { isMedia, mediaNote, mediaTypeOf } from '../../../formatter/index.ts';
import { Msg, toBase64 } from '../../../message/index.ts';
import type { ContentBlock, MediaBlock, TextBlock, ToolResultBlock } from '../../../message/index.ts';
import type { MediaPolicy } from '../../../model/index.ts';
import { download } from './download.ts';

export interface InlinerOptions {
  /** True for media that this provider takes as bytes only. `isAnswer`: an assistant made it. Asked for addresses only. */
  readonly needsBytes: (block: MediaBlock, isAnswer: boolean) => boolean;
  readonly policy: MediaPolicy | undefined;
}

/** Messages with the same content, where media the provider must have as bytes are bytes. What needs no change is the same object. */
export type MediaInliner = (messages: readonly Msg[], signal: AbortSignal | undefined) => Promise<readonly Msg[]>;

/**
 * Each address is downloaded once for as long as its block lives, so a conversation costs nothing more per turn and says the same bytes
 * every time. Neither messages nor blocks are changed: new ones stand in for those that are.
 */
export function createMediaInliner({ needsBytes, policy = {} }: InlinerOptions): MediaInliner {
  const blocks = new WeakMap<MediaBlock, MediaBlock | TextBlock>();
  const results = new WeakMap<ToolResultBlock, ToolResultBlock>();
  const messagesOf = new WeakMap<Msg, Msg>();

  const inlineMedia = async (block: MediaBlock, signal: AbortSignal | undefined): Promise<MediaBlock | TextBlock> => {
    const found = blocks.get(block) ?? (await replacement(block, policy, signal));
    const first = blocks.get(block) ?? found; // two calls at once may both have asked
    blocks.set(block, first);
    return first;
  };

  const inlineBlock = async (block: ContentBlock, isAnswer: boolean, signal: AbortSignal | undefined): Promise<ContentBlock> => {
    if (isMedia(block)) return isAddress(block) && needsBytes(block, isAnswer) ? inlineMedia(block, signal) : block;
    if (block.type !== 'tool_result' || !hasWork(block.output, false)) return block;
    const known = results.get(block);
    if (known !== undefined) return known;
    const changed = { ...block, output: await Promise.all(block.output.map((part) => inlineBlock(part, false, signal))) };
    results.set(block, changed);
    return changed;
  };

  const hasWork = (content: readonly ContentBlock[], isAnswer: boolean): boolean =>
    content.some((block) => (isMedia(block) ? isAddress(block) && needsBytes(block, isAnswer) : block.type === 'tool_result' && hasWork(block.output, false)));

  const inlineMessage = async (message: Msg, signal: AbortSignal | undefined): Promise<Msg> => {
    const known = messagesOf.get(message);
    if (known !== undefined) return known;
    const content = await Promise.all(message.content.map((block) => inlineBlock(block, message.role === 'ASSISTANT', signal)));
    const { id, role, name, metadata, timestamp, usage } = message;
    const changed = Msg.from({ id, role, name, metadata, timestamp, usage, content });
    messagesOf.set(message, changed);
    return changed;
  };

  return async (messages, signal) => {
    const isWork = ({ content, role }: Msg): boolean => hasWork(content, role === 'ASSISTANT');
    if (!messages.some(isWork)) return messages;
    return Promise.all(messages.map(async (message) => (isWork(message) ? inlineMessage(message, signal) : message)));
  };
}

function isAddress({ source }: MediaBlock): boolean {
  return source.type === 'url' && !source.url.startsWith('data:');
}

async function replacement(block: MediaBlock, policy: MediaPolicy, signal: AbortSignal | undefined): Promise<MediaBlock | TextBlock> {
  const { source } = block;
  if (source.type !== 'url') return block;
  try {
    const { bytes, mediaType } = await download(source.url, policy, signal);
    const type = mediaTypeOf(block) || mediaType || 'application/octet-stream';
    return { ...block, source: { type: 'base64', data: toBase64(bytes), mediaType: type } };
  } catch (error) {
    if (policy.onFailure !== 'note' || signal?.aborted === true || !AgentScopeError.is(error)) throw error;
    return { type: 'text', text: mediaNote(block) };
  }
}
