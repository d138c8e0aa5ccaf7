import type { JsonObject } from '../internal/index.ts';
import type { ChatUsage, ContentBlock, GenerateReason, Metadata, Msg, PermissionRule, ToolResultBlock, ToolResultState, ToolUseBlock } from '../message/index.ts';

interface EventBase<T extends string> {
  readonly type: T;
  /** `<replyId>:<epoch>:<n>` where we made it; any text from elsewhere. `''` until committed. */
  readonly id: string;
  /** ISO 8601 with `Z`. `''` until committed. */
  readonly createdAt: string;
  /** Path of the child that said it, e.g. `main/researcher`; absent for the agent itself. */
  readonly source?: string;
  readonly metadata?: Metadata;
}
interface ReplyEvent<T extends string> extends EventBase<T> {
  /** Always a string here: the reader fills `''` where a foreign emitter left it out. */
  readonly replyId: string;
}
interface BlockEvent<T extends string> extends ReplyEvent<T> {
  readonly blockId: string;
}
interface CallEvent<T extends string> extends ReplyEvent<T> {
  readonly toolCallId: string;
  readonly toolCallName: string;
}

/** `metadata.inputIds`: ids of the messages the reply answers. */
export interface AgentStartEvent extends ReplyEvent<'AGENT_START'> {
  readonly sessionId: string;
  readonly name: string;
  readonly role: string;
}
/** Always the last one. `metadata.msg` is merged into the metadata of the message. */
export interface AgentEndEvent extends ReplyEvent<'AGENT_END'> {
  readonly sessionId?: string;
  /** Absent: `MODEL_STOP`. */
  readonly generateReason?: GenerateReason;
  readonly error?: { readonly type: string; readonly message: string };
}
export interface AgentResultEvent extends EventBase<'AGENT_RESULT'> {
  readonly replyId?: string;
  readonly result: Msg;
}
/** `metadata`: {@link ModelCallStartFacts}. */
export interface ModelCallStartEvent extends ReplyEvent<'MODEL_CALL_START'> {
  readonly modelName?: string;
}
/** `metadata`: {@link ModelCallEndFacts}. */
export interface ModelCallEndEvent extends ReplyEvent<'MODEL_CALL_END'> {
  readonly usage?: ChatUsage;
  readonly finishedReason?: string;
}
export interface TextBlockStartEvent extends BlockEvent<'TEXT_BLOCK_START'> {}
export interface TextBlockDeltaEvent extends BlockEvent<'TEXT_BLOCK_DELTA'> {
  readonly delta: string;
}
/** `metadata.block` is merged into the metadata of the block (WIRE F23). */
export interface TextBlockEndEvent extends BlockEvent<'TEXT_BLOCK_END'> {}
export interface ThinkingBlockStartEvent extends BlockEvent<'THINKING_BLOCK_START'> {}
export interface ThinkingBlockDeltaEvent extends BlockEvent<'THINKING_BLOCK_DELTA'> {
  readonly delta: string;
}
/** `metadata.block` is merged into the metadata of the block: signatures, redacted data (WIRE F23). */
export interface ThinkingBlockEndEvent extends BlockEvent<'THINKING_BLOCK_END'> {}
export interface DataBlockStartEvent extends BlockEvent<'DATA_BLOCK_START'> {
  readonly mediaType?: string;
  readonly name?: string;
}
export interface DataBlockDeltaEvent extends BlockEvent<'DATA_BLOCK_DELTA'> {
  /** Base64. */
  readonly delta: string;
  readonly mediaType?: string;
  readonly url?: string;
}
export interface DataBlockEndEvent extends BlockEvent<'DATA_BLOCK_END'> {}
export interface ToolCallStartEvent extends CallEvent<'TOOL_CALL_START'> {}
/** A piece of the arguments' JSON text. */
export interface ToolCallDeltaEvent extends CallEvent<'TOOL_CALL_DELTA'> {
  readonly delta: string;
}
export interface ToolCallEndEvent extends CallEvent<'TOOL_CALL_END'> {}
/** `metadata.run`: who decided, and what was executed (DESIGN §4). `metadata.replaces` empties an unsealed result. */
export interface ToolResultStartEvent extends CallEvent<'TOOL_RESULT_START'> {}
export interface ToolResultTextDeltaEvent extends CallEvent<'TOOL_RESULT_TEXT_DELTA'> {
  readonly delta: string;
}
export interface ToolResultDataDeltaEvent extends CallEvent<'TOOL_RESULT_DATA_DELTA'> {
  readonly data: ContentBlock;
}
/** `metadata` becomes the metadata of the result. */
export interface ToolResultEndEvent extends CallEvent<'TOOL_RESULT_END'> {
  readonly state: ToolResultState;
}
export interface ExceedMaxItersEvent extends ReplyEvent<'EXCEED_MAX_ITERS'> {
  readonly maxIters: number;
  readonly currentIter: number;
  readonly name?: string;
}
export interface RequireUserConfirmEvent extends ReplyEvent<'REQUIRE_USER_CONFIRM'> {
  readonly toolCalls: readonly ToolUseBlock[];
}
export interface RequireExternalExecutionEvent extends ReplyEvent<'REQUIRE_EXTERNAL_EXECUTION'> {
  readonly toolCalls: readonly ToolUseBlock[];
}
export interface ConfirmResult {
  readonly confirmed: boolean;
  /** The call as answered: the same id and name; a changed `input` is an edit. */
  readonly toolCall: ToolUseBlock;
  readonly rules: readonly PermissionRule[] | null;
}
export interface UserConfirmResultEvent extends ReplyEvent<'USER_CONFIRM_RESULT'> {
  readonly confirmResults: readonly ConfirmResult[];
}
export interface ExternalExecutionResultEvent extends ReplyEvent<'EXTERNAL_EXECUTION_RESULT'> {
  readonly toolResults: readonly ToolResultBlock[];
}
export interface RequestStopEvent extends EventBase<'REQUEST_STOP'> {
  readonly replyId?: string;
  readonly reason: string;
  readonly generateReason: GenerateReason;
}
export interface AllToolsDeniedEvent extends EventBase<'ALL_TOOLS_DENIED'> {
  readonly replyId?: string;
  readonly deniedToolCalls: readonly ToolUseBlock[];
}
export interface HintBlockEvent extends BlockEvent<'HINT_BLOCK'> {
  readonly hintSource: string;
  readonly hint: string;
}
export interface SubagentExposedEvent extends EventBase<'SUBAGENT_EXPOSED'> {
  readonly replyId?: string;
  readonly subagentId: string;
  readonly agentId: string;
  readonly sessionId: string;
  readonly label?: string;
}
export interface UserInterruptEvent extends ReplyEvent<'USER_INTERRUPT'> {}

