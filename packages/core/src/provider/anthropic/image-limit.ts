import type { AnthropicWireBlock, AnthropicWireMessage } from './wire.ts';

/** What models with the smaller context take in one request. */
const MOST_IMAGES = 100;

const counts = new WeakMap<AnthropicWireMessage, number>();

/** Where there are more pictures than the API takes, the oldest become a note. Messages that stay whole stay the same object. */
export function withinImageLimit(messages: readonly AnthropicWireMessage[], limit: number = MOST_IMAGES): readonly AnthropicWireMessage[] {
  let over = messages.reduce((sum, message) => sum + imagesIn(message), 0) - limit;
  if (over <= 0) return messages;
  const reduce = (block: AnthropicWireBlock): AnthropicWireBlock => {
    if (over > 0 && block.type === 'image') {
      over--;
      return { type: 'text', text: NOTE };
    }
    return over > 0 && Array.isArray(block['content']) ? { ...block, content: (block['content'] as readonly AnthropicWireBlock[]).map(reduce) } : block;
  };
  return messages.map((message) => (over > 0 && imagesIn(message) > 0 ? { ...message, content: message.content.map(reduce) } : message));
}

const NOTE = '[an earlier picture, not shown again: the request holds too many]';

function imagesIn(message: AnthropicWireMessage): number {
  let count = counts.get(message);
  if (count === undefined) counts.set(message, (count = countIn(message.content)));
  return count;
}

function countIn(content: readonly AnthropicWireBlock[]): number {
  return content.reduce((sum, block) => sum + (block.type === 'image' ? 1 : Array.isArray(block['content']) ? countIn(block['content'] as readonly AnthropicWireBlock[]) : 0), 0);
}
