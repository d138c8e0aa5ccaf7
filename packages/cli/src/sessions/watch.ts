import type { AgentSession } from '@agentscope/core';
import type { Surroundings } from '../conversation.ts';
import { EXIT } from '../exit-codes.ts';
import { printable } from '../printable.ts';
import { conversationView } from './conversation-view.ts';
import { WATCH_HELP } from './help.ts';
import { liveMoments } from './live.ts';
import { withSession } from './open.ts';
import { targetOf } from './options.ts';
import type { SessionCommand } from './options.ts';

export const watchCommand: SessionCommand = {
  help: WATCH_HELP,
  flags: { events: { type: 'boolean' } },
  takesId: true,
  job(flags) {
    const target = targetOf(flags);
    const events = flags.has('events');
    return { session: target.id, run: (surroundings) => withSession(target, surroundings, ({ session }) => watch(session, { events }, surroundings)) };
  },
};

/** Shows the conversation while it goes on, until Ctrl-C, or until nobody reads it any more. */
export async function watch(session: AgentSession, { events }: { readonly events: boolean }, { output }: Pick<Surroundings, 'output'>): Promise<number> {
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  output.onClosed = interrupt;
  process.on('SIGINT', interrupt);
  try {
    const write = (text: string): void => output.write(output.isTerminal ? printable(text) : text);
    const view = events ? { ...(await import('../events-view.ts')).eventsView(write), message: () => undefined } : conversationView(output);
    for await (const moment of liveMoments(session, stop.signal)) {
      if ('msg' in moment) view.message(moment.msg);
      else view.event(moment.event);
      if ('event' in moment && moment.event.type === 'AGENT_END') view.end();
    }
    view.end();
    return EXIT.done;
  } finally {
    process.off('SIGINT', interrupt);
  }
}
