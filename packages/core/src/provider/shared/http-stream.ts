import type { MediaBlock } from '../../message/index.ts';
import { retrying } from '../../model/index.ts';
import type { ChatModelOptions, ChunkIterator, GenerateOptions, ModelCallOptions, ModelErrorCode, ModelRequest } from '../../model/index.ts';
import type { AnswerOf } from './answer-head.ts';
import { scopedStream } from './call-scope.ts';
import type { CallScope, ChunkSource } from './call-scope.ts';
import { refusesForcedChoice, withFreeChoice } from './forced-choice.ts';
import { networkError, send, timeoutError, tooLongError } from './http.ts';
import { createMediaInliner } from './media/inline-media.ts';
import { readChunks } from './read-stream.ts';
import type { Decoder } from './read-stream.ts';
import { readKey } from './settings.ts';
import type { Key } from './settings.ts';

/** What one provider adds to a call over HTTP; all of it pure. */
export interface HttpProvider {
  readonly provider: string;
  /** The environment variable of the key. */
  readonly variable: string;
  /** False where a server mostly wants no key: none is no error then. Default true. */
  readonly needsKey?: boolean;
  /** Media that have to be bytes in a request. Left out: addresses are sent as they are. */
  readonly needsBytes?: (block: MediaBlock, isAnswer: boolean) => boolean;
  /** One call, ready to send. `request.options` holds the defaults of the model too. */
  prepare(request: FullRequest, key: Key): HttpCall;
  /** Reads the answer. */
  decoder(answer: AnswerOf): Decoder;
}

export type FullRequest = ModelRequest & { readonly options: GenerateOptions };

export interface HttpCall {
  readonly url: string;
  /** Without `content-type`, and without those of the user, which are added. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What the provider's own error codes mean, where its words do not tell. */
  readonly errorCodes?: Readonly<Record<string, ModelErrorCode>> | undefined;
}

export type HttpStreams = (request: ModelRequest, options?: ModelCallOptions) => ChunkIterator;

/**
 * The streams of a chat model over HTTP, with everything no provider differs in: default options, key, media, retries, time-outs,
 * aborts, typed errors. Nothing is sent before the first chunk is asked for. Where a server refuses a forced tool choice because its
 * model thinks, the same request goes out again with the choice left free, and later ones do so at once.
 */
export function httpStreams(options: ChatModelOptions, provider: HttpProvider): HttpStreams {
  const { timeoutMs = 60_000, totalTimeoutMs = Infinity, maxRetries = 2 } = options;
  const inline = provider.needsBytes === undefined ? undefined : createMediaInliner({ needsBytes: provider.needsBytes, policy: options.media });
  let isFree = false;
  const open = async (request: ModelRequest, scope: CallScope): Promise<ChunkSource> => {
    const messages = inline === undefined ? request.messages : await inline(request.messages, scope.signal);
    scope.touch();
    const full = { ...request, messages, options: { ...options.defaultOptions, ...request.options } };
    try {
      return await openCall(isFree ? withFreeChoice(full) : full, { options, provider, scope });
    } catch (error) {
      if (isFree || scope.signal.aborted || !refusesForcedChoice(error, request)) throw error;
      const source = await openCall(withFreeChoice(full), { options, provider, scope });
      isFree = true; // remembered once it has helped
      return source;
    }
  };
  const scopeOf = (signal: AbortSignal | undefined): Parameters<typeof scopedStream>[0] => ({
    signal,
    timeoutMs,
    totalTimeoutMs,
    onTimeout: () => timeoutError(provider.provider, timeoutMs),
    onTotalTimeout: () => tooLongError(provider.provider, totalTimeoutMs),
  });
  return (request, { signal } = {}) => retrying(() => scopedStream(scopeOf(signal), (scope) => open(request, scope)), { signal, maxAttempts: maxRetries + 1 });
}

interface Opening {
  readonly options: ChatModelOptions;
  readonly provider: HttpProvider;
  readonly scope: CallScope;
}

async function openCall(request: FullRequest, { options, provider: { provider, variable, needsKey, prepare, decoder }, scope }: Opening): Promise<ChunkSource> {
  const key = await readKey(options.apiKey, { provider, variable, needsKey });
  const call = prepare(request, key);
  const url = withQuery(call.url, request.options.additionalQueryParams);
  const headers = { 'content-type': 'application/json', ...call.headers, ...options.headers, ...request.options.additionalHeaders };
  const response = await send({ provider, url, headers, body: call.body, key, errorCodes: call.errorCodes, fetch: options.fetch ?? globalThis.fetch }, scope);
  const answer = { provider, status: response.status, headers: response.headers, request, tools: request.tools, key: key.value };
  return readChunks(response.body, { decoder: decoder(answer), scope, onBroken: (cause) => networkError(provider, url, cause) });
}

function withQuery(address: string, params: Readonly<Record<string, string>> | undefined): string {
  if (params === undefined) return address;
  const url = new URL(address);
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  return url.href;
}
