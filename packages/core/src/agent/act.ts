import { createEvent } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import { SUSPENDED_KEY } from '../message/index.ts';
import type { ToolUseBlock } from '../message/index.ts';
import { decide, decidingFor } from './decide.ts';
import type { Verdict } from './decide.ts';
import { deniedStep } from './denied-step.ts';
import { askAboutUnknown, recover } from './recover.ts';
import type { Reply, StepEvents } from './reply.ts';
import { textResult } from './results.ts';
import { runCalls } from './run-calls.ts';
import { untilAborted } from './until-aborted.ts';

/**
 * Decide, then run. The whole batch is decided first, and while one call asks, none runs (those that fail or are denied get their
 * result at once). Calls that a crash cut off are recovered by what their tool declares. Outside calls come last.
 */
export async function* act(reply: Reply, calls: readonly ToolUseBlock[]): StepEvents {
  if (calls.length === 0) return yield* sayAllDenied(reply);
  const verdicts = await unlessStopped(reply, decideAll(reply, calls));
  if (!verdicts) return;
  const settled = verdicts.flatMap((verdict) => settle(reply.replyId, verdict));
  if (settled.length > 0) yield settled;
  const questions = verdicts.flatMap(question);
  if (questions.length > 0) {
    yield [createEvent('REQUIRE_USER_CONFIRM', { replyId: reply.replyId, toolCalls: questions })];
    return;
  }
  const recovered = await unlessStopped(reply, recover(reply, verdicts.filter((verdict) => verdict.kind === 'run')));
  if (!recovered) return;
  if (recovered.settled.length > 0) yield [...recovered.settled];
  if (recovered.questions.length > 0) {
    yield [askAboutUnknown(reply, recovered.questions)];
    return;
  }
  yield* runCalls(reply, recovered.ready);
  if (!reply.signal.aborted && reply.waiting.size === 0) yield* handOver(reply, verdicts);
}

/** Said once for each step. With `stopOnReject` the reply ends here. */
async function* sayAllDenied(reply: Reply): StepEvents {
  const { replyId, config } = reply;
  const deniedToolCalls = deniedStep(reply.message().content, reply.facts());
  const said = createEvent('ALL_TOOLS_DENIED', { replyId, deniedToolCalls });
  yield config.stopOnReject ? [said, createEvent('REQUEST_STOP', { replyId, reason: 'Every tool call was denied.', generateReason: 'ALL_TOOLS_DENIED' })] : [said];
}

async function decideAll(reply: Reply, calls: readonly ToolUseBlock[]): Promise<readonly Verdict[]> {
  const deciding = await decidingFor(reply);
  return Promise.all(calls.map((call) => decide(reply, call, deciding)));
}

/** A check or a lookup that hears no abort is not waited for: undefined then. */
async function unlessStopped<T>({ signal }: Reply, work: Promise<T>): Promise<T | undefined> {
  try {
    return await untilAborted(work, signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** The result of a call that will not run. */
function settle(replyId: string, verdict: Verdict): readonly AgentEvent[] {
  if (verdict.kind === 'fail') return textResult(replyId, verdict.call, { state: 'error', text: verdict.text });
  if (verdict.kind !== 'deny') return [];
  const decision = verdict.by === 'user' ? 'user-deny' : 'deny';
  return textResult(replyId, verdict.call, { state: 'denied', text: verdict.text, run: { decision, by: verdict.by } });
}

/** The call as the question shows it: the tool's words in its metadata, its rules beside them. */
function question(verdict: Verdict): readonly ToolUseBlock[] {
  if (verdict.kind !== 'ask') return [];
  const { call, question: asked } = verdict;
  const metadata = asked.message === undefined ? call.metadata : { ...call.metadata, question: asked.message };
  return [{ ...call, state: 'asking', metadata, ...(asked.suggestedRules ? { suggestedRules: asked.suggestedRules } : {}) }];
}

/** Outside calls: their results are opened as suspended, and the reply pauses until somebody provides them. */
async function* handOver(reply: Reply, verdicts: readonly Verdict[]): StepEvents {
  const external = verdicts.filter((verdict) => verdict.kind === 'external');
  const calls = external.map(({ call }) => call);
  if (calls.length === 0) return;
  const run = Object.fromEntries(external.map((verdict) => [verdict.call.id, verdict.run]));
  const { replyId } = reply;
  const suspended = calls.flatMap((call) =>
    textResult(replyId, call, { state: 'running', text: 'Waiting for execution elsewhere.', metadata: { [SUSPENDED_KEY]: true } }),
  );
  yield [...suspended, createEvent('REQUIRE_EXTERNAL_EXECUTION', { replyId, toolCalls: calls.map((call) => ({ ...call, state: 'submitted' as const })), metadata: { run } })];
}