/** Add yours by declaration merging: `interface CustomEvents { 'acme.progress': { done: number } }`. */
export interface CustomEvents {}
type CustomValues = keyof CustomEvents extends never ? { readonly [name: string]: JsonObject } : CustomEvents;
export type CustomEvent = {
  [N in keyof CustomValues & string]: EventBase<'CUSTOM'> & { readonly replyId?: string; readonly name: N; readonly value: CustomValues[N] };
}[keyof CustomValues & string];

/** One small fact about a reply, in order. All 31 types of AgentScope Java plus Python's `USER_INTERRUPT` (WIRE §3.2). */
export type AgentEvent =
  | AgentStartEvent
  | AgentEndEvent
  | AgentResultEvent
  | ModelCallStartEvent
  | ModelCallEndEvent
  | TextBlockStartEvent
  | TextBlockDeltaEvent
  | TextBlockEndEvent
  | ThinkingBlockStartEvent
  | ThinkingBlockDeltaEvent
  | ThinkingBlockEndEvent
  | DataBlockStartEvent
  | DataBlockDeltaEvent
  | DataBlockEndEvent
  | ToolCallStartEvent
  | ToolCallDeltaEvent
  | ToolCallEndEvent
  | ToolResultStartEvent
  | ToolResultTextDeltaEvent
  | ToolResultDataDeltaEvent
  | ToolResultEndEvent
  | ExceedMaxItersEvent
  | RequireUserConfirmEvent
  | RequireExternalExecutionEvent
  | UserConfirmResultEvent
  | ExternalExecutionResultEvent
  | RequestStopEvent
  | AllToolsDeniedEvent
  | HintBlockEvent
  | SubagentExposedEvent
  | UserInterruptEvent
  | CustomEvent;
export type AgentEventType = AgentEvent['type'];
export type EventOf<T extends AgentEventType> = Extract<AgentEvent, { type: T }>;
