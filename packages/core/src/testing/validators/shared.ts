/** Judges the body of a request as its provider would. The rules it breaks, in words, each with its place; none for a request that is taken. */
export type RequestValidator = (body: unknown) => readonly string[];

/** Collects broken rules while a body is walked. */
export class Problems {
  readonly #found: string[] = [];

  get list(): readonly string[] {
    return this.#found;
  }

  add(path: string, rule: string): void {
    this.#found.push(`${path}: ${rule}`);
  }

  /** Adds the rule where the condition does not hold, and says whether it does. */
  check(condition: boolean, path: string, rule: string): boolean {
    if (!condition) this.add(path, rule);
    return condition;
  }
}

export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isFilledText(value: unknown): value is string {
  return typeof value === 'string' && value.trim().length > 0;
}

/** Half surrogates are no Unicode, and every provider refuses a body with one. */
export function checkUnicode(body: unknown, problems: Problems): void {
  const text = JSON.stringify(body) ?? '';
  problems.check(!/\\u[dD][89a-fA-F][0-9a-fA-F]{2}/.test(text.replace(/\\\\/g, '')), 'body', 'text holds half a surrogate pair');
}

/** Base64 of RFC 4648 §4, padded, not empty. Looks at no more than its ends and its length, since it may be megabytes. */
export function isBase64(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length % 4 === 0 && /^[A-Za-z0-9+/]/.test(value) && /^[A-Za-z0-9+/]{0,64}={0,2}$/.test(value.slice(-64));
}

export function isWebAddress(value: unknown): value is string {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol } = new URL(value);
  return protocol === 'http:' || protocol === 'https:';
}

/** Members nobody knows are a 400 at strict providers. */
export function checkKnown(fields: Fields, known: readonly string[], { problems, path }: { problems: Problems; path: string }): void {
  for (const name of Object.keys(fields)) problems.check(known.includes(name), path, `unknown member "${name}"`);
}

export function checkRange(value: unknown, [low, high]: readonly [number, number], { problems, path }: { problems: Problems; path: string }): void {
  if (value !== undefined) problems.check(typeof value === 'number' && value >= low && value <= high, path, `a number from ${low} to ${high}`);
}
