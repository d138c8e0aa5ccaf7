import { AgentScopeError } from '../error/index.ts';
import type { Facts } from '../event/index.ts';
import type { SchemaIssue } from '../internal/index.ts';
import type { ContentBlock, ToolUseBlock } from '../message/index.ts';
import type { CheckedAnswer } from './answer-schema.ts';
import { jsonIn } from './answer-text.ts';
import { ANSWER_TOOL } from './answer-tool.ts';
import type { Reply } from './reply.ts';
import { blocksOfCall } from './structured-output.ts';
import type { StructuredOutput } from './structured-output.ts';
import { gaveUp } from './structured-step.ts';
import type { Verdict } from './structured-step.ts';
import { problemOf } from './structured-words.ts';

/** Reminders and refused tool answers of one reply: enough to go down the whole ladder. */
const MAX_REPAIRS = 3;

/**
 * Whether the last model call gave the answer that the schema wants; undefined: it gave none to judge. Read from the folded reply, so it
 * is the same after a crash or in another process.
 */
export async function judge(reply: Reply, structured: StructuredOutput): Promise<Verdict | undefined> {
  const { lastCall, iterations } = reply.facts();
  if (!lastCall?.ended || lastCall.error) return undefined;
  const said = blocksOfCall(reply.message().content, lastCall.call);
  const goesOn = lastCall.finishReason === 'pause' && iterations < reply.config.maxIters;
  const answer = await answerIn(said, structured, goesOn);
  if (answer === undefined) return undefined;
  if (answer.checked?.ok === true) {
    structured.output = { value: answer.checked.output };
    return { ok: true, value: answer.checked.stored };
  }
  return rejected(reply, { ...answer, issues: answer.checked?.issues, said, lastCall });
}

interface FoundAnswer {
  /** Undefined: there is no data in it. */
  readonly checked: CheckedAnswer | undefined;
  readonly called: boolean;
  /** As the model wrote it. */
  readonly text: string;
}
type LastCall = NonNullable<Facts['lastCall']>;

/** A text that the provider paused is no answer yet. */
async function answerIn(said: readonly ContentBlock[], structured: StructuredOutput, goesOn: boolean): Promise<FoundAnswer | undefined> {
  const calls = said.filter((block) => block.type === 'tool_use');
  if (calls.length > 0) return calledAnswer(calls.filter(({ name }) => name === ANSWER_TOOL), said, structured);
  if (goesOn) return undefined;
  const text = said.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
  let checked: CheckedAnswer | undefined;
  for (const value of jsonIn(text)) {
    const result = await structured.schema.check(value);
    checked ??= result;
    if (result.ok) return { checked: result, called: false, text };
  }
  return { checked, called: false, text };
}

/** The newest answer that the tool accepted, else the newest it refused. */
async function calledAnswer(calls: readonly ToolUseBlock[], said: readonly ContentBlock[], structured: StructuredOutput): Promise<FoundAnswer | undefined> {
  const withState = (state: string): ToolUseBlock | undefined =>
    calls.findLast(({ id }) => said.findLast((block) => block.type === 'tool_result' && block.id === id && block.state === state) !== undefined);
  const accepted = withState('success');
  const call = accepted ?? withState('error');
  if (call === undefined) return undefined;
  const checked = (accepted && structured.accepted(call.id)) ?? (await structured.schema.check(call.input));
  return { checked, called: accepted === undefined, text: call.content ?? JSON.stringify(call.input) };
}

interface Rejected extends FoundAnswer {
  readonly issues: readonly SchemaIssue[] | undefined;
  readonly said: readonly ContentBlock[];
  readonly lastCall: LastCall;
}

function rejected(reply: Reply, { issues, called, text, said, lastCall: { finishReason } }: Rejected): Verdict {
  const refused = !called && (finishReason === 'content_filter' || said.some((block) => block.type === 'text' && block.metadata?.['refusal'] === true));
  const problem = problemOf(issues, { isCut: finishReason === 'length' });
  const attempts = failures(reply) + (called ? 0 : 1);
  const verdict = { ok: false, problem, called, refused, attempts, triesLeft: attempts <= MAX_REPAIRS } as const;
  if (refused) reply.failed(new AgentScopeError('model/refused', 'The model refused to answer.', { details: { provider: reply.model.provider, retryable: false } }));
  else if (!verdict.triesLeft) reply.failed(new AgentScopeError('agent/structured-output-invalid', gaveUp(verdict), { details: { attempts, paths: pathsOf(issues), text } }));
  return verdict;
}

/** Where something is wrong, each place once. */
export function pathsOf(issues: readonly SchemaIssue[] = []): readonly string[] {
  return [...new Set(issues.map(({ path }) => path))];
}

/** Answers before that did not fit: each text got a reminder, each call an error result. Several calls of one model call are one answer. */
function failures(reply: Reply): number {
  const callOf = new Map<string, number>();
  const failed = new Set<number>();
  for (const block of reply.message().content) {
    if (block.type === 'tool_use' && block.name === ANSWER_TOOL) callOf.set(block.id, block.call ?? 0);
    else if (block.type === 'tool_result' && block.name === ANSWER_TOOL && block.state === 'error') failed.add(callOf.get(block.id) ?? 0);
  }
  return failed.size + (reply.facts().structured?.reminders ?? 0);
}
