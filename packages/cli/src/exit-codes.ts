/** What the program ends with; also in `--help`. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  /** A question is open, and nobody is there to ask. */
  waiting: 3,
  /** The reply ended before its end: a limit, a hook or tool that stopped it, every call refused. */
  stopped: 4,
  /** `--timeout`; the code of `timeout(1)`. */
  late: 124,
  interrupted: 130,
} as const;
