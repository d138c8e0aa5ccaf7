import type { Awaitable } from '../internal/index.ts';
import type { Msg, MsgData } from '../message/index.ts';

/** What a model is shown of a conversation, under v1's word. */
export interface Memory {
  /** Takes a message in without answering it. */
  addMessage(msg: MsgData): Awaitable<void>;
  /** In context order; a reply is one message, also while it is open. */
  getMessages(): Awaitable<readonly Msg[]>;
}
