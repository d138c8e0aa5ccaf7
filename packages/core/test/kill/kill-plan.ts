/** Where the process of one incarnation ends: at a write of its store, or some milliseconds behind so many lines of the ledger. */
export type Kill =
  | { readonly how: 'write'; readonly at: number; readonly phase: 'before' | 'torn' | 'after'; readonly fraction: number; readonly write: number }
  | { readonly how: 'time'; readonly lines: number; readonly ms: number };

export interface Plan {
  readonly run: number;
  readonly durability: 'delta' | 'step' | 'reply';
  /** Who answers: the process that asked, a fresh one, or somebody through the store's inbox. */
  readonly approval: 'same' | 'fresh' | 'inbox';
  /** How a fresh process goes on: the client sends its message again, `call()` without input, or `recoverAll()` first. */
  readonly resume: 'same-id' | 'nothing' | 'recover';
  /** One for each process that is killed, in order; the next one finishes. */
  readonly kills: readonly Kill[];
}

/** Writes of a run nobody kills, about: the first kills are spread over all of them. */
const WRITES = 38;
/** Lines of the ledger that a process writes, about, and the longest time between two of them in milliseconds. */
const LINES = 30;
const PAUSE_MS = 12;

/** The first kill goes through all writes and phases in turn, so that few runs are spread evenly; the rest is drawn. */
export function planOf(run: number, seed: number): Plan {
  const random = randomOf(seed * 1_000_003 + run);
  const pick = <T>(...of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  const phase = (['before', 'torn', 'after', 'time'] as const)[run % 4] ?? 'time';
  const first = phase === 'time' ? timeKill(random) : writeKill(random, { phase, at: 1 + ((Math.floor(run / 4) * 5 + Math.floor(random() * 5)) % WRITES) });
  const more = pick(0, 0, 0, 0, 0, 1, 1, 1, 2, 3);
  const later = Array.from({ length: more }, () => (random() < 0.25 ? timeKill(random) : writeKill(random, { phase: pick('before', 'torn', 'after'), at: 1 + Math.floor(random() * 14) })));
  return {
    run,
    durability: pick('step', 'step', 'step', 'step', 'step', 'step', 'delta', 'delta', 'reply', 'reply'),
    approval: pick('same', 'same', 'fresh', 'inbox'),
    resume: pick('same-id', 'same-id', 'nothing', 'recover'),
    kills: [first, ...later],
  };
}

function writeKill(random: () => number, { phase, at }: { phase: 'before' | 'torn' | 'after'; at: number }): Kill {
  return { how: 'write', at, phase, fraction: random(), write: 1 + Math.floor(random() * 4) };
}
function timeKill(random: () => number): Kill {
  return { how: 'time', lines: 1 + Math.floor(random() * LINES), ms: Math.floor(random() * PAUSE_MS) };
}

/** mulberry32: the same numbers for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
