import type { FormatOptions, Formatter } from '../../formatter/index.ts';
import type { Msg } from '../../message/index.ts';
import { ChatFormatter } from '../shared/chat/index.ts';
import type { ChatWireMessage } from '../shared/chat/index.ts';
import { KIMI } from './profile.ts';

/**
 * Messages for Kimi. While the model thinks, its own thinking stands in every message of the assistant (`reasoning_content`, empty where
 * there was none). Pictures and films go as bytes.
 */
export class KimiFormatter implements Formatter<ChatWireMessage[]> {
  readonly #chat: ChatFormatter = new ChatFormatter(KIMI);

  format(messages: readonly Msg[], options: FormatOptions): ChatWireMessage[] {
    return this.#chat.format(messages, options);
  }
}
