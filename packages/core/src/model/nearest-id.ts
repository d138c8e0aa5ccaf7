interface Known {
  readonly providers: readonly string[];
  /** Of models that were registered by themselves. */
  readonly ids: Iterable<string>;
  readonly cards: readonly { readonly provider: string; readonly modelName: string }[];
}

/** The id somebody may have meant: a provider or a name with a slip in it, a name without its provider, a name of a known family. */
export function nearestId(id: string, { providers, ids, cards }: Known): string | undefined {
  const wanted = id.trim();
  const colon = wanted.indexOf(':');
  const provider = colon < 0 ? undefined : nearest(wanted.slice(0, colon), providers.filter((one) => !one.includes(':')));
  if (provider !== undefined) return `${provider}${wanted.slice(colon)}`;
  const own = nearest(wanted, [...ids, ...providers.filter((one) => one.includes(':'))]);
  if (own !== undefined) return own;
  const name = nearest(wanted, cards.map(({ modelName }) => modelName).filter((one) => digitsOf(one) === digitsOf(wanted))); // other digits are another version
  const card = name === undefined ? undefined : cards.find(({ modelName }) => modelName === name);
  if (card !== undefined) return `${card.provider}:${card.modelName}`;
  const family = cards.map((one) => ({ ...one, shared: sharedLetters(wanted, one.modelName) })).reduce<{ provider: string; shared: number } | undefined>((best, one) => (best === undefined || one.shared > best.shared ? one : best), undefined);
  return family !== undefined && family.shared >= 3 ? `${family.provider}:${wanted}` : undefined;
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}

/** Letters a word may be away: few in a short one. */
function nearest(word: string, candidates: readonly string[]): string | undefined {
  const limit = word.length < 5 ? 1 : 2;
  let best: { name: string; distance: number } | undefined;
  for (const name of candidates) {
    const found = distance(word.toLowerCase(), name.toLowerCase());
    if (found <= limit && (best === undefined || found < best.distance)) best = { name, distance: found };
  }
  return best?.name;
}

/** Edits (insert, delete, replace) between two words: Levenshtein, one row at a time. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) next.push(Math.min((row[j] ?? 0) + (a[i] === b[j] ? 0 : 1), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    row = next;
  }
  return row.at(-1) ?? 0;
}

function sharedLetters(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at]?.toLowerCase() === b[at]?.toLowerCase()) at++;
  return at;
}
