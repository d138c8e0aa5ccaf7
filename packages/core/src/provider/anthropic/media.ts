import { inlineData, isWebUrl, mediaKindOf, mediaNote, mediaTypeOf } from '../../formatter/index.ts';
import type { MediaBlock } from '../../message/index.ts';
import { fromBase64 } from '../../message/index.ts';
import type { AnthropicWireBlock } from './wire.ts';

const IMAGES: ReadonlyMap<string, string> = new Map([
  ['image/jpeg', 'image/jpeg'],
  ['image/jpg', 'image/jpeg'],
  ['image/png', 'image/png'],
  ['image/gif', 'image/gif'],
  ['image/webp', 'image/webp'],
]);
const PDF = 'application/pdf';
const TEXTS: ReadonlySet<string> = new Set(['application/json', 'application/xml', 'application/yaml', 'application/javascript']);

/** Texts are taken as text only. Pictures and PDFs may be addresses; sounds and films are not taken, nothing an assistant made is. */
export function needsBytes(block: MediaBlock, isAnswer: boolean): boolean {
  return !isAnswer && isText(mediaTypeOf(block)) && block.source.type === 'url' && isWebUrl(block.source.url);
}

/** A picture, a document, or a text that says what could not be shown. */
export function mediaBlock(block: MediaBlock): AnthropicWireBlock {
  return known(block) ?? { type: 'text', text: mediaNote(block) };
}

function known(block: MediaBlock): AnthropicWireBlock | undefined {
  const type = mediaTypeOf(block);
  const kind = mediaKindOf(block);
  const inline = inlineData(block);
  if (kind === 'image') {
    const source = inline === undefined ? address(block) : base64(inline.data, IMAGES.get(type));
    return source && { type: 'image', source };
  }
  if (kind !== 'file') return undefined;
  if (type === PDF) {
    const source = inline === undefined ? address(block) : base64(inline.data, PDF);
    return source && { type: 'document', source, ...titleOf(block) };
  }
  const text = isText(type) && inline !== undefined ? decoded(inline.data) : undefined;
  return text === undefined ? undefined : { type: 'document', source: { type: 'text', media_type: 'text/plain', data: text }, ...titleOf(block) };
}

function base64(data: string, mediaType: string | undefined): object | undefined {
  return mediaType === undefined ? undefined : { type: 'base64', media_type: mediaType, data };
}

/** A picture at an address may be of any type that is not known to be a wrong one. */
function address(block: MediaBlock): object | undefined {
  const { source } = block;
  const type = mediaTypeOf(block);
  if (source.type !== 'url' || !isWebUrl(source.url)) return undefined;
  return type === '' || type === 'image/*' || type === PDF || IMAGES.has(type) ? { type: 'url', url: source.url } : undefined;
}

function isText(type: string): boolean {
  return type.startsWith('text/') || TEXTS.has(type);
}

/** Nothing where the bytes are no text (UTF-8), or blank. */
function decoded(data: string): string | undefined {
  const bytes = fromBase64(data);
  try {
    const text = bytes && new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text === undefined || text.trim() === '' ? undefined : text;
  } catch {
    return undefined;
  }
}

function titleOf(block: MediaBlock): { title?: string } {
  const name = block.type === 'data' ? block.name?.trim().toWellFormed() : undefined;
  return name === undefined || name === '' ? {} : { title: name.slice(0, 255) };
}
