import type { Surroundings } from './conversation.ts';
import { EXIT } from './exit-codes.ts';

/** What the command line asks for, understood and not begun. */
export interface Job {
  /** Session it is about, for the words when it fails. */
  readonly session?: string | undefined;
  /** `--model`. */
  readonly model?: string | undefined;
  /** Asks what to do when another process has the session; nothing: it ends with the error. */
  onConflict?(error: unknown, surroundings: Surroundings): Promise<number | undefined>;
  /** Gives the exit code. */
  run(surroundings: Surroundings): Promise<number>;
}

/** Prints a text that is known by heart. */
export function printJob(text: string): Job {
  return {
    async run({ output }) {
      output.write(text);
      return EXIT.done;
    },
  };
}
