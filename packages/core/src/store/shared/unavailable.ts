import { AgentScopeError } from '../../error/index.ts';

/** What a database or its driver threw: the server cannot be reached, was restarted, is full. Our own errors stay as they are. */
export function unavailable(store: string, error: unknown): AgentScopeError {
  if (AgentScopeError.is(error)) return error;
  return new AgentScopeError('session/unavailable', `The session store "${store}" cannot be reached or refused the work. Its own error is the cause; what was stored before is untouched. Try again when it is back.`, {
    details: { store },
    cause: error,
  });
}

/** @throws AgentScopeError `config/invalid` */
export function invalidOption(option: string, message: string, cause?: unknown): AgentScopeError<'config/invalid'> {
  return new AgentScopeError('config/invalid', message, { details: { option }, cause });
}
