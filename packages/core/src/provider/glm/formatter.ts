import type { FormatOptions, Formatter } from '../../formatter/index.ts';
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
