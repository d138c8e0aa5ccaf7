import { createEvent } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import type { ToolUseBlock } from '../message/index.ts';
import { decide, decidingFor } from './decide.ts';
import { openCalls } from './next-step.ts';
import type { Reply } from './reply.ts';
import { wasUnknown } from './unknown-outcome.ts';

/**
 * The answers that remembered rules give to open questions: only where a rule really allows the very call, after everything that could
 * deny it or ask was looked at again. A call that a crash cut off is no matter of permission.
 */
export async function answersByRules(reply: Reply): Promise<readonly AgentEvent[]> {
  const asking = openCalls(reply.message().content).filter(({ state, metadata }) => state === 'asking' && !wasUnknown(metadata));
  if (asking.length === 0) return [];
  const deciding = await decidingFor(reply);
  const settled = await Promise.all(asking.map(async (call) => answerOf(reply.replyId, call, await decide(reply, call, deciding))));
  return settled.flat();
}

function answerOf(replyId: string, call: ToolUseBlock, verdict: Awaited<ReturnType<typeof decide>>): readonly AgentEvent[] {
  if (verdict.kind !== 'run' && verdict.kind !== 'external') return [];
  const { by } = verdict.run;
  if (!by.startsWith(RULE)) return [];
  return [createEvent('USER_CONFIRM_RESULT', { replyId, confirmResults: [{ confirmed: true, toolCall: call, rules: null }], metadata: { rule: by.slice(RULE.length) } })];
}

const RULE = 'rule ';
