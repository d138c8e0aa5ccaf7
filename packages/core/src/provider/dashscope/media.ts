import { fileText, inlineData, isTextType, isWebUrl, mediaKindOf, mediaNote, mediaTypeOf } from '../../formatter/index.ts';
import type { MediaBlock } from '../../message/index.ts';
import type { DashScopeMediaKind } from './profile.ts';
import type { DashScopePart } from './wire.ts';

const TYPES: Readonly<Record<DashScopeMediaKind, ReadonlySet<string>>> = {
  image: new Set(['image/png', 'image/jpeg', 'image/jpg', 'image/webp', 'image/gif', 'image/bmp', 'image/tiff', 'image/heic']),
  audio: new Set(['audio/wav', 'audio/x-wav', 'audio/wave', 'audio/mpeg', 'audio/mp3', 'audio/aac', 'audio/mp4', 'audio/ogg', 'audio/flac', 'audio/amr']),
  video: new Set(['video/mp4', 'video/x-msvideo', 'video/quicktime', 'video/x-flv', 'video/x-ms-wmv', 'video/x-matroska', 'video/webm', 'video/mpeg']),
};

/** Files of text stand in the message, so their bytes are wanted. Everything else may be an address; an assistant has none. */
export function needsBytes(block: MediaBlock, isAnswer: boolean): boolean {
  return !isAnswer && block.source.type === 'url' && isWebUrl(block.source.url) && isTextType(mediaTypeOf(block));
}

/** Nothing where the model cannot take it. */
export function mediaPart(block: MediaBlock, input: readonly DashScopeMediaKind[]): DashScopePart | undefined {
  const kind = mediaKindOf(block);
  if (kind === 'file' || !input.includes(kind)) return undefined;
  const address = addressOf(block, TYPES[kind]);
  return address === undefined ? undefined : { [kind]: address };
}

/** What is said in place of media that cannot be shown: what stands in a file of text, else a note. */
export function mediaText(block: MediaBlock): string {
  return fileText(block) ?? mediaNote(block);
}

/** Bytes have to be of a type that is known; an address may be of any that is not known to be wrong. */
function addressOf(block: MediaBlock, types: ReadonlySet<string>): string | undefined {
  const { source } = block;
  const type = mediaTypeOf(block);
  const inline = inlineData(block);
  if (inline !== undefined) return types.has(type) ? `data:${type};base64,${inline.data}` : undefined;
  if (source.type !== 'url' || !(isWebUrl(source.url) || isStored(source.url))) return undefined;
  return type === '' || type.endsWith('/*') || types.has(type) ? source.url : undefined;
}

/** A file uploaded to DashScope's own storage; such an address needs a header of its own. */
function isStored(url: string): boolean {
  return /^oss:\/\/[^/\s]/.test(url);
}
