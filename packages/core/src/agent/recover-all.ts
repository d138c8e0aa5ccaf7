import { AgentScopeError } from '../error/index.ts';
import type { Awaitable } from '../internal/index.ts';
import type { Msg } from '../message/index.ts';
import { queueOf } from '../session/index.ts';
import type { FullSessionKey } from '../session/index.ts';
import type { AgentCore } from './agent-core.ts';

export interface RecoverOptions {
  /** How many replies run side by side, 1 or more. Default 4. */
  readonly concurrency?: number | undefined;
  /** Only the sessions of this user. Default: all. */
  readonly userId?: string | undefined;
  /** Called for each reply that has ended or waits for an answer now. What it throws rejects `recoverAll`. */
  readonly onReply?: ((reply: Msg, key: FullSessionKey) => Awaitable<void>) | undefined;
}

/** What became of the unfinished replies in a store. */
export interface Recovery {
  /** Ended, or waiting for an answer; `generateReason` says which. */
  readonly recovered: readonly { readonly key: FullSessionKey; readonly reply: Msg }[];
  /** `busy`: it runs in this process. `held`: another process has the session. `other-agent`: an agent of another name began it. */
  readonly skipped: readonly { readonly key: FullSessionKey; readonly why: 'busy' | 'held' | 'other-agent' }[];
  /** The reply ended with an error, or the session could not be read. */
  readonly failed: readonly { readonly key: FullSessionKey; readonly error: unknown }[];
}

/** Goes on with every reply that was cut off and that this agent began. */
export async function recoverAll(core: AgentCore, { concurrency = 4, userId, onReply }: RecoverOptions): Promise<Recovery> {
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new AgentScopeError('config/invalid', `concurrency must be a whole number of at least 1, not ${String(concurrency)}.`, { details: { option: 'concurrency' } });
  }
  const found: Found = { recovered: [], skipped: [], failed: [] };
  const sessions = core.config.session.list({ userId, unfinished: true })[Symbol.asyncIterator]();
  const work = async (): Promise<void> => {
    for (;;) {
      const next = await sessions.next();
      if (next.done) return;
      const reply = await recoverOne(core, next.value.key, found);
      if (reply) await onReply?.(reply, next.value.key);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return found;
}

type Found = { readonly [K in keyof Recovery]: Recovery[K][number][] };

async function recoverOne(core: AgentCore, key: FullSessionKey, { recovered, skipped, failed }: Found): Promise<Msg | undefined> {
  const { config } = core;
  if (core.isBusy(key) || queueOf(config.session, key).busy()) return void skipped.push({ key, why: 'busy' });
  try {
    const open = (await core.read(key)).openReply();
    if (!open?.facts.running) return undefined; // it ended since the store listed it
    const { agentName } = open.facts;
    if (agentName !== '' && agentName !== config.name) return void skipped.push({ key, why: 'other-agent' });
    const reply = await core.resume(key, open.message.id);
    recovered.push({ key, reply });
    return reply;
  } catch (error) {
    if (AgentScopeError.is(error, 'session/conflict')) skipped.push({ key, why: 'held' });
    else failed.push({ key, error });
    return undefined;
  }
}
