const texts = new WeakMap<object, string>();

/** The JSON text of a list of messages. A frozen member never changes, so its text is made once. */
export function listText(list: readonly unknown[]): string {
  const parts: string[] = [];
  for (const member of list) parts.push(frozenText(member));
  return `[${parts.join(',')}]`;
}

/** `JSON.stringify`, remembered for frozen objects. */
export function frozenText(value: unknown): string {
  if (typeof value !== 'object' || value === null || !Object.isFrozen(value)) return JSON.stringify(value);
  let text = texts.get(value);
  if (text === undefined) texts.set(value, (text = JSON.stringify(value)));
  return text;
}
