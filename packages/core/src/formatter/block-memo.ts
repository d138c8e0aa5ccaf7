/** Gives back what was made last time of the same objects and names, else makes it. */
export type BlockMemo<T> = (parts: readonly (object | undefined)[], names: readonly string[], make: () => T) => T;

interface Entry<T> {
  readonly parts: readonly (object | undefined)[];
  readonly names: readonly string[];
  readonly made: T;
}

/** Blocks are never changed, so the same blocks under the same names are the same turns. Nothing outlives its first block. */
export function createBlockMemo<T>(): BlockMemo<T> {
  const entries = new WeakMap<object, Entry<T>>();
  return (parts, names, make) => {
    const first = parts[0];
    if (first === undefined) return make();
    const entry = entries.get(first);
    if (entry !== undefined && sameItems(entry.parts, parts) && sameItems(entry.names, names)) return entry.made;
    const made = make();
    entries.set(first, { parts: [...parts], names, made });
    return made;
  };
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}
