import { newId } from '../internal/index.ts';
import type { JsonValue } from '../internal/index.ts';
import { createRuntimeContext, createStateSlots } from '../state/index.ts';
import type { ToolContext } from './tool.ts';

/** A context made of defaults, for a tool that runs without an agent: nobody aborts, state lives as long as the context, emitted output is dropped. */
export function createToolContext(given: Partial<ToolContext> = {}): ToolContext {
  const values = new Map<string, JsonValue>();
  const toolCallId = given.toolCallId ?? newId();
  return {
    signal: given.signal ?? new AbortController().signal,
    userId: given.userId,
    sessionId: given.sessionId ?? 'none',
    toolCallId,
    idempotencyKey: given.idempotencyKey ?? toolCallId,
    emit: (chunk) => given.emit?.(chunk),
    requestStop: (reason, generateReason) => given.requestStop?.(reason, generateReason),
    state: given.state ?? createStateSlots((name) => values.get(name), (name, value) => values.set(name, value)),
    context: given.context ?? createRuntimeContext(),
  };
}
