import { multiAgentOf } from '../../formatter/index.ts';
import type { FormatOptions, Formatter, MultiAgentFormatterClass } from '../../formatter/index.ts';
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

/** For conversations of several named speakers: what was said is written out between tags with their names, model calls with tools stand as ever. Options: `MultiAgentOptions`. */
export const XAIMultiAgentFormatter: MultiAgentFormatterClass<ChatWireMessage[]> = /* @__PURE__ */ multiAgentOf(XAIChatFormatter);
