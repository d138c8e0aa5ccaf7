import { AgentScopeError } from '../../error/index.ts';
import type { ModelRequest } from '../../model/index.ts';

/** What servers say where a model that thinks may not be forced to call a tool. */
const REFUSALS = [/tool_?choice[^.]*(?:think|reason|not support|unsupported|only)/i, /(?:think|reason)[^.]*tool_?choice/i, /only ["'`]?auto["'`]? is supported/i];

/** True for a refusal of a forced choice; any other bad request is the caller's to see. */
export function refusesForcedChoice(error: unknown, { toolChoice }: ModelRequest): boolean {
  if (toolChoice !== 'required' && typeof toolChoice !== 'object') return false;
  return AgentScopeError.is(error, 'model/bad-request') && REFUSALS.some((pattern) => pattern.test(error.message));
}

/** The same request, the choice left to the model. */
export function withFreeChoice<R extends ModelRequest>(request: R): R {
  return request.toolChoice === 'required' || typeof request.toolChoice === 'object' ? { ...request, toolChoice: 'auto' } : request;
}
