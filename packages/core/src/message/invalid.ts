import { AgentScopeError } from '../error/index.ts';

/** `path` names the member (`content[2].type`), `rule` says what would be right. Neither ever quotes the content. */
export function invalid(path: string, rule: string): AgentScopeError<'message/invalid'> {
  return new AgentScopeError('message/invalid', `The message is not valid at \`${path}\`: ${rule}.`, { details: { path, rule } });
}
