export { AgentScopeError } from './error.ts';
export type { AgentScopeErrorOptions } from './error.ts';
export type { ErrorCode, ErrorDetails, ModelFacts } from './codes.ts';
