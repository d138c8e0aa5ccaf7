import { AgentScopeError } from '../error/index.ts';
import type { JsonValue } from '../internal/index.ts';
import type { PermissionRule } from '../message/index.ts';
import { toRule, withoutRule, withRule } from '../permission/index.ts';
import type { KeptRule, PermissionMode } from '../permission/index.ts';
import type { FullSessionKey } from '../session/index.ts';
import type { SessionView } from './agent-core.ts';
import type { AgentConfig } from './config.ts';
import { asOwner } from './elsewhere.ts';
import { changeUserValue, permissionName, policyOf, userRulesOf, userValue } from './policy.ts';
import { scopedRule } from './remember.ts';

/** What holds in a conversation. */
export interface SessionPermission {
  readonly mode: PermissionMode;
  readonly rules: readonly (PermissionRule & { readonly id: string })[];
}

export async function permissionOf(config: AgentConfig, key: FullSessionKey, view: Pick<SessionView, 'state'>): Promise<SessionPermission> {
  const policy = policyOf(config, view.state(permissionName(config)), await userRulesOf(config, key));
  const own = new Set(config.policy.list().map(({ id }) => id));
  return { mode: policy.mode, rules: policy.list().map((rule) => (own.has(rule.id) ? { source: 'agent', ...rule } : rule)) };
}

/** Changes the mode and rules of a session; with nothing to change nothing is written. */
export async function changePermission(config: AgentConfig, key: FullSessionKey, change: (value: JsonValue | undefined) => JsonValue | undefined): Promise<void> {
  const name = permissionName(config);
  await asOwner(config, key, {
    here: async (journal) => {
      const changed = change(journal.state(name));
      if (changed === undefined) return;
      journal.set(name, changed);
      await journal.flush();
    },
    elsewhere: () => Promise.reject(ownedElsewhere()),
  });
}

export async function addPermissionRule(config: AgentConfig, key: FullSessionKey, given: PermissionRule): Promise<KeptRule> {
  const rule = scopedRule(toRule(given, { option: 'rule' }));
  if (rule.scope === 'user') await changeUserValue(config, key, (value) => withRule(value, rule));
  else await changePermission(config, key, (value) => withRule(value, rule));
  return rule;
}

export async function revokePermissionRule(config: AgentConfig, key: FullSessionKey, id: string): Promise<boolean> {
  if (withoutRule(await userValue(config, key), id) !== undefined) {
    await changeUserValue(config, key, (value) => withoutRule(value, id));
    return true;
  }
  let found = false;
  await changePermission(config, key, (value) => {
    const without = withoutRule(value, id);
    found = without !== undefined;
    return without;
  });
  return found;
}

function ownedElsewhere(): AgentScopeError<'session/conflict'> {
  return new AgentScopeError('session/conflict', 'Another process runs a reply in this session; its mode and rules can be changed when that has ended, or by an answer with rules.', {
    details: { expectedSeq: -1, actualSeq: -1 },
  });
}
