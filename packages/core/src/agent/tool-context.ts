import { createStateSlots } from '../state/index.ts';
import type { JsonValue } from '../internal/index.ts';
import type { GenerateReason, ToolUseBlock } from '../message/index.ts';
import type { ToolContext } from '../tool/index.ts';
import type { Reply } from './reply.ts';

/** What a tool asked for while it ran, kept until its result is committed: both or neither. */
export interface ToolRequests {
  readonly state: Map<string, JsonValue>;
  stop?: { readonly reason: string; readonly generateReason: GenerateReason };
  /** An agent it asked waits for somebody: no result yet. */
  waitsFor?: GenerateReason;
  /** Ends when that agent's events are told. */
  telling?: Promise<void>;
}

/** What `execute` sees; `emit` is added by the tool itself. */
export function runContext(reply: Reply, call: ToolUseBlock, { key, requests }: { key: string; requests: ToolRequests }): Omit<ToolContext, 'emit'> {
  return {
    signal: reply.signal,
    userId: reply.key.userId,
    sessionId: reply.key.sessionId,
    toolCallId: call.id,
    idempotencyKey: key,
    context: reply.context,
    state: createStateSlots(
      (name) => requests.state.get(name) ?? reply.state(name),
      (name, value) => void requests.state.set(name, value),
    ),
    requestStop: (reason, generateReason = 'ACTING_STOP_REQUESTED') => void (requests.stop = { reason, generateReason }),
  };
}

/** What a tool's own check and `reconcile` see: the same, but nothing they set or emit is kept. */
export function checkContext(reply: Reply, call: ToolUseBlock, key: string): ToolContext {
  return { ...runContext(reply, call, { key, requests: { state: new Map() } }), emit: () => undefined };
}
