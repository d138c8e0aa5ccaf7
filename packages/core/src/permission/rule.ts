import { AgentScopeError } from '../error/index.ts';
import { isObject } from '../internal/index.ts';
import type { Clock } from '../internal/index.ts';
import type { PermissionRule } from '../message/index.ts';

/** What a rule does when it matches. */
export type RuleBehavior = 'allow' | 'ask' | 'deny';

/** A rule as the engine keeps it: with an id, so that it can be revoked. */
export interface KeptRule extends PermissionRule {
  readonly behavior: RuleBehavior;
  readonly id: string;
}

type NamedRule = Partial<PermissionRule> & Pick<PermissionRule, 'toolName'>;

const BEHAVIORS: readonly string[] = ['allow', 'ask', 'deny'];

/**
 * A rule from its short form, `'tool'` or `'tool(content)'`, or from the whole one. Its id, unless it has one, says what it is, so the
 * same rule twice is one.
 *
 * @throws AgentScopeError `config/invalid`, naming the option
 */
export function toRule(given: string | PermissionRule, { behavior, option }: { readonly behavior?: RuleBehavior | undefined; readonly option: string }): KeptRule {
  const rule: Partial<PermissionRule> | null = typeof given === 'string' ? parseShort(given, option) : given;
  if (!isNamed(rule)) throw invalidRule(option, 'a rule is a text like "tool" or "tool(content)", or an object with `toolName`');
  const said: PermissionRule['behavior'] | undefined = rule.behavior;
  const means = behavior ?? said;
  if (means === undefined || !BEHAVIORS.includes(means)) throw invalidRule(option, `a rule allows, asks or denies; ${JSON.stringify(means)} is none of them`);
  if (behavior !== undefined && said !== undefined && said !== behavior) throw invalidRule(option, `the rule for "${rule.toolName}" says "${said}" and stands in the list "${behavior}"`);
  return withId({ ...rule, behavior: means as RuleBehavior });
}

function isNamed(rule: unknown): rule is NamedRule {
  return isObject(rule) && typeof rule['toolName'] === 'string' && rule['toolName'] !== '';
}

/** A rule in its short form. */
export function ruleText({ toolName, ruleContent }: Pick<PermissionRule, 'toolName' | 'ruleContent'>): string {
  return hasContent(ruleContent) ? `${toolName}(${ruleContent})` : toolName;
}

export function withId(rule: Omit<KeptRule, 'id'> & { readonly id?: string }): KeptRule {
  return { ...rule, id: rule.id ?? `${rule.behavior} ${ruleText(rule)}` };
}

/** No content, or an empty one: the whole tool. */
export function hasContent(content: string | null | undefined): content is string {
  return content !== undefined && content !== null && content !== '';
}

/** A time nobody can read never widens anything: what allows has run out, what denies or asks has not. */
export function hasExpired({ expiresAt, behavior }: PermissionRule, clock: Clock): boolean {
  if (expiresAt === undefined) return false;
  const time = Date.parse(expiresAt);
  return Number.isNaN(time) ? behavior === 'allow' : time <= clock();
}

function parseShort(text: string, option: string): NamedRule {
  const [, toolName = '', content] = /^\s*([^()\s]+)\s*(?:\(([\s\S]*)\))?\s*$/.exec(text) ?? [];
  if (toolName === '') throw invalidRule(option, `${JSON.stringify(text)} is no rule; write "tool" or "tool(content)"`);
  return content === undefined ? { toolName } : { toolName, ruleContent: content };
}

function invalidRule(option: string, why: string): AgentScopeError<'config/invalid'> {
  return new AgentScopeError('config/invalid', `A permission rule is not valid: ${why}.`, { details: { option } });
}
