import { randomUUID } from 'node:crypto';
import type { Surroundings } from '../conversation.ts';
import { EXIT } from '../exit-codes.ts';
import { UsageError } from '../flags.ts';
import { Lines } from '../lines.ts';
import { printable } from '../printable.ts';
import { DELETE_HELP } from './help.ts';
import { withSession } from './open.ts';
import type { Opened } from './open.ts';
import { targetOf } from './options.ts';
import type { SessionCommand } from './options.ts';

/** Long enough to take a folder away, in milliseconds. */
const LEASE_MS = 30_000;

export const deleteCommand: SessionCommand = {
  help: DELETE_HELP,
  flags: { yes: { type: 'boolean' } },
  takesId: true,
  job(flags) {
    const target = targetOf(flags);
    const isSure = flags.has('yes');
    return { session: target.id, run: (surroundings) => withSession(target, surroundings, (opened) => remove(opened, isSure, surroundings)) };
  },
};

async function remove({ store, key }: Opened, isSure: boolean, { output }: Surroundings): Promise<number> {
  const name = printable(JSON.stringify(key.sessionId));
  const answer = isSure ? 'yes' : await ask(`Delete the session ${name} for good? [y/N] `);
  if (answer !== 'yes') return answer === 'no' ? EXIT.done : EXIT.interrupted;
  // Who writes it has its lease: that one is not to lose what it writes.
  await store.lease(key, { owner: `delete-${randomUUID()}`, ttlMs: LEASE_MS });
  await store.delete(key);
  output.write(`Deleted ${name}.\n`);
  return EXIT.done;
}

/** @throws UsageError where there is nobody to ask */
async function ask(prompt: string): Promise<'yes' | 'no' | 'interrupted'> {
  let isInterrupted = false;
  const lines = new Lines({
    input: process.stdin,
    output: process.stdout,
    onInterrupt: () => {
      isInterrupted = true;
      lines.close();
    },
  });
  try {
    if (!lines.isTerminal) throw new UsageError('There is no terminal to ask in, and a session is deleted for good. Add --yes.');
    const word = (await lines.next(prompt))?.trim().toLowerCase();
    if (isInterrupted) return 'interrupted';
    return word === 'y' || word === 'yes' ? 'yes' : 'no';
  } finally {
    lines.close();
  }
}
