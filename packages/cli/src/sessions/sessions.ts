import { clip, readFlags, UsageError } from '../flags.ts';
import { printJob } from '../job.ts';
import type { Job } from '../job.ts';
import { nearest } from '../nearest.ts';
import { deleteCommand } from './delete.ts';
import { exportCommand } from './export.ts';
import { forkCommand } from './fork.ts';
import { SESSIONS_HELP } from './help.ts';
import { listCommand } from './list.ts';
import { commandJob } from './options.ts';
import type { SessionCommand } from './options.ts';
import { showCommand } from './show.ts';
import { watchCommand } from './watch.ts';

const COMMANDS: ReadonlyMap<string, SessionCommand> = new Map([
  ['list', listCommand],
  ['show', showCommand],
  ['export', exportCommand],
  ['fork', forkCommand],
  ['watch', watchCommand],
  ['delete', deleteCommand],
]);

/** `agentscope sessions …`. @throws UsageError */
export function sessionsJob(argv: readonly string[]): Job {
  const [name = '', ...rest] = argv;
  const command = COMMANDS.get(name);
  if (command !== undefined) return commandJob(`sessions ${name}`, command, rest);
  const names = [...COMMANDS.keys()];
  if (name !== '' && !name.startsWith('-')) throw new UsageError(unknownCommand(name, names));
  if (readFlags(argv, { help: { type: 'boolean', short: 'h' } }).has('help')) return printJob(SESSIONS_HELP);
  throw new UsageError(`sessions needs a command behind it: ${names.join(', ')}.`);
}

function unknownCommand(name: string, names: readonly string[]): string {
  const [near] = nearest(name, names);
  return `There is no command sessions ${clip(name)}. ${near === undefined ? `There are: ${names.join(', ')}.` : `Did you mean ${near}?`}`;
}
