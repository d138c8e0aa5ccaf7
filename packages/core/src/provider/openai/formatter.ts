import { multiAgentOf } from '../../formatter/index.ts';
import type { FormatOptions, Formatter, MultiAgentFormatterClass } from '../../formatter/index.ts';
import type { Msg } from '../../message/index.ts';
import { ChatFormatter } from '../shared/chat/index.ts';
import type { ChatWireMessage } from '../shared/chat/index.ts';
import { PROFILES } from './profile.ts';

/** A message of the Chat Completions API. */
export type OpenAIWireMessage = ChatWireMessage;

export interface OpenAIFormatterOptions {
  /** Send speakers' names, cleaned to what the API takes. Default true. */
  readonly names?: boolean;
  /** Characters of a tool call id. Default 40, OpenAI's limit. */
  readonly maxIdLength?: number;
}

/**
 * Messages for Chat Completions. Each message of a turn that did not change is the same frozen object as last time.
 *
 * Thinking is not sent back; media of tools come as one user message behind their results; what the API cannot take (films, media an
 * assistant made) becomes a note.
 */
export class OpenAIChatFormatter implements Formatter<OpenAIWireMessage[]> {
  readonly #chat: ChatFormatter;

  constructor(options: OpenAIFormatterOptions = {}) {
    const { names, maxIdLength } = { ...PROFILES.openai, ...options };
    this.#chat = new ChatFormatter({ ...PROFILES.openai, names, maxIdLength });
  }

  format(messages: readonly Msg[], options: FormatOptions): OpenAIWireMessage[] {
    return this.#chat.format(messages, options);
  }
}

/** For conversations of several named speakers: what was said is written out between tags with their names, model calls with tools stand as ever. Options: those of the chat formatter and `MultiAgentOptions`. */
export const OpenAIMultiAgentFormatter: MultiAgentFormatterClass<OpenAIWireMessage[], OpenAIFormatterOptions> = /* @__PURE__ */ multiAgentOf(OpenAIChatFormatter);
