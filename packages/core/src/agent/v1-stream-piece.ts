import type { AgentEvent } from '../event/index.ts';
import type { ContentBlock } from '../message/index.ts';

/** What one event adds, as a block of its own; undefined where a block makes sense as a whole only. */
export function pieceOf(event: AgentEvent): ContentBlock | undefined {
  switch (event.type) {
    case 'TEXT_BLOCK_DELTA':
      return { type: 'text', text: event.delta, id: event.blockId };
    case 'THINKING_BLOCK_DELTA':
      return { type: 'thinking', thinking: event.delta, id: event.blockId };
    case 'TOOL_CALL_DELTA':
      return { type: 'tool_use', id: event.toolCallId, name: event.toolCallName, input: {}, content: event.delta, state: 'pending', metadata: {} };
    case 'TOOL_RESULT_TEXT_DELTA':
      return resultPiece(event, { type: 'text', text: event.delta });
    case 'TOOL_RESULT_DATA_DELTA':
      return resultPiece(event, event.data);
    default:
      return undefined;
  }
}

function resultPiece({ toolCallId: id, toolCallName: name }: { readonly toolCallId: string; readonly toolCallName: string }, output: ContentBlock): ContentBlock {
  return { type: 'tool_result', id, name, output: [output], state: 'running', metadata: {} };
}
