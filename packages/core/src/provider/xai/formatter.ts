import type { FormatOptions, Formatter } from '../../formatter/index.ts';
import type { Msg } from '../../message/index.ts';
import { ChatFormatter } from '../shared/chat/index.ts';
import type { ChatWireMessage } from '../shared/chat/index.ts';
import { XAI } from './profile.ts';

/**
 * Messages for xAI. Thinking does not go back in this protocol.
 */
export class XAIChatFormatter implements Formatter<ChatWireMessage[]> {
  readonly #chat: ChatFormatter = new ChatFormatter(XAI);

  format(messages: readonly Msg[], options: FormatOptions): ChatWireMessage[] {
    return this.#chat.format(messages, options);
  }
}
