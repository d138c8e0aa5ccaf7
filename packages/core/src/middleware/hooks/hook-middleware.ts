import type { AgentEvent } from '../../event/index.ts';
import type { Hook, RunContext } from '../../hook/index.ts';
import type { Clock } from '../../internal/index.ts';
import type { Msg, ToolUseBlock } from '../../message/index.ts';
import type { OwnMiddleware } from '../internal.ts';
import type { AgentInputs, Next, ReasoningInput, ToolCallInput } from '../middleware.ts';
import { asToolUse } from './check-change.ts';
import { HookRunner } from './hook-runner.ts';
import { aroundReply } from './reply-hooks.ts';
import { aroundReasoning } from './reasoning-hooks.ts';
import { aroundToolCall } from './tool-hooks.ts';

/** The hooks of AgentScope 1 as one middleware, outside all others: they see, and change, what everybody sees. */
export function hookMiddleware(hooks: readonly Hook[], clock: Clock): OwnMiddleware {
  const runner = new HookRunner(hooks, clock);
  return {
    isOwn: true,
    name: 'hooks',
    order: Infinity,
    onAgent: (input: AgentInputs, next: Next<AgentInputs, Msg>, ctx: RunContext): AsyncGenerator<AgentEvent> => aroundReply(runner, { input, next, ctx }),
    onReasoning: (input: ReasoningInput, next: Next<ReasoningInput, Msg>, ctx: RunContext): AsyncGenerator<AgentEvent> => aroundReasoning(runner, { input, next, ctx }),
    onToolCall: (input: ToolCallInput, next, ctx: RunContext): AsyncGenerator<AgentEvent> => aroundToolCall(runner, { input, next, ctx }),
    async beforeCall(call: ToolUseBlock, ctx: RunContext): Promise<ToolUseBlock> {
      const { toolUse } = await runner.run('PRE_ACTING', { toolUse: call }, { ctx, changeable: { toolUse: asToolUse(call) } });
      return toolUse;
    },
  };
}
