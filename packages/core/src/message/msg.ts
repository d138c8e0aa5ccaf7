import { AgentScopeError } from '../error/index.ts';
import { canonicalJson, newId } from '../internal/index.ts';
import type { Infer, JsonObject, Schema } from '../internal/index.ts';
import type { BlockOf, BlockType, ChatUsage, ContentBlock, GenerateReason, Metadata, Role, ToolResultBlock, ToolUseBlock } from './blocks.ts';
import { readBlocks } from './java2/read-block.ts';
import { msgToJava2 } from './java2/write-msg.ts';
import { readMembers, readObject, readText, readTextOrNull, spellings } from './members.ts';
import type { MsgData, MsgInit } from './msg-data.ts';
import { readReason, reasonOf, STRUCTURED_OUTPUT_KEY, withReason } from './reason.ts';
import { checkRole, readRole } from './role.ts';
import { validated } from './structured.ts';
import { javaTime } from './times.ts';
import { toolCallsOf } from './tool-calls.ts';
import { readUsage } from './usage.ts';

/** The names a message is read by, in code and from Java's JSON. */
export const MSG_NAMES: ReadonlyMap<string, string | null> = spellings(['id', 'name', 'role', 'content', 'metadata', 'timestamp', 'usage', 'generateReason', 'finishedAt', 'originalRole']);

/**
 * One turn, immutable. All it holds is plain data: it survives `JSON` and `structuredClone`, and `Msg.from` or the constructor make a
 * message of it again. `Data` is the type of its structured output, known when it came from a call with a `schema`. */
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

  /**
   * Takes what you write and what `JSON.parse(JSON.stringify(msg))` gives. Strings become text blocks; `role` is read in any case and
   * defaults to `USER`. Lists are copied; `content` and `metadata` are frozen (shallowly). Strict about roles: `parseMsg` repairs.
   *
   * @throws AgentScopeError `message/invalid` with `path` and `rule`: an unknown role or block type, a block its role may not hold
   */
  constructor(init: MsgInit & { readonly role?: Role | Lowercase<Role> }) {
    const { known, extra } = readMembers(init as unknown as Record<string, unknown>, MSG_NAMES);
    this.id = readText(known['id'], 'id', '') || newId();
    this.name = readTextOrNull(known['name'], 'name');
    this.role = known['role'] === undefined ? 'USER' : readRole(known['role']);
    this.content = Object.freeze(readBlocks(known['content'], { path: 'content', unknown: 'invalid' }));
    checkRole(this.role, this.content);
    this.metadata = Object.freeze(withReason(readObject(known['metadata'], 'metadata'), readReason(known['generateReason'])));
    this.timestamp = known['timestamp'] === undefined ? javaTime(Date.now()) : readTextOrNull(known['timestamp'], 'timestamp');
    this.usage = readUsage(known['usage']);
    if (typeof known['finishedAt'] === 'string') this.finishedAt = known['finishedAt'];
    if (typeof known['originalRole'] === 'string') this.originalRole = known['originalRole'];
    if (extra !== undefined) this.extra = extra;
  }

  /** Wraps plain data without copying or checking; an instance is returned as it is. */
  static from(data: MsgData): Msg {
    return data instanceof Msg ? data : (Object.assign(Object.create(Msg.prototype) as object, data) as Msg);
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
   * The structured output. With a Standard Schema it is validated (synchronously); plain JSON Schema only types it, the value comes
   * back as it is.
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
    return schema === undefined ? value : validated(value, schema);
  }

  /** A changed copy with the same id; the role stays. @throws AgentScopeError `message/invalid` as the constructor does */
  with(changes: Partial<MsgInit>): Msg<Data> {
    return new Msg<Data>({ ...this, ...changes, role: this.role });
  }

  /** Whether both say the same, down to every member; which object it is, and in which order members stand, does not matter. */
  equals(other: MsgData): boolean {
    return this === other || this.toKey() === Msg.from(other).toKey();
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
