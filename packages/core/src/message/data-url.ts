const SCHEME = 'data:';
const ENCODING = ';base64';

/**
 * A `data:` URL with base64 in its parts; undefined for anything else (RFC 2397). Looks at the head only: data may be many megabytes,
 * and a pattern over all of it would walk back through it again and again.
 */
export function splitDataUrl(text: string): { readonly mediaType: string; readonly data: string } | undefined {
  if (!text.startsWith(SCHEME)) return undefined;
  const comma = text.indexOf(',');
  const head = text.slice(SCHEME.length, Math.max(comma, 0));
  if (!head.endsWith(ENCODING)) return undefined;
  return { mediaType: head.slice(0, head.indexOf(';')), data: text.slice(comma + 1) };
}
