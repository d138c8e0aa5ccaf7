import { AgentScopeError } from '../error/index.ts';
import { newId } from '../internal/index.ts';
import type { Infer, JsonObject, Schema } from '../internal/index.ts';
import type { BlockOf, BlockType, ChatUsage, Content, ContentBlock, ContentBlockInit, GenerateReason, Metadata, Role, ToolResultBlock, ToolUseBlock } from './blocks.ts';

// PLACEHOLDER SHAPE while the message folder is being written; the public face is final.
export interface MsgInit<B = ContentBlockInit> {
  readonly name?: string | null;
  readonly content: Content<B>;
  readonly id?: string;
  readonly metadata?: Metadata;
  readonly timestamp?: string | null;
  readonly usage?: ChatUsage | null;
  /** Kept in metadata under the wire's key; left out for `MODEL_STOP`. */
  readonly generateReason?: GenerateReason;
}

/** A Msg as plain data. Every function that takes a `Msg` takes this too. */
export interface MsgData {
  readonly id: string;
  readonly name: string | null;
  readonly role: Role;
  readonly content: readonly ContentBlock[];
  readonly metadata: Metadata;
  readonly timestamp: string | null;
  readonly usage: ChatUsage | null;
  readonly finishedAt?: string;
  readonly originalRole?: string;
  readonly extra?: JsonObject;
}

export class Msg<Data = unknown> implements MsgData {
  readonly id: string;
  readonly name: string | null;
  readonly role: Role;
  readonly content: readonly ContentBlock[];
  readonly metadata: Metadata;
  readonly timestamp: string | null;
  readonly usage: ChatUsage | null;
  declare readonly finishedAt?: string;
  declare readonly originalRole?: string;
  declare readonly extra?: JsonObject;

  constructor(init: MsgInit & { readonly role?: Role | Lowercase<Role> }) {
    this.id = init.id ?? newId();
    this.name = init.name ?? null;
    this.role = (init.role ?? 'USER').toUpperCase() as Role;
    const list = typeof init.content === 'string' || !Array.isArray(init.content) ? [init.content] : init.content;
    this.content = Object.freeze((list as unknown[]).map((item) => (typeof item === 'string' ? { type: 'text', text: item } : item)) as ContentBlock[]);
    this.metadata = Object.freeze({ ...init.metadata, ...(init.generateReason && init.generateReason !== 'MODEL_STOP' ? { agentscope_generate_reason: init.generateReason } : {}) });
    this.timestamp = init.timestamp ?? null;
    this.usage = init.usage ?? null;
  }

  /** Wraps plain data without copying; an instance is returned as it is. */
  static from(data: MsgData): Msg {
    return data instanceof Msg ? data : (Object.assign(Object.create(Msg.prototype) as object, data) as Msg);
  }

  get generateReason(): GenerateReason {
    return (this.metadata['agentscope_generate_reason'] as GenerateReason | undefined) ?? 'MODEL_STOP';
  }
  getGenerateReason(): GenerateReason {
    return this.generateReason;
  }
  getUsage(): ChatUsage | null {
    return this.usage;
  }
  getChatUsage(): ChatUsage | null {
    return this.usage;
  }
  getTextContent(): string {
    return this.getContentBlocks('text').map((block) => block.text).join('\n');
  }
  getContentBlocks(): readonly ContentBlock[];
  getContentBlocks<T extends BlockType>(type: T): readonly BlockOf<T>[];
  getContentBlocks(type?: BlockType): readonly ContentBlock[] {
    return type === undefined ? this.content : this.content.filter((block) => block.type === type);
  }
  getFirstContentBlock<T extends BlockType>(type: T): BlockOf<T> | undefined {
    return this.content.find((block): block is BlockOf<T> => block.type === type);
  }
  hasContentBlocks(type: BlockType): boolean {
    return this.content.some((block) => block.type === type);
  }
  getToolCalls(): readonly { readonly call: ToolUseBlock; readonly result?: ToolResultBlock }[] {
    throw new Error('being written');
  }
  hasStructuredData(): boolean {
    return '_structured_output' in this.metadata;
  }
  getStructuredData(): Data;
  getStructuredData<S extends Schema>(schema: S): Infer<S>;
  getStructuredData(): unknown {
    if (!this.hasStructuredData()) throw new AgentScopeError('message/no-structured-data', 'No structured data.', { details: { generateReason: this.generateReason } });
    return this.metadata['_structured_output'];
  }
  with(changes: Partial<MsgInit>): Msg<Data> {
    return new Msg<Data>({ ...this, ...changes } as MsgInit);
  }
  toJSON(): JsonObject {
    return { ...this } as unknown as JsonObject;
  }
}
