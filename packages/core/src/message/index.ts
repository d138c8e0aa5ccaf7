export type * from './blocks.ts';
export type { PermissionBehavior, PermissionRule, RuleScope } from './permission-rule.ts';
export { Msg } from './msg.ts';
export type { MsgData, MsgInit } from './msg.ts';
