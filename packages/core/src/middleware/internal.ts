import type { RunContext } from '../hook/index.ts';
import type { ToolUseBlock } from '../message/index.ts';
import type { Middleware } from './middleware.ts';

/**
 * A middleware of our own. It may say what the rules keep from others (an answer taken back and said anew, an end held until hooks have
 * looked), so its layers are not checked.
 */
export interface OwnMiddleware extends Middleware {
  readonly isOwn: true;
  /** Before a call that may run does: other arguments, or the same. */
  beforeCall?(call: ToolUseBlock, ctx: RunContext): Promise<ToolUseBlock>;
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
