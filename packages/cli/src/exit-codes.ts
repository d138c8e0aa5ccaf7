/** What the program ends with; also in `--help`. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  /** A question is open, and nobody is there to ask. */
  waiting: 3,
  interrupted: 130,
} as const;
