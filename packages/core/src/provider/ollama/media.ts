import { inlineData, isTextType, isWebUrl, mediaKindOf, mediaTypeOf } from '../../formatter/index.ts';
import type { MediaBlock } from '../../message/index.ts';

const IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/jpg', 'image/gif', 'image/webp', 'image/bmp']);

/** Pictures and texts at an address go as bytes. What is neither is not downloaded; what may be a picture is, to see; an assistant has none. */
export function needsBytes(block: MediaBlock, isAnswer: boolean): boolean {
  const { source } = block;
  if (isAnswer || source.type !== 'url' || !isWebUrl(source.url)) return false;
  const type = mediaTypeOf(block);
  return IMAGES.has(type) || isTextType(type) || type === 'image/*' || (type === '' && (block.type === 'image' || block.type === 'data'));
}

/** The bytes of a picture as bare base64; nothing where Ollama cannot take it. */
export function imageData(block: MediaBlock): string | undefined {
  return mediaKindOf(block) === 'image' && IMAGES.has(mediaTypeOf(block)) ? inlineData(block)?.data : undefined;
}
