import { createEvent } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import type { ContentBlock, ToolUseBlock } from '../message/index.ts';
import { isToolOutput, toOutput } from '../tool/index.ts';
import type { Reconciled, ToolOutput } from '../tool/index.ts';
import { decide, decidingFor } from './decide.ts';
import type { ReadyCall } from './decide.ts';
import { resultDelta, resultEnd, resultRestart, textResult } from './results.ts';
import type { Reply } from './reply.ts';
import { checkContext } from './tool-context.ts';
import { markUnknown, unknownText, wasUnknown } from './unknown-outcome.ts';

export interface Recovered {
  /** Results of calls that will not run again. */
  readonly settled: readonly AgentEvent[];
  /** Calls that run: those never started, and those safe to start again. */
  readonly ready: readonly ReadyCall[];
  /** Calls whose outcome nobody knows and a person is asked about (`onUnknownOutcome: 'ask'`). While one is open, none runs. */
  readonly questions: readonly ToolUseBlock[];
}

/**
 * After a crash, some calls may have been started: their result was opened (the intent is durable before the tool starts) and never
 * sealed. A reading tool and a keyed one run again. One that must not run twice says by `reconcile` what became of it; where it cannot,
 * its result says that nobody knows, or a person decides. No later call with an effect starts behind an unknown one.
 */
export async function recover(reply: Reply, calls: readonly ReadyCall[]): Promise<Recovered> {
  const found = new Findings(reply);
  for (const candidate of calls) {
    const { call, tool } = candidate;
    if (tool.effect === 'once' && wasStarted(reply.message().content, call.id)) await found.look(candidate);
    else if (tool.effect !== 'read' && found.unknownBefore(call) !== undefined) found.holdBack(candidate);
    else found.ready.push(candidate);
  }
  return found;
}

/**
 * The result of a call that a crash cut off and that will not run any more, since its reply is closed. What its tool can tell is told;
 * else that nobody knows.
 */
export async function settleStarted(reply: Reply, call: ToolUseBlock): Promise<readonly AgentEvent[]> {
  const verdict = await decide(reply, call, await decidingFor(reply));
  if (verdict.kind !== 'run') return restarted(reply.replyId, { call }, interrupted(unknownText(call.name)));
  const { tool } = verdict;
  const outcome: Outcome = tool.effect === 'read' ? { status: 'notStarted' } : await outcomeOf(reply, verdict);
  if (outcome.status === 'done') return restarted(reply.replyId, verdict, reconciled(verdict, toOutput(outcome.output)));
  return restarted(reply.replyId, verdict, interrupted(outcome.status === 'unknown' ? unknownText(call.name) : 'Interrupted; it took no effect.'));
}

function interrupted(text: string): ToolOutput {
  return { ...toOutput(text), state: 'interrupted' };
}

class Findings implements Recovered {
  readonly settled: AgentEvent[] = [];
  readonly ready: ReadyCall[] = [];
  readonly questions: ToolUseBlock[] = [];
  readonly #reply: Reply;
  #unknown: string | undefined;

  constructor(reply: Reply) {
    this.#reply = reply;
  }

  async look(candidate: ReadyCall): Promise<void> {
    const outcome = await outcomeOf(this.#reply, candidate);
    if (outcome.status === 'notStarted') this.ready.push(candidate);
    else if (outcome.status === 'done') this.settled.push(...restarted(this.#reply.replyId, candidate, reconciled(candidate, toOutput(outcome.output))));
    else this.#noteUnknown(candidate);
  }

  /** Name of a call before this one whose outcome is unknown: found just now, or decided by a person to be left so. */
  unknownBefore(call: ToolUseBlock): string | undefined {
    return this.#unknown ?? leftUnknown(this.#reply.message().content, call);
  }

  holdBack({ call }: ReadyCall): void {
    // With a question open it may still run, once that has its answer.
    if (this.questions.length > 0) return;
    const text = `Not started: the outcome of ${this.unknownBefore(call) ?? 'a call'} before it is unknown.`;
    this.settled.push(...textResult(this.#reply.replyId, call, { state: 'interrupted', text }));
  }

  #noteUnknown(candidate: ReadyCall): void {
    const { call } = candidate;
    const { replyId, config } = this.#reply;
    this.#unknown = call.name;
    if (config.onUnknownOutcome === 'tell') {
      const text = `${unknownText(call.name)} It was not started again. Check before you call it again.`;
      this.settled.push(...restarted(replyId, candidate, { ...toOutput(text), state: 'interrupted' }));
      return;
    }
    // The result stays open, but is no intent any more: what starts after the answer is a new one.
    this.settled.push(...restarted(replyId, candidate, { ...toOutput(unknownText(call.name)), state: 'running', metadata: { ...markUnknown } }));
    const question = `${unknownText(call.name)} Run it again?`;
    this.questions.push({ ...call, state: 'asking', metadata: { ...call.metadata, ...markUnknown, question } });
  }
}

/** Asks; nothing of the batch runs until every question has its answer. */
export function askAboutUnknown({ replyId }: Reply, questions: readonly ToolUseBlock[]): AgentEvent {
  return createEvent('REQUIRE_USER_CONFIRM', { replyId, toolCalls: questions });
}

/** The newest block of the call is an open result: an intent without an end. One that a person was asked about is none. */
export function wasStarted(content: readonly ContentBlock[], callId: string): boolean {
  const newest = content.findLast((block) => (block.type === 'tool_result' || block.type === 'tool_use') && block.id === callId);
  return newest?.type === 'tool_result' && newest.state === 'running' && !wasUnknown(newest.metadata);
}

function leftUnknown(content: readonly ContentBlock[], call: ToolUseBlock): string | undefined {
  const siblings = content.flatMap((block) => (block.type === 'tool_use' && block.call === call.call ? [block] : []));
  const before = siblings.slice(0, siblings.findIndex(({ id }) => id === call.id));
  const isLeft = ({ id }: ToolUseBlock): boolean => content.some((block) => block.type === 'tool_result' && block.id === id && block.state === 'interrupted');
  return before.find((sibling) => wasUnknown(sibling.metadata) && isLeft(sibling))?.name;
}

type Outcome = Exclude<Reconciled, ToolOutput | string | undefined>;

/** A lookup that fails knows nothing; the call must not run because of it. */
async function outcomeOf(reply: Reply, { call, tool, input, key }: ReadyCall): Promise<Outcome> {
  let found: Reconciled;
  try {
    found = await tool.reconcile?.(input, checkContext(reply, call, key));
  } catch {
    return { status: 'unknown' };
  }
  if (found === undefined) return { status: 'unknown' };
  return typeof found === 'string' || isToolOutput(found) ? { status: 'done', output: found } : (found as Outcome);
}

/** The model is told that the result was looked up: it did not come from this run. */
function reconciled({ call }: ReadyCall, output: ToolOutput): ToolOutput {
  const note = `(The process ended while ${call.name} was running; this is what was found afterwards. It was not started again.)`;
  return { ...output, content: [...output.content, { type: 'text', text: output.content.length === 0 ? note : `\n${note}` }] };
}

function restarted(replyId: string, { call }: Pick<ReadyCall, 'call'>, output: ToolOutput): readonly AgentEvent[] {
  return [resultRestart(replyId, call), ...output.content.map((block) => resultDelta(replyId, call, block)), resultEnd(replyId, call, output)];
}
