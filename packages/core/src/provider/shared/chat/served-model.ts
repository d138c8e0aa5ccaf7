import type { ChatModel, ChatResponse, ChatResponseChunk, ModelCallOptions, ModelRequest, NativeStructuredOutput } from '../../../model/index.ts';
import { createChatModel } from './model.ts';
import type { ChatOptions, ChatServer } from './model.ts';

/** The model class of a server that speaks Chat Completions; a provider says which server. */
export abstract class ServedChatModel implements ChatModel {
  readonly provider: string;
  readonly modelName: string;
  readonly #chat: ReturnType<typeof createChatModel>;

  constructor(options: ChatOptions, server: ChatServer) {
    this.#chat = createChatModel(options, server);
    this.provider = this.#chat.provider;
    this.modelName = this.#chat.modelName;
  }

  get nativeStructuredOutput(): NativeStructuredOutput | undefined {
    return this.#chat.nativeStructuredOutput;
  }

  stream(request: ModelRequest, options?: ModelCallOptions): AsyncIterable<ChatResponseChunk> {
    return this.#chat.stream(request, options);
  }

  call(request: ModelRequest, options?: ModelCallOptions): Promise<ChatResponse> {
    return this.#chat.call(request, options);
  }

  async countTokens(request: ModelRequest, options?: ModelCallOptions): Promise<number> {
    return this.#chat.countTokens(request, options);
  }
}
