import type { AgentEvent } from '../event/index.ts';
import type { ContentBlock } from '../message/index.ts';
import { toOutput } from '../tool/index.ts';
import type { ToolOutput } from '../tool/index.ts';
import type { ReadyCall } from './decide.ts';
import { resultDelta, resultEnd, resultRestart, textResult } from './results.ts';
import type { Reply } from './reply.ts';
import { checkContext } from './tool-context.ts';

export interface Recovered {
  /** Results of calls that will not run again. */
  readonly settled: readonly AgentEvent[];
  /** Calls that run: those never started, and those safe to start again. */
  readonly ready: readonly ReadyCall[];
}

/**
 * After a crash, some calls may have been started: their result was opened (the intent is durable before the tool starts) and never
 * sealed. A reading tool and a keyed one run again; one that must not run twice says by `reconcile` what became of it, or its result
 * says that nobody knows, and no later call with an effect starts.
 */
export async function recover(reply: Reply, calls: readonly ReadyCall[]): Promise<Recovered> {
  const settled: AgentEvent[] = [];
  const ready: ReadyCall[] = [];
  let unknown: string | undefined;
  for (const candidate of calls) {
    const { call, tool } = candidate;
    if (tool.effect === 'once' && wasStarted(reply.message().content, call.id)) {
      const outcome = await outcomeOf(reply, candidate);
      if (outcome.state === 'interrupted') unknown = call.name;
      settled.push(...restarted(reply.replyId, candidate, outcome));
    } else if (unknown !== undefined && tool.effect !== 'read') {
      settled.push(...textResult(reply.replyId, call, { state: 'interrupted', text: `Not started: the outcome of ${unknown} before it is unknown.` }));
    } else ready.push(candidate);
  }
  return { settled, ready };
}

/** The newest block of the call is an open result: an intent without an end. */
function wasStarted(content: readonly ContentBlock[], callId: string): boolean {
  const newest = content.findLast((block) => (block.type === 'tool_result' || block.type === 'tool_use') && block.id === callId);
  return newest?.type === 'tool_result' && newest.state === 'running';
}

async function outcomeOf(reply: Reply, { call, tool, input, key }: ReadyCall): Promise<ToolOutput> {
  const found = await tool.reconcile?.(input, checkContext(reply, call, key));
  if (found !== undefined) return toOutput(found);
  const text = `The process ended while ${call.name} was running. Whether it took effect is unknown; it was not started again. Check before you call it again.`;
  return { ...toOutput(text), state: 'interrupted' };
}

function restarted(replyId: string, { call }: ReadyCall, output: ToolOutput): readonly AgentEvent[] {
  return [resultRestart(replyId, call), ...output.content.map((block) => resultDelta(replyId, call, block)), resultEnd(replyId, call, output)];
}
