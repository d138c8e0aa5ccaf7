import { toolNames } from '../../../formatter/index.ts';
import type { Formatter } from '../../../formatter/index.ts';
import { collectResponse } from '../../../model/index.ts';
import type { ChatModel, ChatModelOptions, ChatResponse, ChatResponseChunk, ModelCallOptions, ModelRequest, NativeStructuredOutput } from '../../../model/index.ts';
import { endpointUrl, httpStreams, readEnv } from '../../shared/index.ts';
import type { HttpStreams } from '../../shared/index.ts';
import { OpenAIResponsesFormatter } from './formatter.ts';
import { keepsToSchemas, profileFor } from '../profile.ts';
import { requestText } from './request.ts';
import { createDecoder } from './response.ts';

const PROVIDER = 'openai';
const KEY_VARIABLE = 'OPENAI_API_KEY';
const URL_VARIABLE = 'OPENAI_BASE_URL';
const OPENAI_HOST = 'api.openai.com';
const PUBLIC_URL = `https://${OPENAI_HOST}/v1`;

export interface OpenAIResponsesModelOptions extends ChatModelOptions {
  /** Let the server keep its answers. Default false: nothing is kept, and reasoning comes and goes encrypted. */
  readonly store?: boolean;
  /** Ask for summaries of the reasoning, which then come as thinking. Default: none. OpenAI gives them to verified organisations only. */
  readonly reasoningSummary?: 'auto' | 'concise' | 'detailed';
  /**
   * Strict schemas, which make the model keep to them: for tools and structured output whose schema can be strict (`true`, the default at
   * OpenAI for structured output only), or never (`false`, the default elsewhere). Optional fields may then come as null, which counts as left out.
   */
  readonly strict?: boolean;
}

/** The Responses API of OpenAI (`OPENAI_API_KEY`), and of every server that speaks it (`baseUrl` or `OPENAI_BASE_URL`). */
export class OpenAIResponsesModel implements ChatModel {
  readonly provider: string = PROVIDER;
  readonly modelName: string;
  readonly #options: OpenAIResponsesModelOptions;
  readonly #streams: HttpStreams;

  constructor(options: OpenAIResponsesModelOptions) {
    const { modelName, stream = true, store = false, reasoningSummary, strict } = options;
    this.modelName = modelName;
    this.#options = options;
    let target: Target | undefined; // made at the first call, when the environment is read
    this.#streams = httpStreams(options, {
      provider: PROVIDER,
      variable: KEY_VARIABLE,
      prepare(request, key) {
        const { url, formatter } = (target ??= targetOf(options));
        const input = formatter.format(request.messages, { tools: request.tools, modelName });
        const body = requestText(request, { modelName, stream, store, reasoningSummary, input, strict: { tools: strict === true, format: strict ?? new URL(url).hostname === OPENAI_HOST } });
        return { url, headers: key.value === undefined ? {} : { authorization: `Bearer ${key.value}` }, body };
      },
      decoder: ({ tools, ...answer }) => createDecoder({ ...answer, names: toolNames(tools), modelName }),
    });
  }

  get nativeStructuredOutput(): NativeStructuredOutput {
    return this.#options.nativeStructuredOutput ?? keepsToSchemas(profileFor(urlOf(this.#options)), this.modelName);
  }

  stream(request: ModelRequest, options?: ModelCallOptions): AsyncIterable<ChatResponseChunk> {
    return this.#streams(request, options);
  }

  call(request: ModelRequest, options?: ModelCallOptions): Promise<ChatResponse> {
    return collectResponse(this.stream(request, options));
  }
}

interface Target {
  readonly url: string;
  readonly formatter: Formatter;
}

function targetOf(options: OpenAIResponsesModelOptions): Target {
  const { store = false, formatter = new OpenAIResponsesFormatter({ store }) } = options;
  return { url: urlOf(options), formatter };
}

function urlOf({ baseUrl }: OpenAIResponsesModelOptions): string {
  return endpointUrl(baseUrl ?? readEnv(URL_VARIABLE) ?? PUBLIC_URL, '/responses');
}
