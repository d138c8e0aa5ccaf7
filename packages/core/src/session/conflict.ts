import { AgentScopeError } from '../error/index.ts';

/** What a store throws when another writer was faster or has taken over. A number that is not known is -1. */
export function conflict(expectedSeq: number, actualSeq: number, cause?: unknown): AgentScopeError<'session/conflict'> {
  return new AgentScopeError('session/conflict', `The session was written to by another writer (expected entry ${expectedSeq} last, found ${actualSeq}). Read it again and go on from there.`, {
    details: { expectedSeq, actualSeq },
    cause,
  });
}
