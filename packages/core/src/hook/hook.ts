import type { Awaitable } from '../internal/index.ts';
import type { Msg, ToolResultBlock, ToolUseBlock } from '../message/index.ts';
import type { GenerateOptions } from '../model/index.ts';
import type { RunAgent } from './run-context.ts';

interface HookBase<T extends string> {
  readonly type: T;
  readonly agent: RunAgent;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
}
interface Stoppable {
  /** Pauses the reply after this step: `REASONING_STOP_REQUESTED` or `ACTING_STOP_REQUESTED`. `call()` goes on with it. */
  stopAgent(): void;
}

/** Before a reply: what it answers. A change is journaled beside what was given, and happens once, also after a crash. */
export interface PreCallEvent extends HookBase<'PRE_CALL'> {
  inputMessages: readonly Msg[];
}
/** At the end of a run. A change of the content rewrites the last answer; a change of a reply that only pauses is refused. */
export interface PostCallEvent extends HookBase<'POST_CALL'> {
  finalMessage: Msg;
}
/** Before a model call. What is changed is what the model is sent; the conversation stays as it is. */
export interface PreReasoningEvent extends HookBase<'PRE_REASONING'> {
  readonly modelName: string;
  inputMessages: readonly Msg[];
  generateOptions: GenerateOptions;
}
/** What one model call brought: `TOOL_CALLS` when it calls tools. A change rewrites it for everybody. */
export interface PostReasoningEvent extends HookBase<'POST_REASONING'>, Stoppable {
  reasoningMessage: Msg;
}
export interface ReasoningChunkEvent extends HookBase<'REASONING_CHUNK'> {
  readonly incrementalChunk: Msg;
  readonly accumulated: Msg;
}
/** Before a tool that may run does. Other arguments are validated and judged again; the proposed ones stay on record. */
export interface PreActingEvent extends HookBase<'PRE_ACTING'> {
  toolUse: ToolUseBlock;
}
/** After a tool. A change replaces its result for everybody. */
export interface PostActingEvent extends HookBase<'POST_ACTING'>, Stoppable {
  readonly toolUse: ToolUseBlock;
  toolResult: ToolResultBlock;
}
export interface ActingChunkEvent extends HookBase<'ACTING_CHUNK'> {
  readonly toolUse: ToolUseBlock;
  readonly chunk: ToolResultBlock;
}
export interface PreSummaryEvent extends HookBase<'PRE_SUMMARY'> {
  inputMessages: readonly Msg[];
}
export interface PostSummaryEvent extends HookBase<'POST_SUMMARY'> {
  summaryMessage: Msg;
}
export interface SummaryChunkEvent extends HookBase<'SUMMARY_CHUNK'> {
  readonly incrementalChunk: Msg;
}
/** What a run failed with; the call rejects with it all the same. Named so because `ErrorEvent` is a global of the DOM. */
export interface HookErrorEvent extends HookBase<'ERROR'> {
  readonly error: unknown;
}

/** The events of AgentScope 1. What a hook may change is a plain field to assign; assigning any other throws. */
export type HookEvent =
  | PreCallEvent
  | PostCallEvent
  | PreReasoningEvent
  | PostReasoningEvent
  | ReasoningChunkEvent
  | PreActingEvent
  | PostActingEvent
  | ActingChunkEvent
  | PreSummaryEvent
  | PostSummaryEvent
  | SummaryChunkEvent
  | HookErrorEvent;
export type HookEventType = HookEvent['type'];

export interface Hook {
  /** Low runs first, equal ones in the order they were given. Default 100. */
  readonly priority?: number | undefined;
  /** Called at each point; what it returns counts in place of the event when it returns one of the same type. What it throws fails the reply, naming it. */
  onEvent(event: HookEvent): Awaitable<HookEvent | void>;
}
