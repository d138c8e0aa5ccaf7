import type { AnyTool } from '@agentscope/core';
import { readArgs } from './args.ts';
import type { CliOptions } from './args.ts';
import type { Surroundings } from './conversation.ts';
import { EXIT } from './exit-codes.ts';
import { HELP, version } from './help.ts';
import { printJob } from './job.ts';
import type { Job } from './job.ts';
import { exitCodeOf, explain, isConflict } from './messages.ts';
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
  let job: Job | undefined;
  try {
    job = await jobOf(argv);
    return await job.run(surroundings);
  } catch (error) {
    surroundings.notes.write(`agentscope: ${await explain(error, { session: job?.session, model: job?.model })}\n`);
    return (await job?.onConflict?.(error, surroundings)) ?? exitCodeOf(error);
  }
}

/** Each is loaded only when it is asked for, and the library with it. */
async function jobOf(argv: readonly string[]): Promise<Job> {
  const [command, ...rest] = argv;
  if (command === 'sessions') return (await import('./sessions/sessions.ts')).sessionsJob(rest);
  if (command === 'models') return (await import('./models.ts')).modelsJob(rest);
  if (command === 'replay') return (await import('./sessions/replay.ts')).replayJob(rest);
  const options = readArgs(argv);
  if (options.help || options.version) return printJob(options.help ? HELP : `${version()}\n`);
  return talkJob(options);
}

function talkJob(options: CliOptions): Job {
  const { session, model } = options;
  return {
    session,
    model,
    async run(surroundings) {
      if (options.message === undefined && !options.continue) return (await import('./chat.ts')).chat(options, surroundings);
      return (await import('./one-turn.ts')).oneTurn(options, surroundings);
    },
    async onConflict(error, surroundings) {
      return isConflict(error) ? (await import('./offer-watch.ts')).offerWatch(options, surroundings) : undefined;
    },
  };
}
