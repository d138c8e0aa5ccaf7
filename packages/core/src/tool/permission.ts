import { isObject } from '../internal/index.ts';
import { readRules } from '../message/index.ts';
import type { PermissionBehavior } from '../message/index.ts';
import type { PermissionDecision } from '../permission/index.ts';
import { jsonCopy } from './json-copy.ts';
import { messageOf } from './thrown.ts';
import type { ToolContext } from './tool.ts';

export interface OwnCheck {
  readonly name: string;
  readonly check: PermissionBehavior | ((input: unknown, context: ToolContext) => unknown) | undefined;
}

const BEHAVIORS: ReadonlySet<unknown> = new Set<PermissionBehavior>(['allow', 'deny', 'ask', 'passthrough']);

/** A tool's own opinion. Whatever is not a clear answer denies, with the reason: a broken check must not open a door. */
export async function ownDecision({ name, check }: OwnCheck, input: unknown, context: ToolContext): Promise<PermissionDecision> {
  if (check === undefined) return { behavior: 'passthrough' };
  try {
    const answer: unknown = typeof check === 'function' ? await check(input, context) : check;
    if (isBehavior(answer)) return { behavior: answer };
    if (isObject(answer) && isBehavior(answer['behavior'])) return decisionOf(answer['behavior'], answer);
    return { behavior: 'deny', message: `The permission check of "${name}" gave no decision, so the call is denied.` };
  } catch (error) {
    return { behavior: 'deny', message: `The permission check of "${name}" failed, so the call is denied: ${messageOf(error)}` };
  }
}

/** Its words and rules go on record with the question: what cannot is a broken check. */
function decisionOf(behavior: PermissionBehavior, { message, suggestedRules }: Record<string, unknown>): PermissionDecision {
  if (message !== undefined && typeof message !== 'string') throw new TypeError('its message is no text');
  const rules = suggestedRules === undefined ? undefined : readRules(jsonCopy(suggestedRules, 'What it gave as suggestedRules'), 'suggestedRules');
  return { behavior, ...(message === undefined ? {} : { message }), ...(rules === undefined ? {} : { suggestedRules: rules }) };
}

export function isBehavior(value: unknown): value is PermissionBehavior {
  return BEHAVIORS.has(value);
}
