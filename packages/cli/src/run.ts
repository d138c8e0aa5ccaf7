import type { AnyTool } from '@agentscope/core';
import { readArgs } from './args.ts';
import { EXIT } from './exit-codes.ts';
import { HELP, version } from './help.ts';
import { exitCodeOf, explain } from './messages.ts';
import { Output } from './output.ts';

export interface RunExtras {
  /** Tools beside the built-in ones. */
  readonly tools?: readonly AnyTool[];
}

/** The whole program: arguments in, exit code out. Never throws. */
export async function run(argv: readonly string[], { tools = [] }: RunExtras = {}): Promise<number> {
  const output = new Output(process.stdout);
  const notes = new Output(process.stderr);
  let session: string | undefined;
  try {
    const options = readArgs(argv);
    session = options.session;
    if (options.help || options.version) {
      output.write(options.help ? HELP : `${version()}\n`);
      return EXIT.done;
    }
    // Loaded only now: the library is not needed for the above.
    if (options.message === undefined && !options.continue) return await (await import('./chat.ts')).chat(options, { output, notes, tools });
    return await (await import('./one-turn.ts')).oneTurn(options, { output, notes, tools });
  } catch (error) {
    notes.write(`agentscope: ${explain(error, { session })}\n`);
    return exitCodeOf(error);
  }
}
