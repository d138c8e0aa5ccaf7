import { resolve } from 'node:path';
import type { AgentSession, FullSessionKey, Session } from '@agentscope/core';
import type { Surroundings } from '../conversation.ts';
import { UsageError } from '../flags.ts';
import { nearest } from '../nearest.ts';
import { openStore } from '../store.ts';
import type { Target } from './options.ts';

/** A kept session, to read. */
export interface Opened {
  readonly store: Session;
  readonly key: FullSessionKey;
  readonly session: AgentSession;
}

/** Gives the session to `use`, and closes the store behind it. @throws UsageError where there is none */
export async function withSession(target: Target, { notes }: Surroundings, use: (opened: Opened) => Promise<number>): Promise<number> {
  const { silentAgent } = await import('../conversation.ts');
  const store = await openStore(resolve(target.store), notes);
  try {
    const key = { userId: target.user, sessionId: target.id };
    if (!(await store.exists(key))) throw new UsageError(await unknownSession(store, target));
    return await use({ store, key, session: silentAgent(store).session(key) });
  } finally {
    await store.close();
  }
}

/** With what may be meant: the same id of somebody else, or one that looks alike. */
async function unknownSession(store: Session, { id, user, store: folder }: Target): Promise<string> {
  const keys = await store.listSessionKeys();
  const owner = keys.find(({ sessionId }) => sessionId === id);
  const [near] = nearest(id, keys.filter(({ userId }) => userId === user).map(({ sessionId = '' }) => sessionId));
  const missing = `There is no session ${JSON.stringify(id)}${user === undefined ? '' : ` of the user ${JSON.stringify(user)}`} in ${folder}.`;
  if (owner !== undefined) return `${missing} ${owner.userId === undefined ? "There is one that is nobody's: leave --user out." : `The user ${JSON.stringify(owner.userId)} has one: add --user.`}`;
  return near === undefined ? missing : `${missing} Did you mean ${JSON.stringify(near)}?`;
}
