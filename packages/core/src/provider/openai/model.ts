import { collectResponse, estimateTokens } from '../../model/index.ts';
import type { ChatModel, ChatModelOptions, ChatResponse, ChatResponseChunk, ModelCallOptions, ModelRequest, NativeStructuredOutput, TokenCounter } from '../../model/index.ts';
import { chatStreams, chatUrl } from '../shared/chat/index.ts';
import type { ChatServer } from '../shared/chat/index.ts';
import type { HttpStreams } from '../shared/index.ts';
import { OpenAIChatFormatter } from './formatter.ts';
import { keepsToSchemas, profileFor, PROFILES } from './profile.ts';
import type { OpenAIProfileName } from './profile.ts';

const PROVIDER = 'openai';

export interface OpenAIChatModelOptions extends ChatModelOptions {
  /** How the server differs from OpenAI. Default: by its host. */
  readonly profile?: OpenAIProfileName;
  /**
   * Strict schemas, which make the model keep to them: for tools and structured output whose schema can be strict (`true`, the default at
   * OpenAI for structured output only), or never (`false`, the default elsewhere). Optional fields may then come as null, which counts as left out.
   */
  readonly strict?: boolean;
}

/** Chat Completions of OpenAI (`OPENAI_API_KEY`), and of every server that speaks it (`baseUrl` or `OPENAI_BASE_URL`). */
export class OpenAIChatModel implements ChatModel {
  readonly provider: string = PROVIDER;
  readonly modelName: string;
  readonly #options: OpenAIChatModelOptions;
  readonly #server: ChatServer;
  readonly #streams: HttpStreams;
  readonly #countTokens: TokenCounter;

  constructor(options: OpenAIChatModelOptions) {
    this.modelName = options.modelName;
    this.#options = options;
    this.#countTokens = options.countTokens ?? estimateTokens;
    this.#server = serverOf(options.profile);
    this.#streams = chatStreams(options, this.#server);
  }

  get nativeStructuredOutput(): NativeStructuredOutput {
    return this.#options.nativeStructuredOutput ?? keepsToSchemas(this.#server.profileFor(chatUrl(this.#options, this.#server)), this.modelName);
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

function serverOf(profile: OpenAIProfileName | undefined): ChatServer {
  return {
    provider: PROVIDER,
    keyVariable: 'OPENAI_API_KEY',
    urlVariable: 'OPENAI_BASE_URL',
    publicUrl: 'https://api.openai.com/v1',
    profileFor: (url) => (profile === undefined ? profileFor(url) : PROFILES[profile]),
    formatterFor: ({ names, maxIdLength }) => new OpenAIChatFormatter({ names, maxIdLength }),
  };
}
