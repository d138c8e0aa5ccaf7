import { toolNames } from '../../formatter/index.ts';
import type { Formatter } from '../../formatter/index.ts';
import { collectResponse, estimateTokens } from '../../model/index.ts';
import type { ChatModel, ChatModelOptions, ChatResponse, ChatResponseChunk, ModelCallOptions, ModelRequest, NativeStructuredOutput, TokenCounter } from '../../model/index.ts';
import { endpointUrl, httpStreams, readEnv } from '../shared/index.ts';
import type { FullRequest, HttpStreams } from '../shared/index.ts';
import { OpenAIChatFormatter } from './formatter.ts';
import { needsBytes } from './media.ts';
import { keepsToSchemas, profileFor, PROFILES } from './profile.ts';
import type { OpenAIProfile, OpenAIProfileName } from './profile.ts';
import { requestText } from './request.ts';
import { createDecoder } from './response.ts';

const PROVIDER = 'openai';
const KEY_VARIABLE = 'OPENAI_API_KEY';
const URL_VARIABLE = 'OPENAI_BASE_URL';
const PUBLIC_URL = 'https://api.openai.com/v1';

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
  readonly #streams: HttpStreams;
  readonly #countTokens: TokenCounter;

  constructor(options: OpenAIChatModelOptions) {
    const { modelName, stream = true, strict } = options;
    this.modelName = modelName;
    this.#options = options;
    this.#countTokens = options.countTokens ?? estimateTokens;
    let target: Target | undefined; // made at the first call, when the environment is read
    this.#streams = httpStreams(options, {
      provider: PROVIDER,
      variable: KEY_VARIABLE,
      needsBytes,
      prepare(request, key) {
        target ??= targetOf(options);
        const { url, profile } = target;
        const body = requestText(request, { modelName, stream, profile, strict, messages: format(request, modelName, target.formatter) });
        return { url, headers: key.value === undefined ? {} : { authorization: `Bearer ${key.value}` }, body };
      },
      decoder: ({ tools, ...answer }) => createDecoder({ ...answer, names: toolNames(tools) }),
    });
  }

  get nativeStructuredOutput(): NativeStructuredOutput {
    return this.#options.nativeStructuredOutput ?? keepsToSchemas(profileOf(this.#options, urlOf(this.#options)), this.modelName);
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

function format({ messages, tools }: FullRequest, modelName: string, formatter: Formatter): unknown {
  return formatter.format(messages, { tools, modelName });
}

interface Target {
  readonly url: string;
  readonly profile: OpenAIProfile;
  readonly formatter: Formatter;
}

function targetOf(options: OpenAIChatModelOptions): Target {
  const url = urlOf(options);
  const profile = profileOf(options, url);
  return { url, profile, formatter: options.formatter ?? new OpenAIChatFormatter(profile) };
}

function urlOf({ baseUrl }: OpenAIChatModelOptions): string {
  return endpointUrl(baseUrl ?? readEnv(URL_VARIABLE) ?? PUBLIC_URL, '/chat/completions');
}

function profileOf({ profile }: OpenAIChatModelOptions, url: string): OpenAIProfile {
  return profile === undefined ? profileFor(url) : PROFILES[profile];
}
