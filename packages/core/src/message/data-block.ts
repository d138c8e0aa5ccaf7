import type { DataBlock, Source } from './blocks.ts';
import { splitDataUrl } from './data-url.ts';

/**
 * A URL, bytes, or a browser `File` as a block. Bytes need their media type said; a `Blob` brings its own (and a `File` its name), and
 * reading it takes a promise. A `data:` URL with base64 becomes bytes.
 */
export function toDataBlock(blob: Blob, options?: { name?: string }): Promise<DataBlock>;
export function toDataBlock(url: string | URL, options?: { mediaType?: string; name?: string }): DataBlock;
export function toDataBlock(bytes: Uint8Array | ArrayBuffer, options: { mediaType: string; name?: string }): DataBlock;
export function toDataBlock(from: Blob | string | URL | Uint8Array | ArrayBuffer, { mediaType, name }: { mediaType?: string; name?: string } = {}): DataBlock | Promise<DataBlock> {
  if (from instanceof Blob) return fromBlob(from, name);
  if (typeof from === 'string' || from instanceof URL) return dataBlock(urlSource(String(from), mediaType), name);
  const bytes = from instanceof Uint8Array ? from : new Uint8Array(from);
  return dataBlock({ type: 'base64', data: toBase64(bytes), mediaType: mediaType ?? 'application/octet-stream' }, name);
}

/** Standard alphabet, padded (RFC 4648 §4). */
export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(binary);
}

/** The URL-safe alphabet is read too. `undefined` where it is no base64. */
export function fromBase64(text: string): Uint8Array | undefined {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
  } catch {
    return undefined;
  }
}

/** Arguments one call may have is limited; so many bytes go into one. */
const CHUNK = 8192;

async function fromBlob(blob: Blob, name: string | undefined): Promise<DataBlock> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const own = 'name' in blob && typeof blob.name === 'string' ? blob.name : undefined;
  return dataBlock({ type: 'base64', data: toBase64(bytes), mediaType: blob.type || 'application/octet-stream' }, name ?? own);
}

function urlSource(url: string, mediaType: string | undefined): Source {
  const inline = splitDataUrl(url);
  if (inline !== undefined) return { type: 'base64', data: inline.data, mediaType: mediaType ?? (inline.mediaType || 'application/octet-stream') };
  return mediaType === undefined ? { type: 'url', url } : { type: 'url', url, mediaType };
}

function dataBlock(source: Source, name: string | undefined): DataBlock {
  return name === undefined ? { type: 'data', source } : { type: 'data', source, name };
}
