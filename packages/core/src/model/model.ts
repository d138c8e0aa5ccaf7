import type { Awaitable, JsonObject, JsonSchema } from '../internal/index.ts';
import type { ChatUsage, ContentBlock, Metadata, Msg, Source } from '../message/index.ts';

export interface GenerateOptions {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly maxTokens?: number;
  readonly seed?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly thinkingBudget?: number;
  readonly reasoningEffort?: 'minimal' | 'low' | 'medium' | 'high' | (string & {});
  readonly parallelToolCalls?: boolean;
  /**
   * Where a provider remembers prompts on request only: marks the system prompt and the end of the conversation, and says for how long
   * (`true` is `'5m'`). Single blocks are marked by their metadata `_cache_control`. Others remember by themselves and ignore it.
   */
  readonly cacheControl?: boolean | '5m' | '1h';
  /** Merged into the request body as it is: the way to what we did not model. */
  readonly additionalBodyParams?: JsonObject;
  readonly additionalHeaders?: Readonly<Record<string, string>>;
  /** Added to the address of the request. */
  readonly additionalQueryParams?: Readonly<Record<string, string>>;
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly tool: string };

export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

export interface ModelRequest {
  /** System prompt first, then the conversation. Stored messages: repair happens in the formatter. */
  readonly messages: readonly Msg[];
  readonly tools?: readonly ToolSchema[] | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  readonly options?: GenerateOptions | undefined;
  readonly responseFormat?: { readonly name: string; readonly schema: JsonSchema } | undefined;
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'pause' | 'error' | 'other';

interface IncrementBase {
  /**
   * Number of the block in this call; blocks open in the order their first increment comes. At most one text, thinking or data block is
   * open: the number of one that has ended opens a new block. Calls stay open beside it and beside each other.
   */
  readonly index: number;
  /** The model's id of the block, where it has one. */
  readonly id?: string;
  /** Provider-private facts (signatures, encrypted reasoning): merged into the block's metadata (WIRE F23). */
  readonly metadata?: Metadata;
  /** Nothing more comes for this block. Optional: the end of the stream says it too, and of a text, thinking or data block the next block of any kind. */
  readonly done?: boolean;
}
export interface TextIncrement extends IncrementBase {
  readonly type: 'text';
  readonly text: string;
}
export interface ThinkingIncrement extends IncrementBase {
  readonly type: 'thinking';
  readonly thinking: string;
}
/** `name` is there from the first increment on (readers hold back what comes before it); `content` is the next piece of the arguments' JSON text. */
export interface ToolUseIncrement extends IncrementBase {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name?: string;
  readonly content: string;
}
/** `data`: a piece of base64, or a URL. */
export interface DataIncrement extends IncrementBase {
  readonly type: 'data';
  readonly name?: string;
  readonly data: Source;
}
export type Increment = TextIncrement | ThinkingIncrement | ToolUseIncrement | DataIncrement;

/**
 * An answer of a model, or one piece of it. In a stream `content` holds increments, as many as one network read brought; from `call`
 * it holds whole blocks.
 */
export interface ChatResponse<C = ContentBlock> {
  readonly id: string;
  readonly content: readonly C[];
  /** Cumulative: the last value counts. */
  readonly usage?: ChatUsage;
  /** Once, last. */
  readonly finishReason?: FinishReason;
  /** `providerFinishReason`, `requestId`, `model`, raw usage. */
  readonly metadata?: Metadata;
}
export type ChatResponseChunk = ChatResponse<Increment>;

export interface ModelCallOptions {
  readonly signal?: AbortSignal | undefined;
}

export type NativeStructuredOutput = boolean | 'without-tools';

/** A model that speaks. Throws `AgentScopeError` with a `model/…` code; an aborted `signal` throws its reason. */
export interface ChatModel {
  readonly provider: string;
  readonly modelName: string;
  /** Tokens. */
  readonly contextWindow?: number;
  /**
   * Whether `responseFormat` makes the provider keep an answer to a schema: also beside tools (`true`), without tools only, or not at all
   * (left out, or false). Where it does not, the agent asks by a tool.
   */
  readonly nativeStructuredOutput?: NativeStructuredOutput | undefined;
  stream(request: ModelRequest, options?: ModelCallOptions): AsyncIterable<ChatResponseChunk>;
  call(request: ModelRequest, options?: ModelCallOptions): Promise<ChatResponse>;
  /** Prompt tokens of a request. Left out: they are estimated. */
  countTokens?(request: ModelRequest, options?: ModelCallOptions): Awaitable<number>;
}
