export type * from './hook.ts';
export type { RunAgent, RunContext } from './run-context.ts';
