/** Anything `JSON.stringify` writes and `JSON.parse` gives back equal. */
export type JsonValue = string | number | boolean | null | JsonObject | readonly JsonValue[];
export type JsonObject = { readonly [key: string]: JsonValue | undefined };

export type Awaitable<T> = T | PromiseLike<T>;

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `undefined` where the text is no JSON, or no object. `JSON.parse` makes `__proto__` an own member, so no prototype is touched. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** JSON with the members of every object in order of their names: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => (isObject(member) ? sorted(member) : member));
}

function sorted(object: Record<string, unknown>): Record<string, unknown> {
  const copy = Object.create(null) as Record<string, unknown>;
  for (const key of Object.keys(object).sort()) copy[key] = object[key];
  return copy;
}
