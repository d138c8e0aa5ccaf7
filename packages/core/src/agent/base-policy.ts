import { PermissionEngine } from '../permission/index.ts';
import type { PermissionOptions } from '../permission/index.ts';

/** The engine of the agent's own rules: of `permission`, or where that is left out one that allows what nobody decided. */
export function basePolicy(permission: PermissionOptions | undefined, clock: () => number): PermissionEngine {
  return new PermissionEngine(permission, { clock, otherwise: permission === undefined ? 'allow' : 'ask' });
}
