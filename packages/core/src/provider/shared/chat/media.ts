import { fileName, fileText, inlineData, isTextType, isWebUrl, mediaKindOf, mediaTypeOf } from '../../../formatter/index.ts';
import type { MediaBlock } from '../../../message/index.ts';

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
  return (mediaKindOf(block) === 'audio' && type === '') || SOUNDS.has(type) || type === PDF || isTextType(type);
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
      if (type === PDF) return { type: 'file', file: { filename: fileName(block) ?? 'file.pdf', file_data: `data:${PDF};base64,${inline.data}` } };
      return textPart(block);
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
function textPart(block: MediaBlock): object | undefined {
  const text = fileText(block);
  return text === undefined ? undefined : { type: 'text', text };
}
