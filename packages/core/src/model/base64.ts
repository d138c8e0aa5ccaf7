/**
 * Joins pieces of base64 that were encoded one by one (RFC 4648). Pieces whose length is a multiple of four without padding are
 * joined as text; others are decoded first, since padding in the middle breaks the data.
 */
export function joinBase64(pieces: readonly string[]): string {
  if (pieces.slice(0, -1).every((piece) => piece.length % 4 === 0 && !piece.endsWith('='))) return pieces.join('');
  return btoa(pieces.map((piece) => atob(piece)).join(''));
}
