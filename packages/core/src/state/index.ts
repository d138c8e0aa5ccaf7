export { contextKey, createRuntimeContext, createStateSlots, stateKey } from './context.ts';
export type { ContextEntry, ContextKey, RuntimeContext, StateKey, StateSlots } from './context.ts';
