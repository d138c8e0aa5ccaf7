import { createHash } from 'node:crypto';

/** Longest file name made from an id, in characters; longer ones are hashed. Common file systems end at 255 bytes. */
const MAX_NAME = 200;

/**
 * An id as a file name: reversible, the same on every disk. Lower-case letters, digits, `-` and `_` stay; every other UTF-16 unit
 * becomes `%` and two hexadecimal digits, or `%u` and four. So there are no separators, dots, trailing blanks or upper-case letters
 * (two ids that differ in case only stay apart where the disk ignores case), and the prefix keeps device names like CON away.
 * A name that would be too long is `<prefix>~` and a SHA-256; then the id must be kept in a file.
 */
export function encodeName(prefix: string, id: string): string {
  const name = `${prefix}-${id.replace(/[^a-z0-9_-]/g, encodeUnit)}`;
  return name.length <= MAX_NAME ? name : `${prefix}~${createHash('sha256').update(toBytes(id)).digest('hex')}`;
}

/** The id of a name; undefined for a hashed one and for names that are not ours. */
export function decodeName(prefix: string, name: string): string | undefined {
  if (!name.startsWith(`${prefix}-`)) return undefined;
  const id = name.slice(prefix.length + 1).replace(/%u([0-9a-f]{4})|%([0-9a-f]{2})/g, (_, four?: string, two?: string) => String.fromCharCode(parseInt(four ?? two ?? '', 16)));
  return encodeName(prefix, id) === name ? id : undefined;
}

export function isHashedName(prefix: string, name: string): boolean {
  return new RegExp(`^${prefix}~[0-9a-f]{64}$`).test(name);
}

function encodeUnit(unit: string): string {
  const code = unit.charCodeAt(0);
  return code < 0x80 ? `%${code.toString(16).padStart(2, '0')}` : `%u${code.toString(16).padStart(4, '0')}`;
}

/** UTF-16, so that ids with half a surrogate do not fall together. */
function toBytes(id: string): Buffer {
  return Buffer.from(id, 'utf16le');
}
