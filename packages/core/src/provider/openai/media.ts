import { inlineData, isBlank, isWebUrl, mediaKindOf, mediaTypeOf } from '../../formatter/index.ts';
import { fromBase64 } from '../../message/index.ts';
import type { MediaBlock } from '../../message/index.ts';

const PDF = 'application/pdf';
const IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/jpg', 'image/gif', 'image/webp']);
const SOUNDS: ReadonlyMap<string, string> = new Map([
  ['audio/wav', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/wave', 'wav'],
  ['audio/mpeg', 'mp3'],
  ['audio/mp3', 'mp3'],
]);

/** Sounds, PDFs and texts are taken as bytes only. Pictures may be addresses; films are not taken, and nothing an assistant made. */
export function needsBytes(block: MediaBlock, isAnswer: boolean): boolean {
  const { source } = block;
  if (isAnswer || source.type !== 'url' || !isWebUrl(source.url)) return false;
  const type = mediaTypeOf(block);
  return (mediaKindOf(block) === 'audio' && type === '') || SOUNDS.has(type) || type === PDF || isText(type);
}

/** Nothing where the API cannot take it. */
export function mediaPart(block: MediaBlock): object | undefined {
  const type = mediaTypeOf(block);
  const inline = inlineData(block);
  switch (mediaKindOf(block)) {
    case 'image':
      return imagePart(block, inline?.data);
    case 'audio': {
      const format = SOUNDS.get(type);
      return inline === undefined || format === undefined ? undefined : { type: 'input_audio', input_audio: { data: inline.data, format } };
    }
    case 'file':
      if (inline === undefined) return undefined;
      if (type === PDF) return { type: 'file', file: { filename: nameOf(block) ?? 'file.pdf', file_data: `data:${PDF};base64,${inline.data}` } };
      return isText(type) ? textPart(block, inline.data) : undefined;
    case 'video':
      return undefined;
  }
}

/** A picture at an address may be of any type that is not known to be a wrong one. */
function imagePart(block: MediaBlock, data: string | undefined): object | undefined {
  const { source } = block;
  const type = mediaTypeOf(block);
  if (data !== undefined) return IMAGES.has(type) ? { type: 'image_url', image_url: { url: `data:${type};base64,${data}` } } : undefined;
  if (source.type !== 'url' || !isWebUrl(source.url)) return undefined;
  return type === '' || type === 'image/*' || IMAGES.has(type) ? { type: 'image_url', image_url: { url: source.url } } : undefined;
}

/** There is no file of text here, so it stands in the message, under its name. */
function textPart(block: MediaBlock, data: string): object | undefined {
  const bytes = fromBase64(data);
  const text = bytes === undefined ? '' : new TextDecoder().decode(bytes);
  if (isBlank(text)) return undefined;
  const name = nameOf(block);
  return { type: 'text', text: name === undefined ? text : `${name}:\n${text}` };
}

function isText(type: string): boolean {
  return type.startsWith('text/') || type === 'application/json' || type === 'application/xml' || type === 'application/yaml';
}

function nameOf(block: MediaBlock): string | undefined {
  return block.type === 'data' && block.name !== undefined && !isBlank(block.name) ? block.name.toWellFormed() : undefined;
}
