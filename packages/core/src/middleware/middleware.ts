import type { AgentEvent } from '../event/index.ts';
import type { RunContext } from '../hook/index.ts';
import type { Awaitable } from '../internal/index.ts';
import type { Msg, ToolResultBlock, ToolUseBlock } from '../message/index.ts';
import type { ChatModel, ChatResponse, GenerateOptions, ModelRequest, ToolChoice } from '../model/index.ts';
import type { AnyTool } from '../tool/index.ts';

/** The rest of a stage: its events, and what it comes to. Asked again it is done again; not asked it is not done at all. */
export type Next<Input, Result> = (input: Input) => AsyncGenerator<AgentEvent, Result, undefined>;

/**
 * One layer around a stage: `async *onX(input, next, ctx) { yield* next(input) }`. What it yields is what everybody sees; what it
 * returns is ignored, since only events change a reply.
 */
export type Stage<Input, Result> = (input: Input, next: Next<Input, Result>, ctx: RunContext) => AsyncGenerator<AgentEvent, unknown, undefined>;

/** The events of a stage, a batch for each wake-up, and what the stage comes to. */
export type StageEvents<R> = AsyncGenerator<AgentEvent[], R, undefined>;

export interface AgentInputs {
  /** What the reply answers. */
  readonly messages: readonly Msg[];
  /** A run after a pause or a crash: the messages were taken before, and others have no effect. */
  readonly goesOn: boolean;
}
export interface ReasoningInput {
  /** What the model is shown, the system prompt first. */
  readonly messages: readonly Msg[];
  readonly tools: NonNullable<ModelRequest['tools']>;
  readonly options: GenerateOptions;
  readonly purpose: 'reason' | 'repair' | 'summary';
  readonly modelName: string;
}
export interface ModelCallInput extends ReasoningInput {
  readonly model: ChatModel;
  readonly toolChoice?: ToolChoice | undefined;
}
export interface ActingInput {
  /** The calls without a result, in call order. One with other arguments is validated and judged again. */
  readonly toolCalls: readonly ToolUseBlock[];
}
export interface ToolCallInput {
  readonly toolCall: ToolUseBlock;
  readonly tool: AnyTool;
}

/** Wraps what an agent does, stage by stage. Every member is optional, and a stage nobody wraps costs nothing. */
export interface Middleware {
  /** Said in errors. Default: its class, or its place. */
  readonly name?: string | undefined;
  /** High is outer. Equal ones in the order they were given, the first outermost. Default 1. */
  readonly order?: number | undefined;
  /** Tools it brings along. */
  readonly tools?: readonly AnyTool[] | undefined;
  /** Around a run of a reply, from behind AGENT_START to AGENT_END. Other `messages` count before the first model call, once for a reply. */
  onAgent?: Stage<AgentInputs, Msg>;
  /** Around a model call with what it is asked; its result is what the call said. */
  onReasoning?: Stage<ReasoningInput, Msg>;
  /** Around the request itself: another model, a cache, a second try (`next` again takes back what the first one said). */
  onModelCall?: Stage<ModelCallInput, ChatResponse>;
  /** Around the calls of one step, also when none of them may run. */
  onActing?: Stage<ActingInput, readonly ToolResultBlock[]>;
  /** Around one call that may run, beside others that run at the same time. */
  onToolCall?: Stage<ToolCallInput, ToolResultBlock>;
  /** The system prompt of each model call, passed through all, the innermost first. */
  onSystemPrompt?(prompt: string, ctx: RunContext): Awaitable<string>;
  /** Looks at every event when it is committed, and changes none: a meter or a log without a layer. */
  onAgentEvent?(event: AgentEvent, ctx: RunContext): void;
}
