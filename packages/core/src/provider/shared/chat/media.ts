import { fileName, fileText, inlineData, isTextType, isWebUrl, mediaKindOf, mediaTypeOf } from '../../../formatter/index.ts';
import type { MediaBlock } from '../../../message/index.ts';
import type { MediaRules } from './profile.ts';

const PDF = 'application/pdf';
const SOUNDS: ReadonlyMap<string, string> = new Map([
  ['audio/wav', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/wave', 'wav'],
  ['audio/mpeg', 'mp3'],
  ['audio/mp3', 'mp3'],
]);

/** What a server takes as bytes only, by the profile; texts always, since they become text. Nothing an assistant made is taken. */
export function needsBytes(block: MediaBlock, isAnswer: boolean, rules: MediaRules): boolean {
  const { source } = block;
  if (isAnswer || source.type !== 'url' || !isWebUrl(source.url)) return false;
  const type = mediaTypeOf(block);
  switch (mediaKindOf(block)) {
    case 'image':
      return rules.image === 'bytes';
    case 'audio':
      return rules.audio === 'bytes' && (type === '' || SOUNDS.has(type));
    case 'video':
      return rules.video === 'bytes';
    case 'file':
      return (rules.pdf === 'bytes' && type === PDF) || isTextType(type);
  }
}

/** Nothing where the API cannot take it. */
export function mediaPart(block: MediaBlock, rules: MediaRules): object | undefined {
  const type = mediaTypeOf(block);
  const inline = inlineData(block);
  switch (mediaKindOf(block)) {
    case 'image':
      return imagePart(block, inline?.data, rules);
    case 'audio':
      return audioPart(block, inline?.data, rules);
    case 'file':
      if (inline === undefined) return undefined;
      if (type === PDF) return rules.pdf === 'none' ? undefined : { type: 'file', file: { filename: fileName(block) ?? 'file.pdf', file_data: `data:${PDF};base64,${inline.data}` } };
      return textPart(block);
    case 'video':
      return videoPart(block, inline?.data, rules);
  }
}

/** A picture at an address may be of any type that is not known to be a wrong one. */
function imagePart(block: MediaBlock, data: string | undefined, { image, imageTypes }: MediaRules): object | undefined {
  const { source } = block;
  const type = mediaTypeOf(block);
  const isTaken = type.startsWith('image/') && imageTypes.includes(type.slice('image/'.length));
  if (image === 'none') return undefined;
  if (data !== undefined) return isTaken ? { type: 'image_url', image_url: { url: `data:${type};base64,${data}` } } : undefined;
  if (image !== 'address' || source.type !== 'url' || !isWebUrl(source.url)) return undefined;
  return type === '' || type === 'image/*' || isTaken ? { type: 'image_url', image_url: { url: source.url } } : undefined;
}

function audioPart(block: MediaBlock, bytes: string | undefined, { audio }: MediaRules): object | undefined {
  const { source } = block;
  const format = SOUNDS.get(mediaTypeOf(block));
  if (audio === 'none' || format === undefined) return undefined;
  const address = audio === 'address' && source.type === 'url' && isWebUrl(source.url) ? source.url : undefined;
  const data = bytes === undefined ? address : audio === 'address' ? `data:;base64,${bytes}` : bytes;
  return data === undefined ? undefined : { type: 'input_audio', input_audio: { data, format } };
}

function videoPart(block: MediaBlock, data: string | undefined, { video }: MediaRules): object | undefined {
  const { source } = block;
  if (video === 'none' || !/^(?:video\/|$)/.test(mediaTypeOf(block))) return undefined;
  if (data !== undefined && mediaTypeOf(block) === '') return undefined;
  if (data !== undefined) return { type: 'video_url', video_url: { url: `data:${mediaTypeOf(block)};base64,${data}` } };
  return video === 'address' && source.type === 'url' && isWebUrl(source.url) ? { type: 'video_url', video_url: { url: source.url } } : undefined;
}

/** There is no file of text here, so it stands in the message, under its name. */
function textPart(block: MediaBlock): object | undefined {
  const text = fileText(block);
  return text === undefined ? undefined : { type: 'text', text };
}
