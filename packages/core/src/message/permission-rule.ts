export type PermissionBehavior = 'allow' | 'deny' | 'ask' | 'passthrough';
export type RuleScope = 'call' | 'session' | 'user';

/** What a tool may do unasked (AgentScope's `PermissionRule`). A tool call block carries suggested ones, so the plain data lives here. */
export interface PermissionRule {
  readonly toolName: string;
  /** What of the tool the rule is about, in the tool's own words; nothing: the whole tool. */
  readonly ruleContent?: string | null;
  readonly behavior: PermissionBehavior;
  readonly source?: string;
  /** How long it holds. Default `'session'`. */
  readonly scope?: RuleScope;
  /** ISO time after which it no longer counts. */
  readonly expiresAt?: string;
  readonly id?: string;
}
