import { AgentScopeError } from '../error/index.ts';
import { canonicalJson } from '../internal/index.ts';
import type { Infer, JsonObject, Schema } from '../internal/index.ts';
import type { BlockOf, BlockType, ChatUsage, ContentBlock, GenerateReason, Metadata, Role, ToolResultBlock, ToolUseBlock } from './blocks.ts';
import { msgToJava2 } from './java2/write-msg.ts';
import type { MsgData } from './msg-data.ts';
import { reasonOf, STRUCTURED_OUTPUT_KEY } from './reason.ts';
import { notedOutput, validated } from './structured.ts';
import { toolCallsOf } from './tool-calls.ts';

/**
 * A message as it is read: everything but making one and changing it, which is {@link Msg}. It is apart because a page that shows
 * what a fold tells reads messages only, and the reader of a constructor would cost it more than all of this.
 */
export class MsgView<Data = unknown> implements MsgData {
  declare readonly id: string;
  declare readonly name: string | null;
  declare readonly role: Role;
  declare readonly content: readonly ContentBlock[];
  declare readonly metadata: Metadata;
  declare readonly timestamp: string | null;
  declare readonly usage: ChatUsage | null;
  declare readonly finishedAt?: string;
  declare readonly originalRole?: string;
  declare readonly extra?: JsonObject;

  protected constructor() {}

  /** Wraps plain data without copying or checking; an instance is returned as it is. */
  static from(data: MsgData): MsgView {
    return data instanceof MsgView ? data : (Object.assign(Object.create(MsgView.prototype) as object, data) as MsgView);
  }

  /** How the reply ended; `MODEL_STOP` for anything else. The one thing to look at after `call`. */
  get generateReason(): GenerateReason {
    return reasonOf(this.metadata);
  }
  /** The same under AgentScope Java's name. */
  getGenerateReason(): GenerateReason {
    return this.generateReason;
  }
  /** Tokens of all model calls of the reply; null where no provider said. */
  getUsage(): ChatUsage | null {
    return this.usage;
  }
  /** The same under AgentScope Java's older name. */
  getChatUsage(): ChatUsage | null {
    return this.usage;
  }

  /** All text blocks joined by a newline, `''` if there are none. */
  getTextContent(): string {
    return this.getContentBlocks('text')
      .map((block) => block.text)
      .join('\n');
  }
  /** The blocks of one type in order; without a type, all of them. */
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
  /** Each call beside its result, in the order of the calls: what a page renders as one card. */
  getToolCalls(): readonly { readonly call: ToolUseBlock; readonly result?: ToolResultBlock }[] {
    return toolCallsOf(this.content);
  }

  hasStructuredData(): boolean {
    return Object.hasOwn(this.metadata, STRUCTURED_OUTPUT_KEY);
  }
  /**
   * The structured output. A message that a call with a schema gave back holds what the schema let through (a Date, say); any other
   * one holds it as JSON, which a Standard Schema given here reads again (synchronously). Plain JSON Schema only types it.
   *
   * @throws AgentScopeError `message/no-structured-data` with `generateReason`, when the reply paused or stopped before it had any;
   *   `message/invalid` when the schema does not let it through
   */
  getStructuredData(): Data;
  getStructuredData<S extends Schema>(schema: S): Infer<S>;
  getStructuredData(schema?: Schema): unknown {
    if (!this.hasStructuredData()) {
      const { generateReason } = this;
      throw new AgentScopeError('message/no-structured-data', `The message has no structured data (it ended with ${generateReason}). Ask hasStructuredData() first, or call with a schema.`, {
        details: { generateReason },
      });
    }
    const value = this.metadata[STRUCTURED_OUTPUT_KEY];
    if (schema !== undefined) return validated(value, schema);
    const noted = notedOutput(this);
    return noted === undefined ? value : noted.value;
  }

  /** Whether both say the same, down to every member; which object it is, and in which order members stand, does not matter. */
  equals(other: MsgData): boolean {
    return this === other || this.toKey() === MsgView.from(other).toKey();
  }
  /** A text that is equal for equal messages, and only for these: the key for a `Map` or a `Set`, which look at identity otherwise. */
  toKey(): string {
    return canonicalJson(this);
  }

  /** The extended Java form: `JSON.stringify(msg)`, the journal and the wire are one (WIRE §0). */
  toJSON(): JsonObject {
    return msgToJava2(this, { extensions: true });
  }
}
