import type { AgentEvent, ConfirmResult } from '../event/index.ts';
import { canonicalJson, isObject } from '../internal/index.ts';
import type { PermissionRule, RuleScope, ToolUseBlock } from '../message/index.ts';
import { exactRule, ruleText, toRule, withRule } from '../permission/index.ts';
import type { KeptRule, RuleBehavior } from '../permission/index.ts';
import type { Journal } from '../session/index.ts';
import type { AgentConfig } from './config.ts';
import { changeUserValue, permissionName } from './policy.ts';
import { wasUnknown } from './unknown-outcome.ts';

/**
 * The rules of an answer that count. From a caller who is trusted any rule; from everyone else only what the question suggested (where it
 * suggested nothing: the whole tool), and only with a yes. How long it holds is the person's choice, but never longer than suggested.
 */
export function acceptedRules(call: ToolUseBlock, { confirmed, rules, toolCall }: ConfirmResult, trusted: boolean): readonly PermissionRule[] {
  // Whether to run again what a crash cut off is no matter of permission.
  if (!Array.isArray(rules) || wasUnknown(call.metadata)) return [];
  if (trusted) return rules.map((rule: PermissionRule) => toRule(rule, { option: 'rules' })).map(scopedRule);
  if (!confirmed) return [];
  const suggested = suggestedRules(call, toolCall.input);
  return rules.flatMap((rule: PermissionRule) => {
    const match = suggested.find((each) => each.behavior === rule?.behavior && ruleText(each) === ruleText(rule));
    if (!match || (rule.expiresAt !== undefined && typeof rule.expiresAt !== 'string')) return [];
    const { toolName, ruleContent, behavior } = match;
    const content = ruleContent === undefined ? {} : { ruleContent };
    return [scopedRule(toRule({ toolName, ...content, behavior, ...earlier(match, rule), scope: scopeOf(rule.scope ?? match.scope) }, { option: 'rules' }))];
  });
}

/**
 * What a person can choose to keep of a question: what it suggested, else a rule for the whole tool. Who changed the arguments agreed to
 * those and not to what was proposed, so then it is a rule for exactly these.
 */
export function suggestedRules({ name, input, suggestedRules: given }: ToolUseBlock, answered: ToolUseBlock['input'] | null | undefined): readonly PermissionRule[] {
  if (isObject(answered) && canonicalJson(answered) !== canonicalJson(input)) return [exactRule(name, answered)];
  return given && given.length > 0 ? given : [{ toolName: name, behavior: 'allow' }];
}

/** The rules that answers on record brought and that outlive their call. */
export function rulesIn(events: readonly AgentEvent[]): readonly KeptRule[] {
  const given = events.flatMap((event) => (event.type === 'USER_CONFIRM_RESULT' ? event.confirmResults.flatMap(({ rules }) => rules ?? []) : []));
  return given.filter(({ scope }) => scope !== 'call').map((rule) => toRule(rule, { option: 'rules' }));
}

/** Keeps rules: of a session in its journal, with the next events; of a user in the store, now. */
export async function remember(config: AgentConfig, journal: Journal, rules: readonly KeptRule[]): Promise<void> {
  const ofUser = rules.filter(({ scope }) => scope === 'user');
  if (ofUser.length > 0) await changeUserValue(config, journal.key, (value) => ofUser.reduce((kept, rule) => withRule(kept, rule), value));
  const name = permissionName(config);
  for (const rule of rules) if (rule.scope !== 'user') journal.set(name, withRule(journal.state(name), rule));
}

/** The id says for whom the rule is, so that a user's and a session's do not stand in each other's way. */
export function scopedRule(rule: KeptRule): KeptRule {
  const scope = scopeOf(rule.scope);
  const own = `${rule.behavior as RuleBehavior} ${ruleText(rule)}`;
  return { ...rule, scope, source: rule.source ?? scope, id: rule.id === own ? `${scope} ${own}` : rule.id };
}

function scopeOf(scope: unknown): RuleScope {
  return scope === 'call' || scope === 'user' ? scope : 'session';
}

function earlier(suggested: PermissionRule, { expiresAt }: PermissionRule): { expiresAt?: string } {
  if (suggested.expiresAt === undefined) return expiresAt === undefined ? {} : { expiresAt };
  return expiresAt !== undefined && Date.parse(expiresAt) < Date.parse(suggested.expiresAt) ? { expiresAt } : { expiresAt: suggested.expiresAt };
}
