import type { ChatModel, ChatResponse, ChatResponseChunk, ModelCallOptions, ModelRequest, NativeStructuredOutput } from '../../model/index.ts';
import { createChatModel } from '../shared/chat/index.ts';
import type { ChatServer, CompatibleChatModelOptions } from '../shared/chat/index.ts';
import { KIMI } from './profile.ts';

export type KimiChatModelOptions = CompatibleChatModelOptions;

export const SERVER: ChatServer = {
  provider: 'kimi',
  keyVariables: ['MOONSHOT_API_KEY', 'KIMI_API_KEY'],
  urlVariable: 'MOONSHOT_BASE_URL',
  publicUrl: 'https://api.moonshot.cn/v1',
  profileFor: () => KIMI,
};

/** Kimi of Moonshot (`MOONSHOT_API_KEY`; another address: `baseUrl` or `MOONSHOT_BASE_URL`). */
export class KimiChatModel implements ChatModel {
  readonly provider: string = SERVER.provider;
  readonly modelName: string;
  readonly #chat: ReturnType<typeof createChatModel>;

  constructor(options: KimiChatModelOptions) {
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
