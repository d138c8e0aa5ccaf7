import type { JsonObject } from '../internal/index.ts';
import type { ChatUsage, Content, ContentBlock, ContentBlockInit, GenerateReason, Metadata, Role } from './blocks.ts';

/** What a message is made of; everything but `content` has a default. */
export interface MsgInit<B = ContentBlockInit> {
  /** Who speaks. Default null. */
  readonly name?: string | null;
  readonly content: Content<B>;
  /** Default: a random UUID. */
  readonly id?: string;
  readonly metadata?: Metadata;
  /** UTC, as `yyyy-MM-dd HH:mm:ss.SSS`. Default: now; an explicit null stays null. */
  readonly timestamp?: string | null;
  /** Default null. */
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
  /** When an assistant reply ended, in the form of `timestamp`. */
  readonly finishedAt?: string;
  /** The role as read, where it could not stay: the blocks did not fit it (WIRE §1.1). */
  readonly originalRole?: string;
  /** Unknown members, as read. */
  readonly extra?: JsonObject;
}
