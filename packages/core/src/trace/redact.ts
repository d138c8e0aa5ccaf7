import type { JsonValue } from '../internal/index.ts';

export const REDACTED = '[redacted]';

/**
 * Masks what looks like a secret: provider and platform keys, tokens, JWTs, private keys, passwords in addresses and in assignments. Made
 * to miss little; it cannot know a password that stands alone in a sentence. Takes time in proportion to the text.
 */
export function redactText(text: string): string {
  let masked = text;
  for (const [pattern, shown] of SECRETS) masked = masked.replace(pattern, shown);
  return masked;
}

/** A copy of a JSON value with its texts masked, and with what is named like a secret masked whole, unless names do not count. */
export function redactValue(value: JsonValue, mask: (text: string) => string = redactText, byName = true): JsonValue {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((item: JsonValue) => redactValue(item, mask, byName));
  if (typeof value !== 'object' || value === null) return value;
  const isSecret = (name: string, each: JsonValue): boolean => byName && each !== null && SECRET_NAME.test(name);
  return Object.fromEntries(Object.entries(value as Readonly<Record<string, JsonValue>>).map(([name, each]) => [name, isSecret(name, each) ? REDACTED : redactValue(each, mask, byName)]));
}

const SECRET_NAME = /(?:api[-_]?key|authorization|cookie|passw(?:or)?d|passphrase|secret|secret[-_]?key|access[-_]?key|private[-_]?key|credentials?|(?:^|[-_.]|auth|access|refresh|session|bearer|csrf|id)token)$/i;

/** Every repetition is bounded, so that no text takes more than linear time. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,10000}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, REDACTED],
  [/\beyJ[\w-]{8,4096}\.[\w-]{8,8192}(?:\.[\w-]{0,4096})?/g, REDACTED],
  [/\b(?:sk|pk|rk)[-_](?:[A-Za-z0-9]{1,32}[-_]){0,6}[A-Za-z0-9]{16,256}/g, REDACTED],
  [/\b(?:gh[opsur]_[A-Za-z0-9]{20,255}|github_pat_\w{20,255}|glpat-[\w-]{16,64}|xox[a-z]-[\w-]{10,255}|xai-\w{20,128}|hf_[A-Za-z0-9]{20,64}|npm_[A-Za-z0-9]{30,64})/g, REDACTED],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, REDACTED],
  [/\bAIza[\w-]{30,60}/g, REDACTED],
  [/\b(Bearer|Basic)\s{1,8}[\w.~+/=-]{8,4096}/gi, `$1 ${REDACTED}`],
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/:@]{0,256}:[^\s/@]{1,256}@/gi, `$1${REDACTED}@`],
  [/((?:api|access|secret|private|auth)[-_ ]?(?:key|token)|password|passwd|passphrase|client[-_ ]?secret)(["']?\s{0,4}[:=]\s{0,4})("[^"]{0,512}"|'[^']{0,512}'|(?!\[redacted\])[^\s,;&"']{1,512})/gi, `$1$2${REDACTED}`],
];
