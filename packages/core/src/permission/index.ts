export { PermissionEngine } from './engine.ts';
export { exactRule } from './match.ts';
export { PERMISSION_MODES } from './policy.ts';
export type { EngineOptions, PermissionDecision, PermissionFacts, PermissionMode, PermissionOptions, PermissionVerdict } from './policy.ts';
export { ruleText, toRule } from './rule.ts';
export type { KeptRule, RuleBehavior } from './rule.ts';
export { readPermission, withMode, withoutRule, withRule } from './kept-permission.ts';
export { matchesWildcard } from './wildcard.ts';
