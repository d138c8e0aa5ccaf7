/**
 * True when the whole text fits the pattern: `*` stands for any text, also none and also over several lines; `\*` is a star and `\\` a
 * backslash. Takes time in the product of both lengths at most, whatever the pattern.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  const parts = partsOf(pattern);
  let part = 0;
  let at = 0;
  let star = -1; // the newest star, and how much of the text it has taken
  let taken = 0;
  while (at < text.length) {
    if (part < parts.length && parts[part] === STAR) {
      star = part++;
      taken = at;
    } else if (part < parts.length && parts[part] === text[at]) {
      part++;
      at++;
    } else if (star >= 0) {
      part = star + 1;
      at = ++taken;
    } else return false;
  }
  while (parts[part] === STAR) part++;
  return part === parts.length;
}

/** The text as a pattern that fits exactly it. */
export function escapeWildcard(text: string): string {
  return text.replaceAll(/[\\*]/g, '\\$&');
}

export function hasWildcard(pattern: string): boolean {
  return partsOf(pattern).includes(STAR);
}

/** A pattern without stars, as the text it stands for. */
export function literalOf(pattern: string): string {
  return partsOf(pattern).map((part) => (part === STAR ? '*' : part)).join('');
}

const STAR = Symbol('*');

/** Characters and stars. A backslash before anything else is itself, so paths of Windows need none twice. */
function partsOf(pattern: string): readonly (string | typeof STAR)[] {
  const parts: (string | typeof STAR)[] = [];
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern.charAt(i);
    const next = pattern.charAt(i + 1);
    if (char === '\\' && (next === '*' || next === '\\')) parts.push(pattern.charAt(++i));
    else parts.push(char === '*' ? STAR : char);
  }
  return parts;
}
