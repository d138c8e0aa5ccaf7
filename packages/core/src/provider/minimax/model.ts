import type { ChatModel, ChatResponse, ChatResponseChunk, ModelCallOptions, ModelRequest, NativeStructuredOutput } from '../../model/index.ts';
import { createChatModel } from '../shared/chat/index.ts';
import type { ChatServer, CompatibleChatModelOptions } from '../shared/chat/index.ts';
import { MINIMAX } from './profile.ts';

export type MiniMaxChatModelOptions = CompatibleChatModelOptions;

export const SERVER: ChatServer = {
  provider: 'minimax',
  keyVariables: ['MINIMAX_API_KEY'],
  urlVariable: 'MINIMAX_BASE_URL',
  publicUrl: 'https://api.minimaxi.com/v1',
  profileFor: () => MINIMAX,
};

/** MiniMax (`MINIMAX_API_KEY`; another address: `baseUrl` or `MINIMAX_BASE_URL`). */
export class MiniMaxChatModel implements ChatModel {
  readonly provider: string = SERVER.provider;
  readonly modelName: string;
  readonly #chat: ReturnType<typeof createChatModel>;

  constructor(options: MiniMaxChatModelOptions) {
    this.modelName = options.modelName;
    this.#chat = createChatModel(options, SERVER);
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
