/** A random UUID with dashes (RFC 9562, version 4). */
export function newId(): string {
  return globalThis.crypto.randomUUID();
}

/** SHA-256 of the text in hexadecimal (FIPS 180-4). */
export async function sha256(text: string): Promise<string> {
  const digest = await globalThis.crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
