import { createEvent } from '../event/index.ts';
import type { Journal } from '../session/index.ts';
import type { Beginning } from './begin.ts';
import { takeStops } from './mail.ts';
import type { Mail } from './mail.ts';

/** A reply that a crash cut off, and that somebody asked to stop since: it ends now. For any other beginning nothing is left to stop. */
export function stopped(journal: Journal, beginning: Beginning, mail: Mail): Beginning {
  const open = journal.openReply();
  if (beginning.kind === 'attach' || beginning.replyId !== open?.message.id || !open.facts.running) return beginning;
  if (!takeStops(journal, mail, beginning.replyId)) return beginning;
  return { ...beginning, events: [...beginning.events, createEvent('USER_INTERRUPT', { replyId: beginning.replyId })] };
}
