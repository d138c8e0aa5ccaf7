import { createEvent } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import { AgentScopeError } from '../error/index.ts';
import { canonicalJson } from '../internal/index.ts';
import type { ToolResultBlock, ToolUseBlock } from '../message/index.ts';
import { openCalls } from './next-step.ts';
import type { Reply } from './reply.ts';

interface Edit {
  readonly toolCalls: readonly ToolUseBlock[];
  /** Said in the record. */
  readonly by: string;
}

/**
 * Calls with the arguments a middleware or a hook gave them: what was proposed stays in the metadata of the call, and a person's yes to
 * other arguments counts no more. The calls as they are then, in their order.
 */
export async function* edited(reply: Reply, calls: readonly ToolUseBlock[], { toolCalls, by }: Edit): AsyncGenerator<AgentEvent[], readonly ToolUseBlock[], undefined> {
  const given = new Map(toolCalls.map((call) => [call.id, call]));
  const left = calls.find(({ id }) => !given.has(id));
  if (left) throw bad(`it left out the call ${left.id} of ${left.name}: a call needs a result, also one that says why it did not run`);
  const changed = calls.flatMap((call) => {
    const input = given.get(call.id)?.input ?? call.input;
    return canonicalJson(input) === canonicalJson(call.input) ? [] : [{ ...call, input, content: JSON.stringify(input) }];
  });
  if (changed.length === 0) return calls;
  yield [createEvent('USER_CONFIRM_RESULT', { replyId: reply.replyId, confirmResults: changed.map((toolCall) => ({ confirmed: true, toolCall, rules: null })), metadata: { editedBy: by } })];
  const now = new Map(openCalls(reply.message().content).map((call) => [call.id, call]));
  return calls.map((call) => (changed.some(({ id }) => id === call.id) ? (now.get(call.id) ?? call) : call));
}

/** The results of calls as far as there are any. */
export function resultsOf(reply: Reply, calls: readonly ToolUseBlock[]): readonly ToolResultBlock[] {
  const { content } = reply.message();
  const results = calls.map(({ id }) => content.findLast((block): block is ToolResultBlock => block.type === 'tool_result' && block.id === id));
  return results.filter((result) => result !== undefined);
}

function bad(rule: string): AgentScopeError<'agent/bad-event'> {
  return new AgentScopeError('agent/bad-event', `A middleware broke a rule in onActing: ${rule}.`, { details: { middleware: 'onActing', rule } });
}
