import { AgentScopeError } from '../error/index.ts';
import type { MsgData } from '../message/index.ts';
import { openJournal, SUMMARY, viewSession } from '../session/index.ts';
import type { ContextEdit, FullSessionKey, SessionFold } from '../session/index.ts';
import { journalOptions } from './config.ts';
import type { AgentConfig } from './config.ts';

/** Which moment of a conversation. */
export interface AtOptions {
  /** Number of an entry of the journal (`seq` of an event): as it was right after that. Default: now; beyond the end means now too. */
  readonly atSeq?: number | undefined;
}

/** A conversation as of a moment. @throws AgentScopeError `config/invalid` for a number that is none */
export async function viewAt({ session }: AgentConfig, key: FullSessionKey, { atSeq }: AtOptions = {}): Promise<SessionFold> {
  if (atSeq !== undefined && (!Number.isInteger(atSeq) || atSeq < 0)) {
    throw new AgentScopeError('config/invalid', `atSeq must be the number of an entry, 0 or more, not ${String(atSeq)}. Take \`seq\` of an event.`, { details: { option: 'atSeq' } });
  }
  return viewSession(session, key, { atSeq });
}

export interface ClearContextOptions {
  /** Stands for what was said, for the model. Default: nothing does. */
  readonly summary?: string | undefined;
  /** Clears only while this is the last message. Default: always. */
  readonly last?: string | undefined;
}

/** A change of the context and, where it leaves one, the summary that stands before it. */
export interface ContextChange {
  readonly edit: ContextEdit;
  readonly summary?: string | undefined;
}

/** Changes what the context holds, in one append; the record keeps everything, and `events()` shows it as before. False: nothing was to be changed. */
export async function editContext(config: AgentConfig, key: FullSessionKey, change: (context: readonly MsgData[]) => ContextChange | undefined): Promise<boolean> {
  const journal = await openJournal(config.session, key, journalOptions(config));
  try {
    const changed = change(journal.context());
    if (changed === undefined) return false;
    const { edit, summary = '' } = changed;
    if (edit.op === 'delete') checkClosed(journal.openReply()?.message.id, edit.id);
    journal.edit(edit);
    if (summary !== '') journal.set(SUMMARY, summary);
    await journal.flush('input');
    return true;
  } finally {
    await journal.release();
  }
}

function checkClosed(open: string | undefined, deleted: string): void {
  if (open !== deleted) return;
  throw new AgentScopeError('agent/reply-open', 'The message is a reply that is open still. Let it end first: answer its questions, or say something new.', { details: { replyId: open } });
}
