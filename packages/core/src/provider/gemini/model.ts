import { collectResponse, retrying } from '../../model/index.ts';
import type { Formatter } from '../../formatter/index.ts';
import type { ChatModel, ChatModelOptions, ChatResponse, ChatResponseChunk, GenerateOptions, ModelCallOptions, ModelRequest } from '../../model/index.ts';
import { createMediaInliner, endpointUrl, networkError, readChunks, readEnv, readKey, scopedStream, send, timeoutError } from '../shared/index.ts';
import type { CallScope, ChunkSource, Key, MediaInliner } from '../shared/index.ts';
import { withGoogleErrors } from './errors.ts';
import { GeminiChatFormatter } from './formatter.ts';
import { geminiNames } from './names.ts';
import { isOwnAddress } from './parts.ts';
import { bareName } from './profile.ts';
import { requestText } from './request.ts';
import { createDecoder } from './response.ts';

const PROVIDER = 'gemini';
const KEY_VARIABLES = ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'] as const;
const URL_VARIABLE = 'GOOGLE_GEMINI_BASE_URL';
const PUBLIC_URL = 'https://generativelanguage.googleapis.com/v1beta';

export type GeminiChatModelOptions = ChatModelOptions;

/**
 * Gemini of Google (`GEMINI_API_KEY`, else `GOOGLE_API_KEY`, else `GOOGLE_GENERATIVE_AI_API_KEY`; address `GOOGLE_GEMINI_BASE_URL`).
 * On Vertex AI: `baseUrl` up to `…/publishers/google`, an empty `apiKey`, and the token in `headers`.
 */
export class GeminiChatModel implements ChatModel {
  readonly provider: string = PROVIDER;
  readonly modelName: string;
  readonly #options: GeminiChatModelOptions;
  /** Made at the first call, when the environment is read. */
  #target: Target | undefined;

  constructor(options: GeminiChatModelOptions) {
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
    const key = await readKey(apiKey, { provider: PROVIDER, variable: KEY_VARIABLES.find((name) => readEnv(name) !== undefined) ?? KEY_VARIABLES[0] });
    const options = { ...this.#options.defaultOptions, ...request.options };
    const messages = await target.inlineMedia(request.messages, scope.signal);
    const url = withQuery(target.url, options.additionalQueryParams);
    const body = this.#body({ ...request, messages, options }, target);
    const response = await send({ provider: PROVIDER, url, headers: this.#headers(key, options), body, key, fetch: withGoogleErrors(fetch, PROVIDER, key) }, scope);
    const { status, headers } = response;
    const decoder = createDecoder({ provider: PROVIDER, status, headers, names: geminiNames(request.tools), key: key.value, modelName: bareName(this.modelName) });
    return readChunks(response.body, { decoder, scope, onBroken: (cause) => networkError(PROVIDER, url, cause) });
  }

  #headers(key: Key, options: GenerateOptions): Record<string, string> {
    return {
      'content-type': 'application/json',
      ...(key.value === undefined ? {} : { 'x-goog-api-key': key.value }),
      ...this.#options.headers,
      ...options.additionalHeaders,
    };
  }

  #body(request: ModelRequest, { formatter }: Target): string {
    const wire = formatter.format(request.messages, { tools: request.tools, modelName: this.modelName });
    return requestText(request, { modelName: this.modelName, wire });
  }
}

interface Target {
  readonly url: string;
  readonly formatter: Formatter;
  readonly inlineMedia: MediaInliner;
}

function targetOf({ baseUrl, modelName, stream = true, formatter = new GeminiChatFormatter(), media }: GeminiChatModelOptions): Target {
  const inlineMedia = createMediaInliner({ needsBytes: (block) => !isOwnAddress(block), policy: media });
  return { url: geminiUrl(baseUrl ?? readEnv(URL_VARIABLE) ?? PUBLIC_URL, modelName, stream), formatter, inlineMedia };
}

/** `/v1beta` is added to a bare host only. A name with a path of its own (`tunedModels/…`) keeps it. */
function geminiUrl(baseUrl: string, modelName: string, stream: boolean): string {
  const base = URL.canParse(baseUrl) && new URL(baseUrl).pathname === '/' ? new URL('/v1beta', baseUrl).href : baseUrl;
  const name = modelName.includes('/') ? modelName : `models/${modelName}`;
  const url = endpointUrl(base, `/${name}:${stream ? 'streamGenerateContent' : 'generateContent'}`);
  return stream ? withQuery(url, { alt: 'sse' }) : url;
}

function withQuery(address: string, query: Readonly<Record<string, string>> = {}): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}
