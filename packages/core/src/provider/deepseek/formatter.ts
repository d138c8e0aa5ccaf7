import { multiAgentOf } from '../../formatter/index.ts';
import type { FormatOptions, Formatter, MultiAgentFormatterClass } from '../../formatter/index.ts';
import type { Msg } from '../../message/index.ts';
import { ChatFormatter } from '../shared/chat/index.ts';
import type { ChatWireMessage } from '../shared/chat/index.ts';
import { DEEPSEEK } from './profile.ts';

/**
 * Messages for DeepSeek: text only. While the model thinks, its own thinking goes back with every message that calls tools or follows
 * their results (`reasoning_content`, empty where there was none); to the older R1, and while it does not think, never.
 */
export class DeepSeekFormatter implements Formatter<ChatWireMessage[]> {
  readonly #chat: ChatFormatter = new ChatFormatter(DEEPSEEK);

  format(messages: readonly Msg[], options: FormatOptions): ChatWireMessage[] {
    return this.#chat.format(messages, options);
  }
}

/** For conversations of several named speakers: what was said is written out between tags with their names, model calls with tools stand as ever. Options: `MultiAgentOptions`. */
export const DeepSeekMultiAgentFormatter: MultiAgentFormatterClass<ChatWireMessage[]> = /* @__PURE__ */ multiAgentOf(DeepSeekFormatter);
