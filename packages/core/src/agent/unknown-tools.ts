import { matchesWildcard } from '../permission/index.ts';
import type { PermissionEngine } from '../permission/index.ts';
import type { Toolkit } from '../tool/index.ts';

/**
 * A rule that names no tool of the toolkit does nothing, which is rarely meant: somebody believes a tool is forbidden. It may be meant
 * all the same (one list of rules for many agents), so it is no error.
 */
export function warnOfUnknownTools(policy: PermissionEngine, toolkit: Toolkit, warn: (message: string) => void = emitWarning): void {
  const rules = policy.list();
  if (rules.length === 0) return;
  const names = toolkit.getToolSchemas({ activeGroups: toolkit.groups.map(({ name }) => name) }).map(({ name }) => name);
  const unknown = new Set(rules.filter(({ toolName }) => !names.some((name) => matchesWildcard(toolName, name))).map(({ toolName }) => toolName));
  for (const toolName of unknown) warn(`A permission rule names the tool "${toolName}", which the agent does not have. It has: ${names.join(', ') || 'none'}.`);
}

/** Without importing Node: the root has to run in a browser. */
function emitWarning(message: string): void {
  const { process } = globalThis as { process?: { emitWarning?(message: string, options: { type: string; code: string }): void } };
  process?.emitWarning?.(message, { type: 'AgentScopeWarning', code: 'permission/unknown-tool' });
}
