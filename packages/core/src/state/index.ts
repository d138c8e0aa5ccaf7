export { createAgentState } from './agent-state.ts';
export type { AgentState } from './agent-state.ts';
export { parseAgentState } from './read-state.ts';
export { toJava2, toPython2 } from './wire.ts';
export { contextKey, createRuntimeContext, createStateSlots, stateKey, withEntry } from './context.ts';
export type { ContextEntry, ContextKey, RuntimeContext, StateKey, StateSlots } from './context.ts';
export { nothingSaved, stateOwner } from './state-module.ts';
export type { StateModule, StateOwner, StatePlace, StateStore } from './state-module.ts';
