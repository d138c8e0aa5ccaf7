import { multiAgentOf } from '../../formatter/index.ts';
import type { FormatOptions, Formatter, MultiAgentFormatterClass } from '../../formatter/index.ts';
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

/** For conversations of several named speakers: what was said is written out between tags with their names, model calls with tools stand as ever. Options: `MultiAgentOptions`. */
export const KimiMultiAgentFormatter: MultiAgentFormatterClass<ChatWireMessage[]> = /* @__PURE__ */ multiAgentOf(KimiFormatter);
