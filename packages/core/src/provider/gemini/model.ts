import type { Formatter } from '../../formatter/index.ts';
import { collectResponse } from '../../model/index.ts';
import type { ChatModel, ChatModelOptions, ChatResponse, ChatResponseChunk, ModelCallOptions, ModelRequest, NativeStructuredOutput } from '../../model/index.ts';
import { endpointUrl, httpStreams } from '../shared/index.ts';
import type { HttpStreams } from '../shared/index.ts';
import { baseOf, keyVariable } from './address.ts';
import { KEY_HEADER, withGoogleErrors } from './errors.ts';
import { GeminiChatFormatter } from './formatter.ts';
import { geminiNames } from './names.ts';
import { needsBytes } from './parts.ts';
import { bareName, profileFor } from './profile.ts';
import { requestText } from './request.ts';
import { createDecoder } from './response.ts';

const PROVIDER = 'gemini';

export type GeminiChatModelOptions = ChatModelOptions;

/**
 * Gemini of Google (`GEMINI_API_KEY`, else `GOOGLE_API_KEY`, else `GOOGLE_GENERATIVE_AI_API_KEY`; address `GOOGLE_GEMINI_BASE_URL`).
 * On Vertex AI: `baseUrl` up to `…/publishers/google`, an empty `apiKey`, and the token in `headers`.
 */
export class GeminiChatModel implements ChatModel {
  readonly provider: string = PROVIDER;
  readonly modelName: string;
  readonly nativeStructuredOutput: NativeStructuredOutput;
  readonly #streams: HttpStreams;

  constructor(options: GeminiChatModelOptions) {
    const { modelName } = options;
    this.modelName = modelName;
    this.nativeStructuredOutput = options.nativeStructuredOutput ?? profileFor(modelName).structured;
    let target: Target | undefined; // made at the first call, when the environment is read
    const fetch = withGoogleErrors(() => options.fetch ?? globalThis.fetch, { provider: PROVIDER, variable: () => (options.apiKey === undefined ? keyVariable() : undefined) });
    this.#streams = httpStreams({ ...options, fetch }, {
      provider: PROVIDER,
      get variable() {
        return keyVariable();
      },
      needsBytes,
      prepare(request, key) {
        const { url, formatter } = (target ??= targetOf(options));
        const wire = formatter.format(request.messages, { tools: request.tools, modelName });
        return { url, headers: key.value === undefined ? {} : { [KEY_HEADER]: key.value }, body: requestText(request, { modelName, wire }) };
      },
      decoder: ({ tools, ...answer }) => createDecoder({ ...answer, names: geminiNames(tools), modelName: bareName(modelName) }),
    });
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

function targetOf({ baseUrl, modelName, stream = true, formatter = new GeminiChatFormatter() }: GeminiChatModelOptions): Target {
  return { url: geminiUrl(baseOf(baseUrl), modelName, stream), formatter };
}

/** A name with a path of its own (`tunedModels/…`) keeps it. */
function geminiUrl(base: string, modelName: string, stream: boolean): string {
  const name = modelName.includes('/') ? modelName : `models/${modelName}`;
  const url = new URL(endpointUrl(base, `/${name}:${stream ? 'streamGenerateContent' : 'generateContent'}`));
  if (stream) url.searchParams.set('alt', 'sse');
  return url.href;
}
