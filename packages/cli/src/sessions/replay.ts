import { setTimeout as sleep } from 'node:timers/promises';
import type { Surroundings } from '../conversation.ts';
import { EXIT } from '../exit-codes.ts';
import { clip, UsageError } from '../flags.ts';
import type { Flags } from '../flags.ts';
import type { Job } from '../job.ts';
import { printable } from '../printable.ts';
import { conversationView, openNote } from './conversation-view.ts';
import type { ConversationView } from './conversation-view.ts';
import { REPLAY_HELP } from './help.ts';
import { withSession } from './open.ts';
import type { Opened } from './open.ts';
import { commandJob, targetOf } from './options.ts';
import type { SessionCommand } from './options.ts';
import { momentsOf, paced } from './timeline.ts';
import type { Moment } from './timeline.ts';

/** `agentscope replay …`. @throws UsageError */
export function replayJob(argv: readonly string[]): Job {
  return commandJob('replay', replayCommand, argv);
}

const replayCommand: SessionCommand = {
  help: REPLAY_HELP,
  flags: { speed: { type: 'string' }, events: { type: 'boolean' } },
  takesId: true,
  job(flags) {
    const target = targetOf(flags);
    const request = { speed: speedOf(flags), events: flags.has('events') };
    return { session: target.id, run: (surroundings) => withSession(target, surroundings, (opened) => replay(opened, request, surroundings)) };
  },
};

function speedOf(flags: Flags): number {
  const text = flags.text('speed') ?? '1';
  if (/^\d+(\.\d+)?$|^\.\d+$/.test(text)) return Number(text);
  throw new UsageError(`--speed takes a number, 0 or more, not "${clip(text)}": 2 is twice as fast, 0 as fast as possible.`);
}

async function replay(opened: Opened, { speed, events }: { speed: number; events: boolean }, { output }: Surroundings): Promise<number> {
  const stop = new AbortController();
  let isInterrupted = false;
  const interrupt = (): void => {
    isInterrupted = true;
    stop.abort();
  };
  output.onClosed = () => stop.abort();
  process.on('SIGINT', interrupt);
  try {
    const view = events ? await jsonView(output) : conversationView(output);
    await play(paced(withHistory(opened, stop.signal, view), speed), view, stop.signal);
    if (!events && !stop.signal.aborted) output.write(await openNote(opened.session));
    return isInterrupted ? EXIT.interrupted : EXIT.done;
  } finally {
    process.off('SIGINT', interrupt);
  }
}

async function jsonView(output: Surroundings['output']): Promise<ConversationView> {
  const { eventsView } = await import('../events-view.ts');
  return { ...eventsView((text) => output.write(output.isTerminal ? printable(text) : text)), message: () => undefined };
}

/** A branch begins with what was said in the session it comes from, which is no event of its own: it is shown at once. */
async function* withHistory(opened: Opened, signal: AbortSignal, view: ConversationView): AsyncGenerator<Moment> {
  let isFirst = true;
  const showBefore = async (seq?: number): Promise<void> => {
    isFirst = false;
    for (const msg of await opened.session.messages({ atSeq: seq })) view.message(msg);
  };
  for await (const moment of momentsOf(opened, signal)) {
    if (isFirst) await showBefore(moment.seq - 1);
    yield moment;
  }
  if (isFirst) await showBefore();
}

/** A timer takes no more, in milliseconds; nobody waits for its end. */
const LONGEST_SLEEP_MS = 2 ** 31 - 1;

/** By the clock, so that what printing costs does not add up. */
async function play(moments: AsyncIterable<readonly [Moment, number]>, view: ConversationView, signal: AbortSignal): Promise<void> {
  let due = performance.now();
  for await (const [moment, waitMs] of moments) {
    if (signal.aborted) break;
    if ('msg' in moment) view.message(moment.msg);
    else view.event(moment.event);
    if ('event' in moment && moment.event.type === 'AGENT_END') view.end();
    due += waitMs;
    const left = due - performance.now();
    if (left >= 1) await sleep(Math.min(left, LONGEST_SLEEP_MS), undefined, { signal }).catch(() => undefined);
  }
  view.end();
}
