export { agentAsTool } from './agent-as-tool.ts';
export type { AgentToolOptions } from './agent-as-tool.ts';
