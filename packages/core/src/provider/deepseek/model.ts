import type { ChatModel, ChatResponse, ChatResponseChunk, ModelCallOptions, ModelRequest, NativeStructuredOutput } from '../../model/index.ts';
import { createChatModel } from '../shared/chat/index.ts';
import type { ChatServer, CompatibleChatModelOptions } from '../shared/chat/index.ts';
import { DEEPSEEK } from './profile.ts';

export type DeepSeekChatModelOptions = CompatibleChatModelOptions;

export const SERVER: ChatServer = {
  provider: 'deepseek',
  keyVariables: ['DEEPSEEK_API_KEY'],
  urlVariable: 'DEEPSEEK_BASE_URL',
  publicUrl: 'https://api.deepseek.com',
  profileFor: () => DEEPSEEK,
};

/** DeepSeek (`DEEPSEEK_API_KEY`; another address: `baseUrl` or `DEEPSEEK_BASE_URL`). */
export class DeepSeekChatModel implements ChatModel {
  readonly provider: string = SERVER.provider;
  readonly modelName: string;
  readonly #chat: ReturnType<typeof createChatModel>;

  constructor(options: DeepSeekChatModelOptions) {
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
