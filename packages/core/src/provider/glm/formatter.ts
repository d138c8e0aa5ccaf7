import { multiAgentOf } from '../../formatter/index.ts';
import type { FormatOptions, Formatter, MultiAgentFormatterClass } from '../../formatter/index.ts';
import type { Msg } from '../../message/index.ts';
import { ChatFormatter } from '../shared/chat/index.ts';
import type { ChatWireMessage } from '../shared/chat/index.ts';
import { GLM } from './profile.ts';

/**
 * Messages for GLM. Its own thinking goes back with messages that call tools or follow their results. Only vision models take media.
 */
export class GLMFormatter implements Formatter<ChatWireMessage[]> {
  readonly #chat: ChatFormatter = new ChatFormatter(GLM);

  format(messages: readonly Msg[], options: FormatOptions): ChatWireMessage[] {
    return this.#chat.format(messages, options);
  }
}

/** For conversations of several named speakers: what was said is written out between tags with their names, model calls with tools stand as ever. Options: `MultiAgentOptions`. */
export const GLMMultiAgentFormatter: MultiAgentFormatterClass<ChatWireMessage[]> = /* @__PURE__ */ multiAgentOf(GLMFormatter);
