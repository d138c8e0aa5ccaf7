import type { AnyTool } from '@agentscope/core';
import type { CliOptions } from './args.ts';
import type { TalkOptions } from './config/settings.ts';
import type { Surroundings } from './conversation.ts';
import { EXIT } from './exit-codes.ts';
import { HELP, version } from './help.ts';
import { printJob } from './job.ts';
import type { Job } from './job.ts';
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
    const { exitCodeOf, explain } = await import('./messages.ts');
    surroundings.notes.write(`agentscope: ${await explain(error, { session: job?.session, model: job?.model })}\n`);
    return (await job?.onConflict?.(error, surroundings)) ?? exitCodeOf(error);
  }
}

/** Each is loaded only when it is asked for, and the library with it. */
async function jobOf(argv: readonly string[]): Promise<Job> {
  const [command, ...rest] = argv;
  // The shortest way: shells and installers ask this often.
  if (command === '--version' && rest.length === 0) return printJob(`${version()}\n`);
  if (command === 'sessions') return (await import('./sessions/sessions.ts')).sessionsJob(await withStore(rest, { after: 1 }));
  if (command === 'replay') return (await import('./sessions/replay.ts')).replayJob(await withStore(rest, { after: 0 }));
  if (command === 'models') return (await import('./models.ts')).modelsJob(rest);
  if (command === 'config') return (await import('./config/command.ts')).configJob(rest);
  if (command === 'doctor') return (await import('./doctor/command.ts')).doctorJob(rest);
  if (command === 'init') return (await import('./init/command.ts')).initJob(rest);
  const { readArgs } = await import('./args.ts');
  // A chat is what there is without a command; its name may stand there.
  const options = readArgs(command === 'chat' ? rest : argv);
  if (options.help || options.version) return printJob(options.help ? HELP : `${version()}\n`);
  return talkJob(options);
}

/** Where the sessions are, behind the words of the command; a flag that says so too comes later, and counts. */
async function withStore(argv: readonly string[], { after }: { readonly after: number }): Promise<readonly string[]> {
  if (argv.length < after || argv.includes('--help') || argv.includes('-h')) return argv;
  const { store } = await (await import('./config/settings.ts')).readSettings({}, { cwd: process.cwd(), env: process.env });
  return store.from === 'built in' ? argv : [...argv.slice(0, after), '--store', store.value, ...argv.slice(after)];
}

function talkJob(options: CliOptions): Job {
  let talk: TalkOptions | undefined;
  return {
    session: options.session,
    get model() {
      return talk?.model ?? options.model;
    },
    async run(surroundings) {
      talk = await (await import('./config/settings.ts')).talkOptions(options);
      if (options.message === undefined && !options.continue) return (await import('./chat.ts')).chat(talk, surroundings);
      return (await import('./one-turn.ts')).oneTurn(talk, surroundings);
    },
    async onConflict(error, surroundings) {
      const { isConflict } = await import('./messages.ts');
      return talk !== undefined && isConflict(error) ? (await import('./offer-watch.ts')).offerWatch(talk, surroundings) : undefined;
    },
  };
}
