import type { ContentBlock, MediaBlock, TextBlock } from '../message/index.ts';
import { CACHE_CONTROL_KEY, cacheControlOf } from './cache-control.ts';
import { fileText, mediaKindOf, mediaTypeOf } from './media.ts';

/** One block of a message that was said, and by whom. */
export interface SpokenBlock {
  readonly block: TextBlock | MediaBlock;
  readonly label: string;
  /** Number of the message it belongs to. */
  readonly message: number;
}

export interface SpeechFrame {
  readonly tag: string;
  readonly heading: string;
}

/** A run of speech as the content of one message: texts as lines between tags, media in their place between those. */
export function writtenSpeech(speech: readonly SpokenBlock[], { tag, heading }: SpeechFrame, isFirst: boolean): readonly ContentBlock[] {
  const blocks: ContentBlock[] = [];
  let lines: string[] = [...(isFirst && heading !== '' ? [heading] : []), `<${tag}>`];
  const flush = (more: Partial<TextBlock> = {}): void => {
    if (lines.length > 0) blocks.push({ type: 'text', text: lines.join('\n'), ...more });
    lines = [];
  };
  speech.forEach(({ block, label, message }, at) => {
    const text = block.type === 'text' ? block.text : (fileText(block) ?? `[${nameOf(block)}]`);
    const before = speech[at - 1];
    const goesOn = before?.message === message && before.block.type === 'text' && block.type === 'text' && lines.length > 0;
    lines.push(`${goesOn ? ' ' : `${harmless(label, tag)}:`} ${harmless(text, tag)}`);
    if (block.type !== 'text' && fileText(block) === undefined) {
      flush();
      blocks.push(plainMedia(block));
    }
    const mark = cacheControlOf(block);
    if (mark !== undefined) flush({ metadata: { [CACHE_CONTROL_KEY]: mark } });
  });
  lines.push(`</${tag}>`);
  flush();
  return blocks;
}

/** A name on one line, and without what ends a name here. */
export function labelOf(name: string): string {
  return name.toWellFormed().replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').replace(/:(?=\s|$)/g, '').trim() || 'unknown';
}

/** Text that cannot close the tag, and whose further lines cannot be taken for somebody else's. */
function harmless(text: string, tag: string): string {
  return withoutTags(text, tag).toWellFormed().replace(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/g, '$&  ');
}

/** The tag, open or closed, however it is spelled, as plain text. */
export function withoutTags(text: string, tag: string): string {
  return text.includes('<') ? text.replace(new RegExp(`<(?=\\s*/?\\s*${tag}(?![\\w-]))`, 'giu'), '&lt;') : text;
}

function nameOf(block: MediaBlock): string {
  return (mediaTypeOf(block) || mediaKindOf(block)).replace(/[^\w.+/*-]/g, '_');
}

/** The same media, with nothing in its address, type or name that a note about it could say in somebody's name. */
function plainMedia(block: MediaBlock): MediaBlock {
  const { source } = block;
  const mediaType = source.mediaType?.replace(/[^\w.+/*;="' -]/g, '_');
  const typed = mediaType === undefined ? {} : { mediaType };
  const plain = source.type === 'url' ? { ...source, url: source.url.replace(/[\s<>\p{Cc}]/gu, encodeURIComponent), ...typed } : { ...source, ...typed };
  const named = block.type === 'data' && block.name !== undefined ? { name: labelOf(block.name).replace(/[<>]/g, '_') } : {};
  return { ...block, ...named, source: plain } as MediaBlock;
}
