import type { Awaitable } from '../internal/index.ts';
import type { Msg, MsgData } from '../message/index.ts';

/** What a model is shown of a conversation, under v1's word. Each method may be async. */
export interface Memory {
  /** Takes a message in, at the end, without answering it. */
  addMessage(msg: MsgData): Awaitable<void>;
  /** In context order; a reply is one message, also while it is open. */
  getMessages(): Awaitable<readonly Msg[]>;
  /** Takes out the message at `index` of `getMessages()`, from 0. Where none stands there, nothing happens. */
  deleteMessage(index: number): Awaitable<void>;
  /** Takes all messages out. */
  clear(): Awaitable<void>;
}
