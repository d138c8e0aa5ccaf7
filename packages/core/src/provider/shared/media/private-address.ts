/** True for addresses that lead into a private network, to this machine, or nowhere in public (RFC 6890); for names that do by custom. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '').toLowerCase();
  if (host === '' || !/[.:]/.test(host)) return true; // one bare word is a name of the local network
  if (PRIVATE_ENDINGS.some((ending) => host === ending.slice(1) || host.endsWith(ending))) return true;
  return isPrivateAddress(host);
}

/** The same for an address as text; false for what is no address. */
export function isPrivateAddress(address: string): boolean {
  if (address.includes(':')) return isPrivateV6(address.split('%')[0] ?? '');
  const bytes = v4Bytes(address);
  return bytes !== undefined && isPrivateV4(bytes);
}

const PRIVATE_ENDINGS = ['.localhost', '.local', '.internal', '.intranet', '.lan', '.home.arpa', '.corp', '.home'];

function v4Bytes(text: string): readonly number[] | undefined {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256) ? parts.map(Number) : undefined;
}

function isPrivateV4([a = 0, b = 0, c = 0]: readonly number[]): boolean {
  if (a === 0 || a === 10 || a === 127 || a >= 224) return true; // this network, private, loopback, multicast and reserved
  if (a === 100) return b >= 64 && b < 128; // carrier-grade NAT
  if (a === 169) return b === 254; // link-local, metadata services among it
  if (a === 172) return b >= 16 && b < 32;
  if (a === 192) return b === 168 || (b === 0 && (c === 0 || c === 2)) || (b === 88 && c === 99);
  if (a === 198) return b === 18 || b === 19 || (b === 51 && c === 100);
  return a === 203 && b === 0 && c === 113;
}

function isPrivateV6(text: string): boolean {
  const groups = v6Groups(text);
  if (groups === undefined) return true;
  const [first = 0, second = 0] = groups;
  const last = [(groups[6] ?? 0) >> 8, (groups[6] ?? 0) & 255, (groups[7] ?? 0) >> 8];
  if (groups.slice(0, 5).every((group) => group === 0)) return groups[5] === 0xffff ? isPrivateV4(last) : true; // ::, ::1, v4-mapped, v4-compatible
  if (first === 0x64 && second === 0xff9b) return groups[2] !== 0 || isPrivateV4(last); // NAT64
  if (first === 0x2002) return isPrivateV4([second >> 8, second & 255, (groups[2] ?? 0) >> 8]); // 6to4
  if (first === 0x2001) return second === 0 || second === 0xdb8; // Teredo, documentation
  return (first & 0xfe00) === 0xfc00 || (first & 0xffc0) === 0xfe80 || (first & 0xffc0) === 0xfec0 || (first & 0xff00) === 0xff00 || first === 0x100;
}

function v6Groups(text: string): readonly number[] | undefined {
  const halves = withHexTail(text).split('::');
  if (halves.length > 2) return undefined;
  const [head = [], tail = []] = halves.map((half) => (half === '' ? [] : half.split(':').map((group) => (/^[0-9a-f]{1,4}$/i.test(group) ? Number.parseInt(group, 16) : Number.NaN))));
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 0) return undefined;
  const groups = [...head, ...Array.from({ length: halves.length === 1 ? 0 : missing }, () => 0), ...tail];
  return groups.some(Number.isNaN) ? undefined : groups;
}

/** `::ffff:127.0.0.1` in hexadecimal groups. */
function withHexTail(text: string): string {
  const at = text.lastIndexOf(':');
  const bytes = v4Bytes(text.slice(at + 1));
  if (bytes === undefined) return text;
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  return `${text.slice(0, at + 1)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}
