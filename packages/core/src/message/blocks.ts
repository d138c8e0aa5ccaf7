import type { JsonObject } from '../internal/index.ts';
import type { PermissionRule } from './permission-rule.ts';

export type Role = 'USER' | 'ASSISTANT' | 'SYSTEM' | 'TOOL';
export type ToolCallState = 'pending' | 'asking' | 'allowed' | 'submitted' | 'finished';
export type ToolResultState = 'success' | 'error' | 'interrupted' | 'denied' | 'running';
export type GenerateReason =
  | 'MODEL_STOP'
  | 'TOOL_CALLS'
  | 'STRUCTURED_OUTPUT'
  | 'TOOL_SUSPENDED'
  | 'REASONING_STOP_REQUESTED'
  | 'ACTING_STOP_REQUESTED'
  | 'PERMISSION_ASKING'
  | 'MIDDLEWARE_STOP_REQUESTED'
  | 'ALL_TOOLS_DENIED'
  | 'INTERRUPTED'
  | 'MAX_ITERATIONS';
export type Metadata = JsonObject;

/** One spelling in code; readers take all four of the wire, the Java and Python writers put theirs back. */
export interface URLSource {
  readonly type: 'url';
  readonly url: string;
  readonly mediaType?: string;
}
export interface Base64Source {
  readonly type: 'base64';
  readonly data: string;
  readonly mediaType: string;
}
export type Source = URLSource | Base64Source;

/** Members every block may have beside its content (WIRE §0). */
export interface BlockExtras {
  readonly createdAt?: string;
  readonly finishedAt?: string;
  /** Number of the model call that made the block, within its reply (WIRE F25). Formatters cut turns there. */
  readonly call?: number;
  /** Unknown members, as read. */
  readonly extra?: JsonObject;
}

export interface TextBlock extends BlockExtras {
  readonly type: 'text';
  readonly text: string;
  readonly id?: string;
  readonly metadata?: Metadata;
}
export interface ThinkingBlock extends BlockExtras {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly id?: string;
  readonly metadata?: Metadata;
}
/** Any media: picture, sound, film, file. Told apart by its media type. */
export interface DataBlock extends BlockExtras {
  readonly type: 'data';
  readonly source: Source;
  readonly id?: string;
  readonly name?: string;
  readonly metadata?: Metadata;
}
/** @deprecated AgentScope 1; write a {@link DataBlock}. */
export interface ImageBlock extends BlockExtras {
  readonly type: 'image';
  readonly source: Source;
  readonly minPixels?: number;
  readonly maxPixels?: number;
}
/** @deprecated AgentScope 1; write a {@link DataBlock}. */
export interface AudioBlock extends BlockExtras {
  readonly type: 'audio';
  readonly source: Source;
}
/** @deprecated AgentScope 1; write a {@link DataBlock}. */
export interface VideoBlock extends BlockExtras {
  readonly type: 'video';
  readonly source: Source;
  readonly fps?: number;
  readonly maxFrames?: number;
  readonly minPixels?: number;
  readonly maxPixels?: number;
  readonly totalPixels?: number;
}
export interface ToolUseBlock<Name extends string = string, Input = JsonObject> extends BlockExtras {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: Name;
  /** The parsed arguments; `{}` where they do not parse. */
  readonly input: Input;
  /** The arguments exactly as the model wrote them, also when they do not parse. */
  readonly content: string | null;
  readonly state: ToolCallState;
  readonly metadata: Metadata;
  readonly suggestedRules?: readonly PermissionRule[];
}
export interface ToolResultBlock extends BlockExtras {
  readonly type: 'tool_result';
  /** The id of the call it answers. */
  readonly id: string;
  readonly name: string;
  readonly output: readonly ContentBlock[];
  readonly state: ToolResultState;
  readonly metadata: Metadata;
  /** True when the source had a bare string as output. */
  readonly outputString?: boolean;
}
/** An instruction put into the running loop, shown to the model as user content. */
export interface HintBlock extends BlockExtras {
  readonly type: 'hint';
  readonly id: string;
  readonly hint: string | readonly (TextBlock | DataBlock)[];
  /** Who said it: `'user'` for a steering message, a framework word for a reminder. */
  readonly source: string | null;
}

export type MediaBlock = DataBlock | ImageBlock | AudioBlock | VideoBlock;
export type ContentBlock = TextBlock | ThinkingBlock | MediaBlock | ToolUseBlock | ToolResultBlock | HintBlock;
export type BlockType = ContentBlock['type'];
export type BlockOf<T extends BlockType> = Extract<ContentBlock, { type: T }>;

/** What a user may say. The role rules of the wire are compile errors first, `message/invalid` second. */
export type UserBlock = TextBlock | MediaBlock;

/** Written by hand, a tool block may leave out what has a default. */
export type ContentBlockInit =
  | Exclude<ContentBlock, ToolUseBlock | ToolResultBlock>
  | (Pick<ToolUseBlock, 'type' | 'id' | 'name' | 'input'> & Partial<ToolUseBlock>)
  | (Pick<ToolResultBlock, 'type' | 'id' | 'name'> & { readonly output: string | readonly ContentBlock[] } & Partial<Omit<ToolResultBlock, 'output'>>);

/** A string, a block, or strings and blocks in order; each string becomes a text block. */
export type Content<B = ContentBlockInit> = string | B | readonly (string | B)[];

export interface ChatUsage {
  /** Every prompt token, cached ones included. */
  readonly inputTokens: number;
  /** Reasoning included. */
  readonly outputTokens: number;
  /** Prompt tokens read from the provider's cache; a part of `inputTokens`. */
  readonly cachedTokens?: number;
  /** Prompt tokens written to the provider's cache; a part of `inputTokens`. */
  readonly cacheCreationTokens?: number;
  /** Seconds, as in AgentScope Java. */
  readonly time?: number;
}
