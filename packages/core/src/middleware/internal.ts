import type { RunContext } from '../hook/index.ts';
import type { ToolResultBlock, ToolUseBlock } from '../message/index.ts';
import type { ChatResponse } from '../model/index.ts';
import type { AgentInputs, Middleware, ModelCallInput, ToolCallInput } from './middleware.ts';
import type { Scope } from './scope.ts';

/**
 * A middleware of our own. It may say what the rules keep from others (an answer taken back and said anew, an end held until hooks have
 * looked), so its layers are not checked.
 */
export interface OwnMiddleware extends Middleware {
  readonly isOwn: true;
  /** Before a call that may run does: other arguments, or the same. */
  beforeCall?(call: ToolUseBlock, ctx: RunContext): Promise<ToolUseBlock>;
  /** What only looks: inside of all layers, without one of its own. Asked at each run of the stage. */
  readonly scopes?: OwnScopes | undefined;
}

export interface OwnScopes {
  onAgent?(input: AgentInputs, ctx: RunContext): Scope<unknown> | undefined;
  onModelCall?(input: ModelCallInput, ctx: RunContext): Scope<ChatResponse> | undefined;
  onToolCall?(input: ToolCallInput, ctx: RunContext): Scope<ToolResultBlock> | undefined;
}

/** What only ours are told. */
export interface OwnContext extends RunContext {
  /** What the run failed with. */
  failure(): unknown;
}

export function failureOf(ctx: RunContext): unknown {
  return 'failure' in ctx && typeof ctx.failure === 'function' ? (ctx as OwnContext).failure() : undefined;
}

export function isOwn(middleware: Middleware): middleware is OwnMiddleware {
  return 'isOwn' in middleware && middleware.isOwn === true;
}
