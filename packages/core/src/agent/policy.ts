import type { JsonValue } from '../internal/index.ts';
import { PermissionEngine, readPermission } from '../permission/index.ts';
import type { KeptRule } from '../permission/index.ts';
import type { FullSessionKey, Session } from '../session/index.ts';
import type { AgentConfig } from './config.ts';
import { contextName } from './context-name.ts';

/** The agent's rules, the user's and the session's; the mode of the session, else the agent's. */
export function policyOf(config: AgentConfig, kept: JsonValue | undefined, userRules: readonly KeptRule[]): PermissionEngine {
  if (kept === undefined && userRules.length === 0) return config.policy;
  const { permission, clock } = config;
  const { mode, rules, workingDirectories } = readPermission(kept);
  const engine = new PermissionEngine(
    { ...permission, mode: mode ?? permission?.mode, workingDirectories: [...(permission?.workingDirectories ?? []), ...workingDirectories] },
    { clock, otherwise: permission === undefined ? 'allow' : 'ask' },
  );
  const known = new Set(engine.list().map(({ id }) => id));
  for (const rule of [...userRules, ...rules]) if (!known.has(rule.id)) engine.addRule(rule);
  return engine;
}

/** Name of the value that holds an agent's mode and rules, in a session and in the place of a user. */
export function permissionName({ name }: Pick<AgentConfig, 'name'>): string {
  return contextName('permissionContext', name);
}

/**
 * Where the store keeps what holds for all sessions of a user: named values (v1's `save` and `get`) of this session id, which no
 * conversation has. Without a user: for all sessions without one.
 */
const USER_PLACE = 'agentscope:user';

export async function userRulesOf(config: AgentConfig, key: FullSessionKey): Promise<readonly KeptRule[]> {
  return readPermission(await userValue(config, key)).rules;
}

export async function userValue(config: AgentConfig, { userId }: FullSessionKey): Promise<JsonValue | undefined> {
  return config.session.get({ userId, sessionId: USER_PLACE }, permissionName(config));
}

/** Changes what is kept of a user. Within this process one change follows the other; of two processes the later one wins. */
export function changeUserValue(config: AgentConfig, { userId }: FullSessionKey, change: (value: JsonValue | undefined) => JsonValue | undefined): Promise<void> {
  const before = changing.get(config.session) ?? Promise.resolve();
  const next = before.then(async () => {
    const changed = change(await userValue(config, { userId, sessionId: '' }));
    if (changed !== undefined) await config.session.save({ userId, sessionId: USER_PLACE }, permissionName(config), changed);
  });
  changing.set(config.session, next.catch(() => undefined));
  return next;
}

const changing = new WeakMap<Session, Promise<void>>();
