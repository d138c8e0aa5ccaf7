import type { ToolUseBlock } from '../message/index.ts';
import type { Step } from './next-step.ts';
import { wasStarted } from './recover.ts';
import type { Reply } from './reply.ts';

/**
 * Leaves out the calls whose agent waits for somebody, and what stands behind them and was not started: it may build on them. With
 * nothing else to do the reply waits too.
 */
export function withoutWaiting(reply: Pick<Reply, 'waiting' | 'message'>, step: Step): Step {
  if (step.kind !== 'act' || reply.waiting.size === 0) return step;
  const { content } = reply.message();
  const first = step.calls.findIndex(({ id }) => reply.waiting.has(id));
  if (first < 0) return step;
  const mayRun = ({ id }: ToolUseBlock, at: number): boolean => !reply.waiting.has(id) && (at < first || wasStarted(content, id));
  const calls = step.calls.filter(mayRun);
  if (calls.length > 0) return { ...step, calls };
  return { kind: 'pause', reason: [...reply.waiting.values()].includes('PERMISSION_ASKING') ? 'PERMISSION_ASKING' : 'TOOL_SUSPENDED' };
}
