import { isObject } from '../internal/index.ts';
import type { JsonObject, JsonValue } from '../internal/index.ts';
import { readRules, writeRule } from '../message/index.ts';
import type { PermissionRule } from '../message/index.ts';
import { checkedMode } from './engine.ts';
import { PERMISSION_MODES } from './policy.ts';
import type { PermissionMode } from './policy.ts';
import { withId } from './rule.ts';
import type { KeptRule, RuleBehavior } from './rule.ts';

/** Mode and rules as a session keeps them: AgentScope's `permission_context` (WIRE §7). */
export interface KeptPermission {
  /** Undefined: nobody set one, so the agent's counts. */
  readonly mode: PermissionMode | undefined;
  readonly rules: readonly KeptRule[];
  readonly workingDirectories: readonly string[];
}

const LISTS: readonly (readonly [member: string, behavior: RuleBehavior])[] = [['deny_rules', 'deny'], ['ask_rules', 'ask'], ['allow_rules', 'allow']];

/** @throws AgentScopeError `message/invalid` for rules that are none: a rule nobody can read must not be overheard */
export function readPermission(value: JsonValue | undefined): KeptPermission {
  const context = isObject(value) ? value : {};
  const directories = isObject(context['working_directories']) ? Object.keys(context['working_directories']) : [];
  return { mode: PERMISSION_MODES.find((mode) => mode === context['mode']), rules: LISTS.flatMap(([member, behavior]) => rulesIn(context[member], { member, behavior })), workingDirectories: directories };
}

/** The context with a rule more, or in the place of the one with its id. */
export function withRule(value: JsonValue | undefined, rule: KeptRule): JsonObject {
  const without = withoutRule(value, rule.id) ?? contextOf(value);
  const member = `${rule.behavior}_rules`;
  const byTool = isObject(without[member]) ? (without[member] as JsonObject) : {};
  const list = Array.isArray(byTool[rule.toolName]) ? (byTool[rule.toolName] as readonly JsonValue[]) : [];
  return { ...without, [member]: { ...byTool, [rule.toolName]: [...list, writeRule(rule, true)] } };
}

/** The context without a rule; undefined when it has none of this id. */
export function withoutRule(value: JsonValue | undefined, id: string): JsonObject | undefined {
  const context = contextOf(value);
  for (const [member, behavior] of LISTS) {
    const byTool = context[member];
    if (!isObject(byTool)) continue;
    for (const [tool, list] of Object.entries(byTool)) {
      const kept = readRules(list, `${member}.${tool}`).filter((rule) => withId({ ...rule, behavior }).id !== id);
      if (!Array.isArray(list) || kept.length === list.length) continue;
      const { [tool]: _, ...others } = byTool as JsonObject;
      return { ...context, [member]: kept.length === 0 ? others : { ...byTool, [tool]: kept.map((rule) => writeRule(rule, true)) } as JsonObject };
    }
  }
  return undefined;
}

/** @throws AgentScopeError `config/invalid` for an unknown mode */
export function withMode(value: JsonValue | undefined, mode: PermissionMode): JsonObject {
  return { ...contextOf(value), mode: checkedMode(mode, 'mode') };
}

function contextOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? (value as JsonObject) : { working_directories: {}, allow_rules: {}, deny_rules: {}, ask_rules: {} };
}

/** Which list a rule stands in says what it does. */
function rulesIn(value: unknown, { member, behavior }: { readonly member: string; readonly behavior: RuleBehavior }): readonly KeptRule[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([tool, list]) => readRules(list, `${member}.${tool}`).map((rule: PermissionRule) => withId({ ...rule, toolName: rule.toolName || tool, behavior })));
}
