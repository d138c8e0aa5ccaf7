import { createEvent } from '../../event/index.ts';
import type { AgentEvent, EventOf } from '../../event/index.ts';
import type { RunContext } from '../../hook/index.ts';
import type { ContentBlock, ToolResultBlock, ToolUseBlock } from '../../message/index.ts';
import type { Next, ToolCallInput } from '../middleware.ts';
import { asToolResult } from './check-change.ts';
import type { HookRunner } from './hook-runner.ts';
import { isChanged } from './rewrite.ts';

interface Call {
  readonly input: ToolCallInput;
  readonly next: Next<ToolCallInput, ToolResultBlock>;
  readonly ctx: RunContext;
}

/** ACTING_CHUNK for what a tool says while it runs, POST_ACTING before its result is sealed. */
export async function* aroundToolCall(runner: HookRunner, { input, next, ctx }: Call): AsyncGenerator<AgentEvent> {
  const { toolCall } = input;
  const output: ContentBlock[] = [];
  for await (const event of next(input)) {
    const piece = event.source === undefined ? pieceOf(event) : undefined;
    if (piece) {
      add(output, piece);
      yield event;
      await runner.run('ACTING_CHUNK', { toolUse: toolCall, chunk: resultOf(toolCall, { output: [piece], state: 'running' }) }, { ctx });
    } else if (event.source === undefined && event.type === 'TOOL_RESULT_END') yield* sealed(runner, { toolCall, output, end: event, ctx });
    else yield event;
  }
}

interface Sealing {
  readonly toolCall: ToolUseBlock;
  readonly output: readonly ContentBlock[];
  readonly end: EventOf<'TOOL_RESULT_END'>;
  readonly ctx: RunContext;
}

/** The end of a result; where hooks changed it, the changed one first takes the place of what was said. */
async function* sealed(runner: HookRunner, { toolCall, output, end, ctx }: Sealing): AsyncGenerator<AgentEvent> {
  let stopped = false;
  const given = resultOf(toolCall, { output, state: end.state ?? 'success', metadata: end.metadata ?? {} });
  const fields = { toolUse: toolCall, toolResult: given, stopAgent: () => void (stopped = true) };
  const { toolResult } = await runner.run('POST_ACTING', fields, { ctx, changeable: { toolResult: asToolResult(given) } });
  const { replyId } = ctx;
  const where = { replyId, toolCallId: toolCall.id, toolCallName: toolCall.name };
  if (isChanged(given.output, toolResult.output)) {
    yield createEvent('TOOL_RESULT_START', { ...where, metadata: { replaces: true } });
    for (const block of toolResult.output) yield block.type === 'text' ? createEvent('TOOL_RESULT_TEXT_DELTA', { ...where, delta: block.text }) : createEvent('TOOL_RESULT_DATA_DELTA', { ...where, data: block });
  }
  const changed = isChanged([given.state, given.metadata], [toolResult.state, toolResult.metadata]);
  yield changed ? createEvent('TOOL_RESULT_END', { ...where, state: toolResult.state, metadata: toolResult.metadata }) : end;
  if (stopped) yield createEvent('REQUEST_STOP', { replyId, reason: 'A hook asked for it.', generateReason: 'ACTING_STOP_REQUESTED' });
}

function resultOf({ id, name }: ToolUseBlock, rest: Partial<ToolResultBlock>): ToolResultBlock {
  return { type: 'tool_result', id, name, output: [], state: 'success', metadata: {}, ...rest };
}

function pieceOf(event: AgentEvent): ContentBlock | undefined {
  if (event.type === 'TOOL_RESULT_TEXT_DELTA') return { type: 'text', text: event.delta };
  return event.type === 'TOOL_RESULT_DATA_DELTA' ? event.data : undefined;
}

/** Neighbouring texts are one. */
function add(output: ContentBlock[], piece: ContentBlock): void {
  const last = output.at(-1);
  if (piece.type === 'text' && last?.type === 'text') output[output.length - 1] = { ...last, text: last.text + piece.text };
  else output.push(piece);
}
