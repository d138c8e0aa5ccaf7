import { collectResponse, estimateTokens } from '../../model/index.ts';
import type { ChatModel, ChatResponse, ChatResponseChunk, ModelCallOptions, ModelRequest, NativeStructuredOutput, TokenCounter } from '../../model/index.ts';
import type { HttpStreams } from '../shared/index.ts';
import { compatibleStreams } from './compatible.ts';
import { nativeStreams } from './native.ts';
import type { DashScopeChatModelOptions } from './options.ts';
import { profileFor } from './profile.ts';

const PROVIDER = 'dashscope';

/**
 * Qwen and the other models of DashScope (Alibaba Cloud Model Studio; key `DASHSCOPE_API_KEY`, address `DASHSCOPE_HTTP_BASE_URL`) in its
 * own protocol, at the endpoint for text or for media; with `compatible: true` in the one OpenAI's clients speak.
 */
export class DashScopeChatModel implements ChatModel {
  readonly provider: string = PROVIDER;
  readonly modelName: string;
  readonly nativeStructuredOutput: NativeStructuredOutput;
  readonly #streams: HttpStreams;
  readonly #countTokens: TokenCounter;

  constructor(options: DashScopeChatModelOptions) {
    this.modelName = options.modelName;
    this.nativeStructuredOutput = options.nativeStructuredOutput ?? profileFor(options.modelName).structured;
    this.#countTokens = options.countTokens ?? estimateTokens;
    this.#streams = options.compatible === true ? compatibleStreams(options, PROVIDER) : nativeStreams(options, PROVIDER);
  }

  stream(request: ModelRequest, options?: ModelCallOptions): AsyncIterable<ChatResponseChunk> {
    return this.#streams(request, options);
  }

  call(request: ModelRequest, options?: ModelCallOptions): Promise<ChatResponse> {
    return collectResponse(this.stream(request, options));
  }

  async countTokens(request: ModelRequest, options?: ModelCallOptions): Promise<number> {
    return this.#countTokens(request, options);
  }
}
