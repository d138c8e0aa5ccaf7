import type { ChatModel, ChatResponse, ChatResponseChunk, ModelCallOptions, ModelRequest, NativeStructuredOutput } from '../../model/index.ts';
import { createChatModel } from '../shared/chat/index.ts';
import type { ChatServer, CompatibleChatModelOptions } from '../shared/chat/index.ts';
import { GLM } from './profile.ts';

export type GLMChatModelOptions = CompatibleChatModelOptions;

export const SERVER: ChatServer = {
  provider: 'glm',
  keyVariables: ['ZAI_API_KEY', 'GLM_API_KEY', 'ZHIPUAI_API_KEY'],
  urlVariable: 'ZAI_BASE_URL',
  publicUrl: 'https://open.bigmodel.cn/api/paas/v4',
  profileFor: () => GLM,
};

/** GLM of Zhipu and Z.ai (`ZAI_API_KEY`; another address: `baseUrl` or `ZAI_BASE_URL`). */
export class GLMChatModel implements ChatModel {
  readonly provider: string = SERVER.provider;
  readonly modelName: string;
  readonly #chat: ReturnType<typeof createChatModel>;

  constructor(options: GLMChatModelOptions) {
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
