import type { Surroundings } from '../conversation.ts';
import { EXIT } from '../exit-codes.ts';
import { UsageError, wholeNumber } from '../flags.ts';
import type { Flags } from '../flags.ts';
import { printable } from '../printable.ts';
import { FORK_HELP } from './help.ts';
import { withSession } from './open.ts';
import type { Opened } from './open.ts';
import { targetOf } from './options.ts';
import type { SessionCommand } from './options.ts';

/** Where the branch leaves; nothing: now. */
type Point = { readonly before: string } | { readonly after: string } | { readonly atSeq: number } | undefined;

export const forkCommand: SessionCommand = {
  help: FORK_HELP,
  flags: { before: { type: 'string' }, after: { type: 'string' }, at: { type: 'string' }, to: { type: 'string' } },
  takesId: true,
  job(flags) {
    const target = targetOf(flags);
    const request = { point: pointOf(flags), to: flags.text('to') };
    return { session: target.id, run: (surroundings) => withSession(target, surroundings, (opened) => fork(opened, request, surroundings)) };
  },
};

function pointOf(flags: Flags): Point {
  if (['before', 'after', 'at'].filter((name) => flags.has(name)).length > 1) throw new UsageError('--before, --after and --at each say where to branch off. Use one of them.');
  const [before, after, atSeq] = [flags.text('before'), flags.text('after'), wholeNumber(flags, 'at', 0)];
  if (before !== undefined) return { before };
  if (after !== undefined) return { after };
  return atSeq === undefined ? undefined : { atSeq };
}

async function fork({ store, key, session }: Opened, { point, to }: { point: Point; to: string | undefined }, { output }: Surroundings): Promise<number> {
  if (to !== undefined && (await store.exists({ ...key, sessionId: to }))) throw new UsageError(`There is a session ${JSON.stringify(to)} already. Give the new one another id with --to.`);
  const id = messageIn(point);
  if (id !== undefined && !(await session.messages()).some((msg) => msg.id === id)) {
    throw new UsageError(`There is no message ${JSON.stringify(id)} in the session ${JSON.stringify(key.sessionId)}. "sessions show --json" shows their ids.`);
  }
  const { sessionId } = await session.fork(point, { sessionId: to });
  output.write(`${output.isTerminal ? printable(sessionId) : sessionId}\n`);
  return EXIT.done;
}

function messageIn(point: Point): string | undefined {
  if (point === undefined || 'atSeq' in point) return undefined;
  return 'before' in point ? point.before : point.after;
}
