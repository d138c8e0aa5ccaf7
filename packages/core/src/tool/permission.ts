import type { PermissionBehavior } from '../message/index.ts';
import { messageOf } from './output.ts';
import type { PermissionDecision, ToolContext } from './tool.ts';

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
    if (typeof answer === 'object' && answer !== null && 'behavior' in answer && isBehavior(answer.behavior)) return answer as PermissionDecision;
    return { behavior: 'deny', message: `The permission check of "${name}" gave no decision, so the call is denied.` };
  } catch (error) {
    return { behavior: 'deny', message: `The permission check of "${name}" failed, so the call is denied: ${messageOf(error)}` };
  }
}

export function isBehavior(value: unknown): value is PermissionBehavior {
  return BEHAVIORS.has(value);
}
