import { toolNames } from '../../formatter/index.ts';
import type { Formatter } from '../../formatter/index.ts';
import { collectResponse, retrying } from '../../model/index.ts';
import type { ChatModel, ChatModelOptions, ChatResponse, ChatResponseChunk, GenerateOptions, ModelCallOptions, ModelRequest } from '../../model/index.ts';
import { endpointUrl, networkError, readEnv, readKey, readChunks, scopedStream, send, timeoutError } from '../shared/index.ts';
import type { CallScope, ChunkSource, Key } from '../shared/index.ts';
import { OpenAIChatFormatter } from './formatter.ts';
import { profileFor, PROFILES } from './profile.ts';
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
}

/** Chat Completions of OpenAI (`OPENAI_API_KEY`), and of every server that speaks it (`baseUrl` or `OPENAI_BASE_URL`). */
export class OpenAIChatModel implements ChatModel {
  readonly provider: string = PROVIDER;
  readonly modelName: string;
  readonly #options: OpenAIChatModelOptions;
  /** Made at the first call, when the environment is read. */
  #target: Target | undefined;

  constructor(options: OpenAIChatModelOptions) {
    this.modelName = options.modelName;
    this.#options = options;
  }

  stream(request: ModelRequest, { signal }: ModelCallOptions = {}): AsyncIterable<ChatResponseChunk> {
    const { timeoutMs = 60_000, maxRetries = 2 } = this.#options;
    const scope = { signal, timeoutMs, onTimeout: () => timeoutError(PROVIDER, timeoutMs) };
    return retrying(() => scopedStream(scope, (call) => this.#open(request, call)), { signal, maxAttempts: maxRetries + 1 });
  }

  call(request: ModelRequest, options?: ModelCallOptions): Promise<ChatResponse> {
    return collectResponse(this.stream(request, options));
  }

  async #open(request: ModelRequest, scope: CallScope): Promise<ChunkSource> {
    const { apiKey, fetch = globalThis.fetch } = this.#options;
    const target = (this.#target ??= targetOf(this.#options));
    const key = await readKey(apiKey, { provider: PROVIDER, variable: KEY_VARIABLE });
    const { url } = target;
    const full = { ...request, options: { ...this.#options.defaultOptions, ...request.options } };
    const response = await send({ provider: PROVIDER, url, headers: this.#headers(key, full.options), body: this.#body(full, target), key, fetch }, scope);
    const { status, headers } = response;
    const decoder = createDecoder({ provider: PROVIDER, status, headers, names: toolNames(request.tools), key: key.value });
    return readChunks(response.body, { decoder, scope, onBroken: (cause) => networkError(PROVIDER, url, cause) });
  }

  #headers(key: Key, options: GenerateOptions): Record<string, string> {
    return {
      'content-type': 'application/json',
      ...(key.value === undefined ? {} : { authorization: `Bearer ${key.value}` }),
      ...this.#options.headers,
      ...options.additionalHeaders,
    };
  }

  #body(request: ModelRequest, { formatter, profile }: Target): string {
    const messages = formatter.format(request.messages, { tools: request.tools, modelName: this.modelName });
    return requestText(request, { modelName: this.modelName, stream: this.#options.stream ?? true, profile, messages });
  }
}

interface Target {
  readonly url: string;
  readonly profile: OpenAIProfile;
  readonly formatter: Formatter;
}

function targetOf(options: OpenAIChatModelOptions): Target {
  const url = endpointUrl(options.baseUrl ?? readEnv(URL_VARIABLE) ?? PUBLIC_URL, '/chat/completions');
  const profile = options.profile === undefined ? profileFor(url) : PROFILES[options.profile];
  return { url, profile, formatter: options.formatter ?? new OpenAIChatFormatter(profile) };
}
