import type { Formatter } from '../formatter/index.ts';
import type { Awaitable } from '../internal/index.ts';
import type { MediaPolicy } from './media-policy.ts';
import type { GenerateOptions, NativeStructuredOutput } from './model.ts';
import type { TokenCounter } from './tokens.ts';

/** What every provider's model takes. */
export interface ChatModelOptions {
  readonly modelName: string;
  /**
   * The key, or a function that fetches it (asked before every model call). Default: the provider's own variable, read at the first
   * call. An empty text sends none, for servers that want none.
   */
  readonly apiKey?: string | (() => Awaitable<string>) | undefined;
  /** Default: the provider's own variable, else its public address. */
  readonly baseUrl?: string | undefined;
  /** Ask for a stream. Default true; false: one answer, whole, through the same methods. */
  readonly stream?: boolean;
  /** Taken where a call does not say otherwise. */
  readonly defaultOptions?: GenerateOptions;
  /** Default: the provider's chat formatter. */
  readonly formatter?: Formatter;
  /** Added to every request; they win over ours. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /**
   * Milliseconds without a byte before a try fails with `model/timeout`. Default 60 000; `Infinity` turns it off. Any byte counts as
   * life, keep-alive comments too.
   */
  readonly timeoutMs?: number;
  /** Milliseconds for the whole of a try, from the request to the last byte, whatever comes. Past it: `model/timeout`. Default: no limit. */
  readonly totalTimeoutMs?: number;
  /** Whether the model keeps an answer to a schema by itself; see `ChatModel`. Default: what is known of the server and the model's name. */
  readonly nativeStructuredOutput?: NativeStructuredOutput | undefined;
  /** Counts the prompt tokens of a request exactly. Default: an estimate. */
  readonly countTokens?: TokenCounter;
  /** What may be downloaded where the provider wants bytes. */
  readonly media?: MediaPolicy;
  /** Further tries after a failure that may pass, before the first content only. Default 2. */
  readonly maxRetries?: number;
}
