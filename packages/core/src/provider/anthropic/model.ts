import { toolNames } from '../../formatter/index.ts';
import type { Formatter } from '../../formatter/index.ts';
import { collectResponse, estimateTokens } from '../../model/index.ts';
import type { ChatModel, ChatModelOptions, ChatResponse, ChatResponseChunk, ModelCallOptions, ModelRequest, NativeStructuredOutput, TokenCounter } from '../../model/index.ts';
import { endpointUrl, httpStreams, readEnv } from '../shared/index.ts';
import type { HttpStreams, Key } from '../shared/index.ts';
import { AnthropicChatFormatter } from './formatter.ts';
import { needsBytes } from './media.ts';
import { requestText } from './request.ts';
import { keepsToSchemas } from './schema.ts';
import { createDecoder } from './response.ts';
import type { AnthropicThinking } from './thinking.ts';

const PROVIDER = 'anthropic';
const KEY_VARIABLE = 'ANTHROPIC_API_KEY';
const TOKEN_VARIABLE = 'ANTHROPIC_AUTH_TOKEN';
const URL_VARIABLE = 'ANTHROPIC_BASE_URL';
const PUBLIC_URL = 'https://api.anthropic.com';
const API_VERSION = '2023-06-01';

export interface AnthropicChatModelOptions extends ChatModelOptions {
  /** Thinking: `adaptive` on models that decide for themselves, `enabled` with `thinkingBudget` (default 4096 tokens) on older ones. Default: `enabled` where a `thinkingBudget` is given, else what the model does by itself. */
  readonly thinking?: AnthropicThinking;
  /** Features under test, sent as `anthropic-beta`. */
  readonly betas?: readonly string[];
}

/**
 * The Messages API of Anthropic (`ANTHROPIC_API_KEY`, else the token `ANTHROPIC_AUTH_TOKEN`), and of every server that speaks it
 * (`baseUrl` or `ANTHROPIC_BASE_URL`, with or without `/v1`).
 */
export class AnthropicChatModel implements ChatModel {
  readonly provider: string = PROVIDER;
  readonly modelName: string;
  readonly nativeStructuredOutput: NativeStructuredOutput;
  readonly #streams: HttpStreams;
  readonly #countTokens: TokenCounter;

  constructor(options: AnthropicChatModelOptions) {
    const { modelName, stream = true, thinking, betas } = options;
    this.modelName = modelName;
    this.nativeStructuredOutput = options.nativeStructuredOutput ?? keepsToSchemas(modelName);
    this.#countTokens = options.countTokens ?? estimateTokens;
    let target: Target | undefined; // made at the first call, when the environment is read
    this.#streams = httpStreams(options, {
      provider: PROVIDER,
      get variable() {
        return readEnv(KEY_VARIABLE) === undefined && readEnv(TOKEN_VARIABLE) !== undefined ? TOKEN_VARIABLE : KEY_VARIABLE;
      },
      needsBytes,
      prepare(request, key) {
        const { url, formatter } = (target ??= targetOf(options));
        const wire = formatter.format(request.messages, { tools: request.tools, modelName });
        return { url, headers: headersOf(key, betas), body: requestText(request, { modelName, stream, thinking, wire }) };
      },
      decoder: ({ tools, ...answer }) => createDecoder({ ...answer, names: toolNames(tools) }),
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

function headersOf({ value, variable }: Key, betas: readonly string[] = []): Record<string, string> {
  return {
    'anthropic-version': API_VERSION,
    ...(value === undefined ? {} : variable === TOKEN_VARIABLE ? { authorization: `Bearer ${value}` } : { 'x-api-key': value }),
    ...(betas.length === 0 ? {} : { 'anthropic-beta': betas.join(',') }),
  };
}

interface Target {
  readonly url: string;
  readonly formatter: Formatter;
}

/** Some tools say the address with `/v1`, some without. */
function targetOf({ baseUrl = readEnv(URL_VARIABLE) ?? PUBLIC_URL, formatter = new AnthropicChatFormatter() }: AnthropicChatModelOptions): Target {
  const path = URL.canParse(baseUrl) ? new URL(baseUrl).pathname.replace(/\/+$/, '') : '';
  const isWhole = path === '' || /\/(?:v\d+\w*|messages)$/.test(path);
  return { url: endpointUrl(baseUrl, isWhole ? '/messages' : '/v1/messages'), formatter };
}
