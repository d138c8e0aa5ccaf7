import { AgentScopeError } from '../error/index.ts';
import type { Content, Msg, MsgData, UserBlock } from '../message/index.ts';
import { INBOX_POLL_MS, openJournal, postToInbox, readSession } from '../session/index.ts';
import type { FullSessionKey, InboxItem, Journal } from '../session/index.ts';
import type { SteerReceipt } from './agent.ts';
import { journalOptions } from './config.ts';
import type { AgentConfig } from './config.ts';
import { interruptItem, messageItem, revokeItem, revokeSteer } from './mail.ts';
import { toSteer } from './steers.ts';

/** One thing done to a session: by its owner, or by asking its owner. */
export interface Owned<T> {
  here(journal: Journal): Promise<T>;
  /** Another process writes the session. */
  elsewhere(): Promise<T>;
}

/** Does it here, where this process owns the session or nobody does. */
export async function asOwner<T>(config: AgentConfig, key: FullSessionKey, { here, elsewhere }: Owned<T>): Promise<T> {
  let journal: Journal;
  try {
    journal = await openJournal(config.session, key, journalOptions(config));
  } catch (error) {
    if (!AgentScopeError.is(error, 'session/conflict')) throw error;
    return elsewhere();
  }
  try {
    return await here(journal);
  } finally {
    await journal.release();
  }
}

export async function post({ session }: AgentConfig, key: FullSessionKey, ...items: readonly InboxItem[]): Promise<void> {
  for (const item of items) await postToInbox(session, key, item);
}

/** Said into the reply that runs, wherever it runs; with none running the next call reads it. */
export async function steer(config: AgentConfig, key: FullSessionKey, content: Content<UserBlock> | MsgData): Promise<SteerReceipt> {
  const msg = toSteer(content);
  config.memories?.of(key); // refuses a session that the memory is not for
  await asOwner(config, key, {
    here: async (journal) => {
      journal.accept([msg], { steer: true });
      await journal.flush('input');
    },
    elsewhere: () => post(config, key, messageItem('steer', msg, config.clock)),
  });
  return { id: msg.id, revoke: () => revoke(config, key, msg.id) };
}

/** Asks the process that runs a reply to stop it. */
export async function interruptElsewhere(config: AgentConfig, key: FullSessionKey, { running, message }: { readonly running: string; readonly message: Msg | undefined }): Promise<void> {
  await post(config, key, interruptItem({ replyId: running, message }, config.clock));
}

/** True when it was taken back before anybody read it. Where another process owns the session, that one decides. */
async function revoke(config: AgentConfig, key: FullSessionKey, id: string): Promise<boolean> {
  let asked = false;
  for (;;) {
    const revoked = await asOwner<boolean | undefined>(config, key, {
      here: (journal) => revokeHere(config, journal, id),
      elsewhere: async () => {
        if (!asked) await post(config, key, revokeItem(id, config.clock));
        asked = true;
        return decided(await readSession(config.session, key), id);
      },
    });
    if (revoked !== undefined) return revoked;
    await pause();
  }
}

async function revokeHere(config: AgentConfig, journal: Journal, id: string): Promise<boolean> {
  // It may still lie in the inbox, which only the owner empties: this process.
  if (!journal.knows(id)) await config.session.acknowledge(journal.key, [id]);
  if (!journal.knows(id)) return true;
  if (!revokeSteer(journal, id)) return decided(journal, id) ?? false;
  await journal.flush();
  const memory = config.memories?.of(journal.key).memory;
  const at = memory ? (await memory.getMessages()).findIndex((msg) => msg.id === id) : -1;
  if (at >= 0) await memory?.deleteMessage(at);
  return true;
}

type Known = Pick<Journal, 'knows' | 'steers' | 'replyFor' | 'context'>;

/** Undefined while it waits: neither read nor taken back. */
function decided(session: Known, id: string): boolean | undefined {
  if (!session.knows(id) || session.steers().some((msg) => msg.id === id)) return undefined;
  const isHint = session.context().some(({ content }) => content.some((block) => block.type === 'hint' && block.id === id));
  return !isHint && session.replyFor(id) === undefined;
}

/** Until it is worth looking again whether the owner has done something. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, INBOX_POLL_MS));
}
