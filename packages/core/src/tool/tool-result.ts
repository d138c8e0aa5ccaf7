import type { Content, ContentBlock, Metadata, ToolUseBlock } from '../message/index.ts';
import type { ToolInput } from './spec.ts';
import type { AnyTool, ToolOutput } from './tool.ts';

/** In the global registry, so that a result made by another copy of the package is known too. */
const BRAND = Symbol.for('agentscope.toolOutput');

/** Blocks, a state or metadata instead of plain text: `return toolResult([picture], { metadata })`. Strings become text blocks. */
export function toolResult(content: Content, { state = 'success', metadata = {} }: { state?: 'success' | 'error'; metadata?: Metadata } = {}): ToolOutput {
  const list = Array.isArray(content) ? (content as readonly unknown[]) : [content];
  return Object.defineProperty({ content: list.map(toBlock), state, metadata }, BRAND, { value: true });
}

/** True for what {@link toolResult} made. A look-alike is data. */
export function isToolOutput(value: unknown): value is ToolOutput {
  return typeof value === 'object' && value !== null && BRAND in value;
}

/** Narrows a call to one tool; with `import type` a page gets the argument types without the tool's code. */
export function isToolCall<T extends AnyTool>(call: ToolUseBlock, name: T['name']): call is ToolUseBlock<T['name'], ToolInput<T>> {
  return call.name === name;
}

function toBlock(item: unknown): ContentBlock {
  return typeof item === 'string' ? { type: 'text', text: item } : (item as ContentBlock);
}
