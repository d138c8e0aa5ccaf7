/** The candidates that look most like a word, best first; those too far away are left out. Case does not count. */
export function nearest(word: string, candidates: readonly string[], { count = 1, within = 2 }: { count?: number; within?: number } = {}): readonly string[] {
  const wanted = word.toLowerCase();
  const scored = candidates.map((name) => ({ name, distance: distance(wanted, name.toLowerCase()) }));
  const close = scored.filter((each) => each.distance <= within);
  return close.toSorted((a, b) => a.distance - b.distance).slice(0, count).map(({ name }) => name);
}

/** Edits (insert, delete, replace) between two words: Levenshtein, one row at a time. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
