import { toolNames } from '../../formatter/index.ts';
import type { Formatter } from '../../formatter/index.ts';
import { collectResponse, estimateTokens } from '../../model/index.ts';
import type { ChatModel, ChatModelOptions, ChatResponse, ChatResponseChunk, ModelCallOptions, ModelRequest, NativeStructuredOutput, TokenCounter } from '../../model/index.ts';
import { httpStreams } from '../shared/index.ts';
import type { HttpStreams } from '../shared/index.ts';
import { ollamaUrl } from './address.ts';
import { withOllamaErrors } from './errors.ts';
import { OllamaChatFormatter } from './formatter.ts';
import { needsBytes } from './media.ts';
import { ignoredIn, requestText } from './request.ts';
import { createDecoder } from './response.ts';
import type { OllamaThink } from './think.ts';

const PROVIDER = 'ollama';
const KEY_VARIABLE = 'OLLAMA_API_KEY';
/** A model that is not in memory is loaded first, which may take minutes without a byte. */
const TIMEOUT_MS = 300_000;

export interface OllamaChatModelOptions extends ChatModelOptions {
  /**
   * Tokens of context the server keeps for this model (`num_ctx`). Its own default is small, and a prompt that is longer is cut
   * **without a word**: set it to what your conversations need and your memory holds. It is the model's `contextWindow` too.
   */
  readonly numCtx?: number | undefined;
  /** How long the model stays in memory after a call: seconds, or text with a unit (`'10m'`); 0 unloads it at once, -1 keeps it. Default: the server's, 5 minutes. */
  readonly keepAlive?: string | number | undefined;
  /** Thinking where a call does not say it by `reasoningEffort` or `thinkingBudget`. Default: the model's own. A model without thinking refuses `true`. */
  readonly think?: OllamaThink | undefined;
  /** Milliseconds without a byte before a try fails with `model/timeout`. Default 300 000: a model may have to be loaded first. */
  readonly timeoutMs?: number;
}

/**
 * Models of an Ollama server in its own protocol (`/api/chat`): on this machine, or where `baseUrl`, `OLLAMA_BASE_URL` or `OLLAMA_HOST` says. No key is
 * needed there; `apiKey` or `OLLAMA_API_KEY` is sent to the hosted service.
 */
export class OllamaChatModel implements ChatModel {
  readonly provider: string = PROVIDER;
  readonly modelName: string;
  readonly contextWindow?: number;
  readonly nativeStructuredOutput: NativeStructuredOutput;
  readonly #streams: HttpStreams;
  readonly #countTokens: TokenCounter;

  constructor(options: OllamaChatModelOptions) {
    const { modelName, stream = true, timeoutMs = TIMEOUT_MS, numCtx, keepAlive, think } = options;
    this.modelName = modelName;
    this.nativeStructuredOutput = options.nativeStructuredOutput ?? 'without-tools';
    if (numCtx !== undefined) this.contextWindow = numCtx;
    this.#countTokens = options.countTokens ?? estimateTokens;
    const fetch = withOllamaErrors(() => options.fetch ?? globalThis.fetch, { provider: PROVIDER, modelName });
    const formatter: Formatter = options.formatter ?? new OllamaChatFormatter();
    let url: string | undefined; // made at the first call, when the environment is read
    this.#streams = httpStreams({ ...options, timeoutMs, fetch }, {
      provider: PROVIDER,
      variable: KEY_VARIABLE,
      needsKey: false,
      needsBytes,
      prepare(request, key) {
        url ??= ollamaUrl(options.baseUrl, 'chat');
        const messages = formatter.format(request.messages, { tools: request.tools, modelName });
        return { url, headers: key.value === undefined ? {} : { authorization: `Bearer ${key.value}` }, body: requestText(request, { modelName, stream, keepAlive, numCtx, think, messages }) };
      },
      decoder: ({ tools, request, ...answer }) => createDecoder({ ...answer, names: toolNames(tools), ignored: ignoredIn(request) }),
    });
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
