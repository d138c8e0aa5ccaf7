import type { Msg } from '../message/index.ts';
import type { FormatOptions, Formatter } from './formatter.ts';
import { createSpeechWriter } from './speakers.ts';
import type { MultiAgentOptions } from './speakers.ts';

export type MultiAgentFormatterClass<Wire, Options extends object = object> = new (options?: Options & MultiAgentOptions) => Formatter<Wire>;

/**
 * The formatter for conversations of several named speakers that belongs to a provider's chat formatter: what was said is written out
 * with its speakers first, and the chat formatter does the rest. It takes the options of both.
 */
export function multiAgentOf<Wire, Options extends object = object>(Chat: new (options?: Options) => Formatter<Wire>): MultiAgentFormatterClass<Wire, Options> {
  return class MultiAgentFormatter implements Formatter<Wire> {
    readonly #write: (messages: readonly Msg[]) => readonly Msg[];
    readonly #chat: Formatter<Wire>;

    constructor(options?: Options & MultiAgentOptions) {
      this.#write = createSpeechWriter(options);
      this.#chat = new Chat(options);
    }

    format(messages: readonly Msg[], options: FormatOptions): Wire {
      return this.#chat.format(this.#write(messages), options);
    }
  };
}
