import type { ContentBlock, ToolResultBlock, ToolUseBlock } from './blocks.ts';

export interface ToolCall {
  readonly call: ToolUseBlock;
  readonly result?: ToolResultBlock;
}

/** A result belongs to the first call before it with its id that has none yet: ids may come again in a later round. */
export function toolCallsOf(content: readonly ContentBlock[]): readonly ToolCall[] {
  const calls: { call: ToolUseBlock; result?: ToolResultBlock }[] = [];
  const waiting = new Map<string, typeof calls>();
  for (const block of content) {
    if (block.type === 'tool_use') {
      const entry = { call: block };
      calls.push(entry);
      const queue = waiting.get(block.id);
      if (queue === undefined) waiting.set(block.id, [entry]);
      else queue.push(entry);
    } else if (block.type === 'tool_result') {
      const entry = waiting.get(block.id)?.shift();
      if (entry !== undefined) entry.result = block;
    }
  }
  return calls;
}
