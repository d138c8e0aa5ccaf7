import { newId, parseObject } from '../internal/index.ts';
import type { ChatUsage, ContentBlock, DataBlock, Metadata, TextBlock, ThinkingBlock, ToolUseBlock } from '../message/index.ts';
import type { ChatResponse, ChatResponseChunk, DataIncrement, FinishReason, Increment } from './model.ts';
import { joinBase64 } from './base64.ts';

/**
 * The whole answer of a stream: increments joined into blocks, in the order their first increment came. The only accumulator there is.
 *
 * @throws whatever the stream throws; what came before is lost, so read the stream itself to keep it.
 */
export async function collectResponse(stream: AsyncIterable<ChatResponseChunk>): Promise<ChatResponse> {
  const collector = createCollector();
  for await (const chunk of stream) collector.add(chunk);
  return collector.response();
}

/** The same, fed by hand. `response()` may be asked at any time. */
export interface Collector {
  add(chunk: ChatResponseChunk): void;
  response(): ChatResponse;
}

export function createCollector(): Collector {
  const drafts = new Map<number, Draft>();
  let id: string | undefined;
  let usage: ChatUsage | undefined;
  let finishReason: FinishReason | undefined;
  let metadata: Metadata | undefined;
  return {
    add(chunk) {
      id ??= chunk.id;
      if (chunk.usage !== undefined) usage = chunk.usage;
      if (chunk.finishReason !== undefined) finishReason = chunk.finishReason;
      if (chunk.metadata !== undefined) metadata = { ...metadata, ...chunk.metadata };
      for (const increment of chunk.content) addIncrement(drafts, increment);
    },
    response: () => ({
      id: id ?? newId(),
      content: Array.from(drafts.values(), blockOf),
      ...(usage === undefined ? {} : { usage }),
      ...(finishReason === undefined ? {} : { finishReason }),
      ...(metadata === undefined ? {} : { metadata }),
    }),
  };
}

interface Draft {
  readonly type: Increment['type'];
  readonly pieces: string[];
  id: string | undefined;
  name: string | undefined;
  metadata: Metadata | undefined;
  source: DataIncrement['data'] | undefined;
}

function addIncrement(drafts: Map<number, Draft>, increment: Increment): void {
  let draft = drafts.get(increment.index);
  if (draft === undefined) {
    draft = { type: increment.type, pieces: [], id: undefined, name: undefined, metadata: undefined, source: undefined };
    drafts.set(increment.index, draft);
  }
  draft.id ??= increment.id;
  if (increment.metadata !== undefined) draft.metadata = { ...draft.metadata, ...increment.metadata };
  switch (increment.type) {
    case 'text':
      draft.pieces.push(increment.text);
      return;
    case 'thinking':
      draft.pieces.push(increment.thinking);
      return;
    case 'tool_use':
      draft.name ??= increment.name;
      draft.pieces.push(increment.content);
      return;
    case 'data':
      draft.name ??= increment.name;
      draft.source = increment.data;
      draft.pieces.push(increment.data.type === 'base64' ? increment.data.data : increment.data.url);
  }
}

function blockOf(draft: Draft): ContentBlock {
  const extras = { ...(draft.id === undefined ? {} : { id: draft.id }), ...(draft.metadata === undefined ? {} : { metadata: draft.metadata }) };
  switch (draft.type) {
    case 'text':
      return { type: 'text', text: draft.pieces.join(''), ...extras } satisfies TextBlock;
    case 'thinking':
      return { type: 'thinking', thinking: draft.pieces.join(''), ...extras } satisfies ThinkingBlock;
    case 'tool_use':
      return toolUseOf(draft);
    case 'data':
      return { type: 'data', source: sourceOf(draft), ...(draft.name === undefined ? {} : { name: draft.name }), ...extras } satisfies DataBlock;
  }
}

/** Arguments are judged here, at their end, never while they grow. */
function toolUseOf(draft: Draft): ToolUseBlock {
  const content = draft.pieces.join('');
  return {
    type: 'tool_use',
    id: draft.id ?? newId(),
    name: draft.name ?? '',
    input: parseObject(content) ?? {},
    content,
    state: 'pending',
    metadata: draft.metadata ?? {},
  };
}

function sourceOf({ source, pieces }: Draft): DataBlock['source'] {
  if (source?.type === 'base64') return { ...source, data: joinBase64(pieces) };
  return { ...source, type: 'url', url: pieces.at(-1) ?? '' };
}
