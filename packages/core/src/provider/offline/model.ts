import type { JsonObject } from '../../internal/index.ts';
import { collectResponse } from '../../model/index.ts';
import type { ChatModel, ChatResponse, ChatResponseChunk, Increment, ModelCallOptions, ModelRequest, NativeStructuredOutput, ToolSchema } from '../../model/index.ts';
import { readTurn } from './conversation.ts';
import type { Turn } from './conversation.ts';
import { guessArguments } from './guess.ts';
import { planFor } from './plan.ts';
import type { Step } from './plan.ts';
import { isSmallTalk, STAND_IN, wordAnswer } from './wording.ts';

/**
 * A stand-in where no model can be reached: it matches words of the request with the names, descriptions and parameters of the
 * registered tools, fills arguments from the text, and words its answer from the results. The same request gives the same answer.
 * Nothing is downloaded, nothing leaves the process. Its first answer says what it is.
 */
export class OfflineChatModel implements ChatModel {
  readonly provider: string = 'offline';
  readonly modelName: string = 'demo';
  readonly nativeStructuredOutput: NativeStructuredOutput = 'without-tools';

  /** An aborted signal throws its reason. `usage` is an estimate: characters / 4. */
  async *stream(request: ModelRequest, { signal }: ModelCallOptions = {}): AsyncGenerator<ChatResponseChunk, void, undefined> {
    signal?.throwIfAborted();
    const turn = readTurn(request.messages);
    const answer = answerTo(turn, request);
    const id = `offline-${request.messages.length}-${turn.calls}`;
    const usage = { inputTokens: tokensOf(JSON.stringify([request.messages, request.tools ?? []])), outputTokens: tokensOf(answer.text + JSON.stringify(answer.calls)) };
    for (const increment of incrementsOf(answer, turn.calls)) {
      yield { id, content: [increment] };
      signal?.throwIfAborted();
    }
    yield { id, content: [], usage, finishReason: answer.calls.length > 0 ? 'tool_calls' : 'stop' };
  }

  call(request: ModelRequest, options?: ModelCallOptions): Promise<ChatResponse> {
    return collectResponse(this.stream(request, options));
  }
}

interface Answer {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: JsonObject }[];
}

function answerTo(turn: Turn, { tools = [], toolChoice = 'auto', responseFormat }: ModelRequest): Answer {
  const said = [turn.asked, ...turn.outcomes.map(({ text }) => text)].join('\n');
  if (responseFormat !== undefined) return { text: JSON.stringify(guessArguments(said, responseFormat.schema)), calls: [] };
  if (typeof toolChoice === 'object') {
    const tool = tools.find(({ name }) => name === toolChoice.tool);
    if (tool !== undefined) return { text: '', calls: [{ name: tool.name, input: guessArguments(turn.asked, tool.inputSchema) }] };
  }
  const steps = stepsOf(turn, tools);
  const calls = steps.filter((step) => step.type === 'call').map(({ tool, input }) => ({ name: tool.name, input }));
  if (toolChoice === 'required') return { text: '', calls: calls.length > 0 ? calls : forced(turn.asked, steps, tools) };
  if (toolChoice === 'auto' && turn.outcomes.length === 0 && calls.length > 0) return { text: '', calls };
  const text = wordAnswer(turn.asked, steps, { outcomes: turn.outcomes, tools });
  return { text: turn.isFirstAnswer ? `${STAND_IN}\n${text}` : text, calls: [] };
}

/** An answer to a question of ours is read together with what was asked first, unless it is a wish of its own. */
function stepsOf({ asked, askedBefore }: Turn, tools: readonly ToolSchema[]): readonly Step[] {
  if (isSmallTalk(asked)) return [];
  const steps = planFor(asked, tools);
  if (askedBefore === undefined || steps.some(({ type }) => type === 'call')) return steps;
  const joined = planFor(`${askedBefore.replace(/[\s?!.,;:]+$/, '')} ${asked}`, tools);
  return joined.some(({ type }) => type !== 'none') ? joined : steps;
}

/** A call has to be made: of the tool that was asked for, else of the first one. */
function forced(asked: string, steps: readonly Step[], tools: readonly ToolSchema[]): Answer['calls'] {
  const tool = steps.find((step) => step.type === 'ask')?.tool ?? tools[0];
  return tool === undefined ? [] : [{ name: tool.name, input: guessArguments(asked, tool.inputSchema) }];
}

function* incrementsOf({ text, calls }: Answer, before: number): Generator<Increment> {
  let index = 0;
  if (text !== '') {
    for (const piece of piecesOf(text)) yield { type: 'text', index, text: piece };
    index++;
  }
  for (const { name, input } of calls) {
    const id = `offline_call_${before + index + 1}`;
    yield { type: 'tool_use', index, id, name, content: '' };
    for (const piece of piecesOf(JSON.stringify(input))) yield { type: 'tool_use', index, id, content: piece };
    index++;
  }
}

/** A few words at a time; long runs without blanks are cut between characters. */
function piecesOf(text: string): readonly string[] {
  return text.match(/(?:\S{1,24}\s*|\s+){1,3}/gu) ?? [];
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}
