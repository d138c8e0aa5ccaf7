import { createEvent } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import { SUSPENDED_KEY } from '../message/index.ts';
import type { ToolResultBlock, ToolUseBlock } from '../message/index.ts';
import { onion } from '../middleware/index.ts';
import type { ActingInput, StageEvents } from '../middleware/index.ts';
import { edited, resultsOf } from './edited.ts';
import { decide, decidingFor } from './decide.ts';
import type { Verdict } from './decide.ts';
import { deniedStep } from './denied-step.ts';
import { patient } from './patient.ts';
import { askAboutUnknown, recover, wasStarted } from './recover.ts';
import { eventsOf } from './reply.ts';
import type { Reply, StepEvents } from './reply.ts';
import { textResult } from './results.ts';
import { runCalls } from './run-calls.ts';
import { untilAborted } from './until-aborted.ts';

/** The calls of a step, with the agent's middleware around them. */
export function act(reply: Reply, calls: readonly ToolUseBlock[]): StepEvents {
  const layers = reply.stages?.layers<ActingInput, readonly ToolResultBlock[]>('onActing') ?? [];
  if (layers.length === 0) return acting(reply, calls);
  const resultOf = (): readonly ToolResultBlock[] => resultsOf(reply, calls);
  const core = async function* ({ toolCalls }: ActingInput): StageEvents<readonly ToolResultBlock[]> {
    yield* acting(reply, yield* edited(reply, calls, { toolCalls, by: 'middleware' }));
    return resultOf();
  };
  return eventsOf(patient(onion({ where: 'onActing', layers, input: { toolCalls: calls }, core, resultOf }), reply.signal));
}

/**
 * Decide, then run. The whole batch is decided first, and while one call asks, none runs (those that fail or are denied get their
 * result at once). Calls that a crash cut off are recovered by what their tool declares. Outside calls come last.
 */
async function* acting(reply: Reply, calls: readonly ToolUseBlock[]): StepEvents {
  if (calls.length === 0) return yield* sayAllDenied(reply);
  const decided = await unlessStopped(reply, decideAll(reply, calls));
  const verdicts = decided && (yield* lookedAt(reply, decided));
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

/** Hooks may give a call that would run other arguments: they are an edit like any other, and judged like one. */
async function* lookedAt(reply: Reply, verdicts: readonly Verdict[]): AsyncGenerator<AgentEvent[], readonly Verdict[] | undefined, undefined> {
  const { stages } = reply;
  if (!stages?.looksAtCalls) return verdicts;
  const calls = verdicts.flatMap((verdict) => (verdict.kind === 'run' && !wasStarted(reply.message().content, verdict.call.id) ? [verdict.call] : []));
  const looked: ToolUseBlock[] = [];
  for (const call of calls) looked.push(await stages.beforeCall(call));
  const now = yield* edited(reply, calls, { toolCalls: looked, by: 'hook' });
  const changed = now.filter((call, i) => call !== calls[i]);
  const again = changed.length === 0 ? [] : await unlessStopped(reply, decideAll(reply, changed));
  return again && verdicts.map((verdict) => again.find(({ call }) => call.id === verdict.call.id) ?? verdict);
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
