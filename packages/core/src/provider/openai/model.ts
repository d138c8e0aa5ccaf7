import { AgentScopeError } from '../../error/index.ts';
import type { ChatModel, ChatResponse, ChatResponseChunk, ModelCallOptions, ModelRequest, NativeStructuredOutput } from '../../model/index.ts';
import { createChatModel, defineCompatibleProfile } from '../shared/chat/index.ts';
import type { CompatibleChatModelOptions, CompatibleProfile } from '../shared/chat/index.ts';
import { keepsToSchemas, profileFor, PROFILES } from './profile.ts';
import type { OpenAIProfileName } from './profile.ts';

export interface OpenAIChatModelOptions extends CompatibleChatModelOptions {
  /** What the server accepts: a name that comes with the package, or your own of `defineCompatibleProfile`. Default: by the host. */
  readonly profile?: OpenAIProfileName | CompatibleProfile;
  /**
   * Strict schemas, which make the model keep to them: for tools and structured output whose schema can be strict (`true`, the default at
   * OpenAI for structured output only), or never (`false`, the default elsewhere). Optional fields may then come as null, which counts as left out.
   */
  readonly strict?: boolean;
}

/** Chat Completions of OpenAI (`OPENAI_API_KEY`), and of every server that speaks it (`baseUrl` or `OPENAI_BASE_URL`). */
export class OpenAIChatModel implements ChatModel {
  readonly provider: string;
  readonly modelName: string;
  readonly #chat: ReturnType<typeof createChatModel>;

  /** @throws AgentScopeError `config/invalid` for a profile that is none, or contradicts itself */
  constructor(options: OpenAIChatModelOptions) {
    const profile = options.profile === undefined ? undefined : profileNamed(options.profile);
    this.#chat = createChatModel(options, {
      provider: 'openai',
      keyVariables: ['OPENAI_API_KEY'],
      urlVariable: 'OPENAI_BASE_URL',
      publicUrl: 'https://api.openai.com/v1',
      profileFor: (url) => profile ?? profileFor(url),
      keepsToSchemas,
    });
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

/** A profile written by hand, without `defineCompatibleProfile`, is judged as well. */
function profileNamed(profile: OpenAIProfileName | CompatibleProfile): CompatibleProfile {
  if (typeof profile !== 'string') return defineCompatibleProfile(profile);
  if (Object.hasOwn(PROFILES, profile)) return PROFILES[profile];
  throw new AgentScopeError('config/invalid', `There is no profile "${String(profile)}". There are: ${Object.keys(PROFILES).join(', ')}; or define one with defineCompatibleProfile.`, { details: { option: 'profile' } });
}
