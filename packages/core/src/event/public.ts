// The entry `@agentscope/core/event`: what a page needs to show what an agent does, and nothing of the agent. Its `Msg` is what the fold
// makes: a message that is read. The root's `Msg` is one of these, and can be made and changed as well.
export { AgentScopeError } from '../error/index.ts';
export { MsgView as Msg, parseMsg } from '../message/index.ts';
export type {
  AudioBlock, Base64Source, BlockOf, BlockType, ChatUsage, ContentBlock, DataBlock, Dialect, GenerateReason, HintBlock, ImageBlock, Metadata, MsgData,
  MsgInit, ParseOptions, Role, Source, TextBlock, ThinkingBlock, ToolCallState, ToolResultBlock, ToolResultState, ToolUseBlock, URLSource, VideoBlock,
} from '../message/index.ts';
export { createFold, foldEvents } from './fold/page-fold.ts';
export type { PageChildMessages as ChildMessages, PageFold as Fold } from './fold/page-fold.ts';
export type { FoldOptions } from './fold/fold.ts';
export type * from './events.ts';
export type { Facts, ModelCallEndFacts, ModelCallPurpose, ModelCallStartFacts } from './facts.ts';
export { parseEvent } from './wire.ts';
