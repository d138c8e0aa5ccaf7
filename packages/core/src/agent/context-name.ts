/** Members of the state that are kept for each agent. */
export type ContextMember = 'permissionContext' | 'toolContext' | 'tasksContext' | 'planModeContext';

/** Named values that begin so are the library's own. */
export const OWN = 'agentscope:';

/** Each is a named value, with the agent's name behind it. */
export const CONTEXTS: Readonly<Record<ContextMember, string>> = { permissionContext: `${OWN}permission/`, toolContext: `${OWN}tools/`, tasksContext: `${OWN}tasks/`, planModeContext: `${OWN}plan/` };

/** Name of the value that holds a member of the state for an agent. */
export function contextName(member: ContextMember, agentName: string): string {
  return CONTEXTS[member] + agentName;
}
