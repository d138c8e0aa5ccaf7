import { base64Of, base64Pieces } from '../event/index.ts';
import { newId, parseObject } from '../internal/index.ts';
import type { ChatUsage, ContentBlock, DataBlock, Metadata, Source, TextBlock, ThinkingBlock, ToolUseBlock } from '../message/index.ts';
import { badStream, incrementsOf } from './increment.ts';
import type { ChatResponse, ChatResponseChunk, FinishReason, Increment } from './model.ts';

/**
 * The whole answer of a stream: increments joined into blocks, in the order their first increment came, exactly as the agent's loop
 * joins them. A text, thinking or data block ends when another one or a call begins; calls may interleave. Blocks that say nothing are
 * left out.
 *
 * @throws AgentScopeError `model/bad-stream` for what is no increment
 * @throws whatever the stream throws; what came before is lost, so read the stream itself to keep it.
 */
export async function collectResponse(stream: AsyncIterable<ChatResponseChunk>): Promise<ChatResponse> {
  const collector = createCollector();
  for await (const chunk of stream) collector.add(chunk);
  return collector.response();
}

/** The same, fed by hand. `response()` may be asked at any time. */
interface Collector {
  add(chunk: ChatResponseChunk): void;
  response(): ChatResponse;
}

export function createCollector(): Collector {
  const blocks = new Drafts();
  let id: string | undefined;
  let usage: ChatUsage | undefined;
  let finishReason: FinishReason | undefined;
  let metadata: Metadata | undefined;
  return {
    add(chunk) {
      const increments = incrementsOf(chunk);
      id ??= chunk.id;
      if (chunk.usage !== undefined) usage = chunk.usage;
      if (chunk.finishReason !== undefined) finishReason = chunk.finishReason;
      if (chunk.metadata !== undefined) metadata = { ...metadata, ...chunk.metadata };
      for (const increment of increments) blocks.add(increment);
    },
    response: () => ({
      id: id ?? newId(),
      content: blocks.content(),
      ...(usage === undefined ? {} : { usage }),
      ...(finishReason === undefined ? {} : { finishReason }),
      ...(metadata === undefined ? {} : { metadata }),
    }),
  };
}

interface Draft {
  readonly type: Increment['type'];
  readonly index: number;
  readonly pieces: string[];
  id: string | undefined;
  readonly name: string | undefined;
  metadata: Metadata | undefined;
  mediaType: string | undefined;
  url: string | undefined;
  done: boolean;
}

/** The blocks of one answer while they grow. */
class Drafts {
  readonly #all: Draft[] = [];
  readonly #calls = new Map<number, Draft>();
  readonly #callIds = new Set<string>();
  /** The text, thinking or data block that goes on. */
  #open: Draft | undefined;

  add(increment: Increment): void {
    const draft = increment.type === 'tool_use' ? this.#call(increment) : this.#block(increment);
    if (increment.metadata) draft.metadata = { ...draft.metadata, ...increment.metadata };
    if (draft.type !== 'tool_use') draft.id ??= increment.id;
    if (increment.type === 'data') addData(draft, increment.data);
    else draft.pieces.push(increment.type === 'text' ? increment.text : increment.type === 'thinking' ? increment.thinking : increment.content);
    draft.done = increment.done === true;
    if (draft.done && draft === this.#open) this.#open = undefined;
  }

  content(): ContentBlock[] {
    return this.#all.filter(says).map(blockOf);
  }

  #block(increment: Increment): Draft {
    const { type, index } = increment;
    if (this.#open === undefined || this.#open.index !== index || this.#open.type !== type) this.#open = this.#begin(increment);
    return this.#open;
  }

  #call(increment: Increment): Draft {
    const known = this.#calls.get(increment.index);
    if (known?.done === true) throw badStream(`increment ${increment.index} goes on with a call that was done`);
    if (known !== undefined) return known;
    this.#open = undefined;
    const draft = this.#begin(increment);
    draft.id = this.#uniqueId(increment.id);
    this.#calls.set(increment.index, draft);
    return draft;
  }

  #begin(increment: Increment): Draft {
    const { type, index } = increment;
    const name = 'name' in increment ? increment.name : undefined;
    const draft: Draft = { type, index, name, pieces: [], id: undefined, metadata: undefined, mediaType: undefined, url: undefined, done: false };
    this.#all.push(draft);
    return draft;
  }

  /** A model that gives two calls of one answer the same id gets a new one for the second, so that each has its result. */
  #uniqueId(id: string | undefined): string {
    let unique = id || newId();
    for (let n = 2; this.#callIds.has(unique); n++) unique = `${id}_${n}`;
    this.#callIds.add(unique);
    return unique;
  }
}

/** The media type is the first one named; a URL wins over bytes. */
function addData(draft: Draft, source: Source): void {
  draft.mediaType ??= source.mediaType;
  if (source.type === 'url') draft.url = source.url;
  else if (source.data !== '') draft.pieces.push(source.data);
}

function says({ type, pieces, url, metadata }: Draft): boolean {
  return type === 'tool_use' || url !== undefined || metadata !== undefined || pieces.some((piece) => piece !== '');
}

function blockOf(draft: Draft): ContentBlock {
  const { type, id, name, metadata, pieces } = draft;
  const extras = { ...(id === undefined ? {} : { id }), ...(metadata === undefined ? {} : { metadata }) };
  switch (type) {
    case 'text':
      return { type, text: pieces.join(''), ...extras } satisfies TextBlock;
    case 'thinking':
      return { type, thinking: pieces.join(''), ...extras } satisfies ThinkingBlock;
    case 'tool_use':
      return toolUseOf(draft);
    case 'data':
      return { type, source: sourceOf(draft), ...(name === undefined ? {} : { name }), ...extras } satisfies DataBlock;
  }
}

/** Arguments are judged here, at their end, never while they grow. A call that says none has the arguments `{}`. */
function toolUseOf({ id, name, metadata, pieces }: Draft): ToolUseBlock {
  const content = pieces.join('') || '{}';
  return { type: 'tool_use', id: id ?? newId(), name: name ?? '', input: parseObject(content) ?? {}, content, state: 'pending', metadata: metadata ?? {} };
}

function sourceOf({ url, mediaType, pieces }: Draft): DataBlock['source'] {
  if (url !== undefined) return { type: 'url', url, ...(mediaType === undefined ? {} : { mediaType }) };
  return { type: 'base64', data: base64Of(base64Pieces(pieces)), mediaType: mediaType ?? 'application/octet-stream' };
}
