import { isObject } from '../../internal/index.ts';
import { invalid } from '../invalid.ts';
import { readText, readWord } from '../members.ts';
import type { PermissionBehavior, PermissionRule, RuleScope } from '../permission-rule.ts';

const BEHAVIORS: readonly PermissionBehavior[] = ['allow', 'deny', 'ask', 'passthrough'];
const SCOPES: readonly RuleScope[] = ['call', 'session', 'user'];

/** A list of rules; nothing stands for none. Null entries are dropped. */
export function readRules(value: unknown, path: string): PermissionRule[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalid(path, 'it is a list of rules');
  return value.filter((rule) => rule !== null).map((rule: unknown, i) => readRule(rule, `${path}[${i}]`));
}

/** snake_case as both languages write it, or the model's names. */
function readRule(value: unknown, path: string): PermissionRule {
  if (!isObject(value)) throw invalid(path, 'it is a permission rule');
  const content = value['ruleContent'] ?? value['rule_content'];
  const known = 'ruleContent' in value || 'rule_content' in value;
  const expiresAt = value['expiresAt'] ?? value['expires_at'];
  return {
    toolName: readText(value['toolName'] ?? value['tool_name'], `${path}.toolName`, ''),
    ...(known ? { ruleContent: content === null || content === undefined ? null : readText(content, `${path}.ruleContent`, '') } : {}),
    behavior: readWord(value['behavior'], BEHAVIORS, { path: `${path}.behavior`, fallback: 'ask' }),
    ...(typeof value['source'] === 'string' ? { source: value['source'] } : {}),
    ...(value['scope'] === undefined ? {} : { scope: readWord(value['scope'], SCOPES, { path: `${path}.scope`, fallback: 'session' }) }),
    ...(typeof expiresAt === 'string' ? { expiresAt } : {}),
    ...(typeof value['id'] === 'string' ? { id: value['id'] } : {}),
  };
}
