import { fromBase64, toBase64 } from '../../message/index.ts';

/**
 * Base64 that comes in pieces. Pieces whose lengths are all divisible by four are complete each: their bytes are joined. Otherwise they
 * are pieces of one text (WIRE F9). Without padding inside, both are the same, and nothing needs to be decoded.
 */
export interface Base64Pieces {
  readonly chunks: string[];
  /** All pieces as one text. */
  text: string;
  /** Every length so far is divisible by four. */
  whole: boolean;
  /** A piece that is not the last ends with padding. */
  padded: boolean;
  /** What was encoded anew already, so that looking again and again costs each piece once. */
  joined: { count: number; text: string; rest: Uint8Array } | undefined;
}

export function base64Pieces(chunks: readonly string[] = []): Base64Pieces {
  const pieces: Base64Pieces = { chunks: [], text: '', whole: true, padded: false, joined: undefined };
  for (const chunk of chunks) addBase64(pieces, chunk);
  return pieces;
}

export function addBase64(pieces: Base64Pieces, chunk: string): void {
  pieces.padded ||= pieces.chunks.at(-1)?.endsWith('=') === true;
  pieces.whole &&= chunk.length % 4 === 0;
  pieces.chunks.push(chunk);
  pieces.text += chunk;
}

/** The base64 of all pieces. A piece that is none leaves the text as it came. */
export function base64Of(pieces: Base64Pieces): string {
  if (!pieces.whole || !pieces.padded) return pieces.text;
  const joined = (pieces.joined ??= { count: 0, text: '', rest: new Uint8Array() });
  while (joined.count < pieces.chunks.length) {
    const bytes = fromBase64(pieces.chunks[joined.count++] ?? '');
    if (bytes === undefined) {
      pieces.whole = false;
      return pieces.text;
    }
    const all = new Uint8Array(joined.rest.length + bytes.length);
    all.set(joined.rest);
    all.set(bytes, joined.rest.length);
    const end = all.length - (all.length % 3);
    joined.text += toBase64(all.subarray(0, end));
    joined.rest = all.slice(end);
  }
  return joined.text + toBase64(joined.rest);
}
