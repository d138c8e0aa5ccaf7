import { DEFAULT_STORE } from '../config/settings.ts';
import { clip, readFlags, UsageError } from '../flags.ts';
import type { Flags, FlagTable } from '../flags.ts';
import { printJob } from '../job.ts';
import type { Job } from '../job.ts';

/** Which session of which folder. */
export interface Target {
  readonly id: string;
  readonly user: string | undefined;
  /** As it was given. */
  readonly store: string;
}

/** A command over kept sessions. */
export interface SessionCommand {
  readonly help: string;
  readonly flags: FlagTable;
  /** Whether an id stands behind it. */
  readonly takesId: boolean;
  /** @throws UsageError for values it cannot use */
  job(flags: Flags): Job;
}

const COMMON = { store: { type: 'string' }, user: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const;

/** @throws UsageError for flags the command does not have, and words it does not take. */
export function commandJob(name: string, { help, flags: own, takesId, job }: SessionCommand, argv: readonly string[]): Job {
  const flags = readFlags(argv, { ...own, ...COMMON });
  if (flags.has('help')) return printJob(help);
  const [id] = flags.positionals;
  const stray = flags.positionals[takesId ? 1 : 0];
  if (stray !== undefined) throw new UsageError(`What is "${clip(stray)}" for? ${name} takes ${takesId ? 'one id' : 'no id'}.`);
  if (takesId && id === undefined) throw new UsageError(`${name} needs the id of a session. "agentscope sessions list" shows them.`);
  return job(flags);
}

export function targetOf(flags: Flags): Target {
  return { id: flags.positionals[0] ?? '', user: flags.text('user'), store: storeOf(flags) };
}

export function storeOf(flags: Flags): string {
  return flags.text('store') ?? DEFAULT_STORE;
}
