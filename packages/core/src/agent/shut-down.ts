import { AgentScopeError } from '../error/index.ts';

/**
 * What a call rejects with when the agent shuts down: one that comes too late (`replyId` null), or one whose reply was left at a step
 * border. It is also the reason of the abort that ends what does not reach one in time.
 */
export function shutDown(agent: string, replyId: string | null = null): AgentScopeError<'agent/shut-down'> {
  const what = replyId === null ? 'it takes no new calls' : 'the reply stands unfinished in its journal, and `call()` without input goes on with it, in any process';
  return new AgentScopeError('agent/shut-down', `The agent "${agent}" is shutting down: ${what}.`, { details: { replyId } });
}

/** True for an abort that leaves the reply open instead of ending it. */
export function isShutDown(reason: unknown): reason is AgentScopeError<'agent/shut-down'> {
  return AgentScopeError.is(reason, 'agent/shut-down');
}
