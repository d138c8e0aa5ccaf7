import { multiAgentOf } from '../../formatter/index.ts';
import type { FormatOptions, Formatter, MultiAgentFormatterClass } from '../../formatter/index.ts';
import type { Msg } from '../../message/index.ts';
import { ChatFormatter } from '../shared/chat/index.ts';
import type { ChatWireMessage } from '../shared/chat/index.ts';
import { MINIMAX } from './profile.ts';

/**
 * Messages for MiniMax. Its own thinking goes back in the form it came in: the list `reasoning_details`, or between `<think>` tags.
 */
export class MiniMaxFormatter implements Formatter<ChatWireMessage[]> {
  readonly #chat: ChatFormatter = new ChatFormatter(MINIMAX);

  format(messages: readonly Msg[], options: FormatOptions): ChatWireMessage[] {
    return this.#chat.format(messages, options);
  }
}

/** For conversations of several named speakers: what was said is written out between tags with their names, model calls with tools stand as ever. Options: `MultiAgentOptions`. */
export const MiniMaxMultiAgentFormatter: MultiAgentFormatterClass<ChatWireMessage[]> = /* @__PURE__ */ multiAgentOf(MiniMaxFormatter);
