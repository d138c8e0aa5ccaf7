import { fromBase64 } from '../message/index.ts';
import type { MediaBlock } from '../message/index.ts';
import { isBlank } from './text.ts';

export type MediaKind = 'image' | 'audio' | 'video' | 'file';

export function isMedia(block: { readonly type: string }): block is MediaBlock {
  return block.type === 'data' || block.type === 'image' || block.type === 'audio' || block.type === 'video';
}

/** By media type, else by the block's own word, else by the ending of the URL. */
export function mediaKindOf(block: MediaBlock): MediaKind {
  const [kind] = mediaTypeOf(block).split('/');
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : block.type === 'data' ? 'file' : block.type;
}

/** Lower case; `''` where nothing tells. */
export function mediaTypeOf(block: MediaBlock): string {
  if (block.source.mediaType !== undefined && block.source.mediaType !== '') return block.source.mediaType.toLowerCase();
  if (block.source.type === 'base64') return '';
  const data = /^data:([^;,]+)/i.exec(block.source.url);
  return (data?.[1] ?? TYPES.get(/\.([a-z0-9]+)(?:[?#]|$)/i.exec(block.source.url)?.[1]?.toLowerCase() ?? '') ?? '').toLowerCase();
}

/** The bytes a block carries itself, as base64 that every decoder takes, from base64 or a `data:` URL; nothing for an address and for damaged data. */
export function inlineData(block: MediaBlock): { readonly mediaType: string; readonly data: string } | undefined {
  const { source } = block;
  const mediaType = mediaTypeOf(block);
  if (source.type === 'base64') return sound(source.data, mediaType);
  if (!source.url.startsWith('data:')) return undefined;
  const comma = source.url.indexOf(',');
  const [head, body] = [source.url.slice(0, Math.max(comma, 0)), source.url.slice(comma + 1)];
  return head.endsWith(';base64') ? sound(body, mediaType) : undefined;
}

function sound(data: string, mediaType: string): { readonly mediaType: string; readonly data: string } | undefined {
  const standard = /[-_]/.test(data) ? data.replaceAll('-', '+').replaceAll('_', '/') : data;
  const padded = standard.length % 4 === 0 ? standard : standard.padEnd(standard.length + 4 - (standard.length % 4), '=');
  return data !== '' && /^[A-Za-z0-9+/]+={0,2}$/.test(padded) ? { mediaType, data: padded } : undefined;
}

/** True for `http:` and `https:`. */
export function isWebUrl(url: string): boolean {
  return /^https?:\/\/[^/\s]/i.test(url) && URL.canParse(url);
}

/** What stands in a file of text that carries its bytes itself, under its name where it has one; nothing for other files, and for a blank one. */
export function fileText(block: MediaBlock): string | undefined {
  const inline = isTextType(mediaTypeOf(block)) ? inlineData(block) : undefined;
  const bytes = inline === undefined ? undefined : fromBase64(inline.data);
  const text = bytes === undefined ? '' : new TextDecoder().decode(bytes);
  if (isBlank(text)) return undefined;
  const name = fileName(block);
  return name === undefined ? text : `${name}:\n${text}`;
}

export function fileName(block: MediaBlock): string | undefined {
  return block.type === 'data' && block.name !== undefined && !isBlank(block.name) ? block.name.toWellFormed() : undefined;
}

export function isTextType(mediaType: string): boolean {
  return mediaType.startsWith('text/') || TEXTS.has(mediaType);
}

const TEXTS: ReadonlySet<string> = new Set(['application/json', 'application/xml', 'application/yaml']);

/** A sentence in place of media that cannot be shown. Base64 is never spelled out. */
export function mediaNote(block: MediaBlock): string {
  const what = mediaTypeOf(block) || mediaKindOf(block);
  if (block.source.type === 'url' && !block.source.url.startsWith('data:')) return `[${what} at ${block.source.url}, not shown]`;
  return `[${what}, not shown: this model cannot take it]`;
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ...['png', 'gif', 'webp', 'heic', 'heif', 'jpeg'].map((ending) => [ending, `image/${ending}`] as const),
  ['jpg', 'image/jpeg'],
  ['wav', 'audio/wav'],
  ['mp3', 'audio/mpeg'],
  ['mp4', 'video/mp4'],
  ['mpeg', 'video/mpeg'],
  ['mpg', 'video/mpeg'],
  ['mov', 'video/quicktime'],
  ['avi', 'video/x-msvideo'],
  ['webm', 'video/webm'],
  ['wmv', 'video/x-ms-wmv'],
  ['flv', 'video/x-flv'],
  ['3gp', 'video/3gpp'],
  ['pdf', 'application/pdf'],
]);
