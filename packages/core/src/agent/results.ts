import { createEvent } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import type { JsonObject } from '../internal/index.ts';
import type { ContentBlock, ToolResultState, ToolUseBlock } from '../message/index.ts';
import type { ToolOutput } from '../tool/index.ts';

/** What TOOL_RESULT_START records as `metadata.run` (DESIGN §4). Only `allow` and `user-allow` are intents. */
export interface RunRecord {
  readonly decision: 'allow' | 'user-allow' | 'deny' | 'user-deny';
  /** Who decided: `tool`, `user`, `no policy`. */
  readonly by: string;
  readonly effect?: string;
  readonly inputHash?: string;
  readonly key?: string;
}

export function resultStart(replyId: string, call: ToolUseBlock, run?: RunRecord): AgentEvent {
  return createEvent('TOOL_RESULT_START', { ...where(replyId, call), ...(run ? { metadata: { run: { ...run } } } : {}) });
}

/** Empties a result that a crash left open; no new intent (WIRE §4). */
export function resultRestart(replyId: string, call: ToolUseBlock): AgentEvent {
  return createEvent('TOOL_RESULT_START', { ...where(replyId, call), metadata: { replaces: true } });
}

/** Text as text deltas, anything else as a block. */
export function resultDelta(replyId: string, call: ToolUseBlock, block: ContentBlock): AgentEvent {
  if (block.type === 'text') return { type: 'TOOL_RESULT_TEXT_DELTA', id: '', createdAt: '', ...where(replyId, call), delta: block.text };
  return createEvent('TOOL_RESULT_DATA_DELTA', { ...where(replyId, call), data: block });
}

export function resultEnd(replyId: string, call: ToolUseBlock, { state, metadata }: Pick<ToolOutput, 'state' | 'metadata'>): AgentEvent {
  const filled = Object.keys(metadata).length > 0;
  return createEvent('TOOL_RESULT_END', { ...where(replyId, call), state, ...(filled ? { metadata } : {}) });
}

/** A whole result of one text: refusals, errors, seals. Nothing ran, so it is no intent. */
export function textResult(
  replyId: string,
  call: ToolUseBlock,
  { state, text, run, metadata = {} }: { state: ToolResultState; text: string; run?: RunRecord; metadata?: JsonObject },
): AgentEvent[] {
  return [resultStart(replyId, call, run), resultDelta(replyId, call, { type: 'text', text }), resultEnd(replyId, call, { state, metadata })];
}

function where(replyId: string, call: ToolUseBlock): { replyId: string; toolCallId: string; toolCallName: string } {
  return { replyId, toolCallId: call.id, toolCallName: call.name };
}
