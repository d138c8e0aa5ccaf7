import { isObject, newId } from '../internal/index.ts';
import type { ChatUsage, Content, ContentBlockInit, Metadata } from '../message/index.ts';
import type { ChatModel, ChatResponseChunk, FinishReason, Increment, ModelRequest, NativeStructuredOutput } from './model.ts';
import { modelOf } from './model-of.ts';
import type { TokenCounter } from './tokens.ts';

/** One piece of an answer as a model of your own may say it: text, blocks, or increments. `content` holds only what is new. */
export interface ChatModelPiece {
  readonly id?: string;
  readonly content?: Content | readonly Increment[];
  /** Cumulative. */
  readonly usage?: ChatUsage;
  /** Default at the end of the stream: `tool_calls` if there was a call, else `stop`. */
  readonly finishReason?: FinishReason;
  readonly metadata?: Metadata;
}

/** A model from its stream alone: `call`, ids and a missing `content` are filled in. */
export interface ChatModelSpec {
  readonly provider: string;
  readonly modelName: string;
  /** Tokens. */
  readonly contextWindow?: number;
  /** As in `ChatModel`. Default: not at all. */
  readonly nativeStructuredOutput?: NativeStructuredOutput | undefined;
  /** Prompt tokens of a request. Default: an estimate. */
  readonly countTokens?: TokenCounter;
  /** `signal` is always there; throw its reason when it is aborted. */
  stream(request: ModelRequest, options: { readonly signal: AbortSignal }): AsyncIterable<ChatModelPiece>;
}

export function defineChatModel(spec: ChatModelSpec): ChatModel {
  return modelOf(spec, (request, { signal = new AbortController().signal } = {}) => chunksOf(spec.stream(request, { signal }), signal));
}

async function* chunksOf(pieces: AsyncIterable<ChatModelPiece>, signal: AbortSignal): AsyncGenerator<ChatResponseChunk> {
  signal.throwIfAborted();
  const blocks: Blocks = { next: 0, flow: undefined, byId: new Map(), called: false };
  const fallbackId = newId();
  let id: string | undefined;
  let finished = false;
  for await (const { id: givenId, content, ...rest } of pieces) {
    signal.throwIfAborted();
    id ??= givenId ?? fallbackId;
    if (rest.finishReason !== undefined) finished = true;
    yield { ...rest, id, content: content === undefined ? [] : incrementsOf(content, blocks) };
  }
  if (!finished) yield { id: id ?? fallbackId, content: [], finishReason: blocks.called ? 'tool_calls' : 'stop' };
}

/** Which block gets the next number, and which one further text belongs to. */
interface Blocks {
  next: number;
  flow: { readonly type: string; readonly id: string | undefined; readonly index: number } | undefined;
  readonly byId: Map<string, number>;
  called: boolean;
}

function incrementsOf(content: Content | readonly Increment[], blocks: Blocks): readonly Increment[] {
  const items: readonly (string | ContentBlockInit | Increment)[] = Array.isArray(content) ? content : [content as string | ContentBlockInit];
  return items.flatMap((item) => (typeof item === 'string' ? textIncrement(item, blocks) : (incrementOf(item, blocks) ?? [])));
}

function textIncrement(text: string, blocks: Blocks): readonly Increment[] {
  return text === '' ? [] : [{ type: 'text', index: flowIndex('text', undefined, blocks), text }];
}

function incrementOf(item: ContentBlockInit | Increment, blocks: Blocks): Increment | undefined {
  if (item.type === 'tool_use') blocks.called = true;
  if ('index' in item) return numbered(item, blocks);
  const common = 'metadata' in item && item.metadata !== undefined ? { metadata: item.metadata } : {};
  switch (item.type) {
    case 'text':
      return { type: 'text', index: flowIndex('text', item.id, blocks), text: item.text, ...withId(item.id), ...common };
    case 'thinking':
      return { type: 'thinking', index: flowIndex('thinking', item.id, blocks), thinking: item.thinking, ...withId(item.id), ...common };
    case 'tool_use':
      return { type: 'tool_use', index: callIndex(item.id, blocks), id: item.id, name: item.name, content: item.content ?? argumentsText(item.input), ...common };
    case 'data':
      return { type: 'data', index: wholeIndex(blocks), data: item.source, ...withId(item.id), ...(item.name === undefined ? {} : { name: item.name }), ...common };
    case 'image':
    case 'audio':
    case 'video':
      return { type: 'data', index: wholeIndex(blocks), data: item.source };
    default:
      return undefined; // results and hints are nothing a model says
  }
}

function numbered(increment: Increment, blocks: Blocks): Increment {
  blocks.next = Math.max(blocks.next, increment.index + 1);
  blocks.flow = undefined;
  return increment;
}

function withId(id: string | undefined): { id?: string } {
  return id === undefined ? {} : { id };
}

function argumentsText(input: unknown): string {
  return isObject(input) ? JSON.stringify(input) : '';
}

/** Text goes on in the block that is open, unless its kind or its id changes. */
function flowIndex(type: string, id: string | undefined, blocks: Blocks): number {
  if (blocks.flow?.type === type && (id === undefined || blocks.flow.id === id)) return blocks.flow.index;
  blocks.flow = { type, id, index: blocks.next++ };
  return blocks.flow.index;
}

function callIndex(id: string, blocks: Blocks): number {
  blocks.flow = undefined;
  const index = blocks.byId.get(id) ?? blocks.next++;
  blocks.byId.set(id, index);
  return index;
}

function wholeIndex(blocks: Blocks): number {
  blocks.flow = undefined;
  return blocks.next++;
}
