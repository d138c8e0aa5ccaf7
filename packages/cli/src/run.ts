import type { AnyTool } from '@agentscope/core';
import { readArgs } from './args.ts';
import type { Surroundings } from './conversation.ts';
import { EXIT } from './exit-codes.ts';
import { HELP, version } from './help.ts';
import { exitCodeOf, explain } from './messages.ts';
import { Output } from './output.ts';
import { printable } from './printable.ts';

export interface RunExtras {
  /** Tools beside the built-in ones. */
  readonly tools?: readonly AnyTool[];
}

/** The whole program: arguments in, exit code out. Never throws. */
export async function run(argv: readonly string[], { tools = [] }: RunExtras = {}): Promise<number> {
  const surroundings = { output: new Output(process.stdout), notes: new Output(process.stderr), tools };
  const code = await runFor(argv, surroundings);
  const failure = await surroundings.output.failure();
  if (failure === undefined) return code;
  surroundings.notes.write(`agentscope: the output could not be written (${printable(failure.message)}).\n`);
  return EXIT.failed;
}

async function runFor(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const { output, notes } = surroundings;
  let session: string | undefined;
  try {
    const options = readArgs(argv);
    session = options.session;
    if (options.help || options.version) {
      output.write(options.help ? HELP : `${version()}\n`);
      return EXIT.done;
    }
    // Loaded only now: the library is not needed for the above.
    if (options.message === undefined && !options.continue) return await (await import('./chat.ts')).chat(options, surroundings);
    return await (await import('./one-turn.ts')).oneTurn(options, surroundings);
  } catch (error) {
    notes.write(`agentscope: ${explain(error, { session })}\n`);
    return exitCodeOf(error);
  }
}
