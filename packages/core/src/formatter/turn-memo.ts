import type { Turn } from './turn.ts';

/** Gives back the turns made last time for the same objects and names, else makes them. */
export type TurnMemo = (parts: readonly (object | undefined)[], names: readonly string[], make: () => readonly Turn[]) => readonly Turn[];

interface Entry {
  readonly parts: readonly (object | undefined)[];
  readonly names: readonly string[];
  readonly turns: readonly Turn[];
}

/** Blocks are never changed, so the same blocks under the same names are the same turns. Nothing outlives its first block. */
export function createTurnMemo(): TurnMemo {
  const entries = new WeakMap<object, Entry>();
  return (parts, names, make) => {
    const first = parts[0];
    if (first === undefined) return make();
    const entry = entries.get(first);
    if (entry !== undefined && sameItems(entry.parts, parts) && sameItems(entry.names, names)) return entry.turns;
    const turns = make();
    entries.set(first, { parts: [...parts], names, turns });
    return turns;
  };
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}
