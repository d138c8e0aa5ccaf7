import { AgentScopeError } from '../error/index.ts';
import type { ErrorCode, ErrorDetails, ModelFacts } from '../error/index.ts';
import type { ChatModel, ChatResponseChunk } from './model.ts';
import { modelOf } from './model-of.ts';
import { streamOfTries } from './stream-iterator.ts';
import type { ChunkIterator, TryPolicy } from './stream-iterator.ts';
import { cancellableWait } from './wait.ts';
import type { Sleep } from './wait.ts';

export interface RetryOptions {
  /** Tries in all, the first one included. Default 3. */
  readonly maxAttempts?: number;
  /** Default: errors whose `details.retryable` is true. */
  readonly retryOn?: (error: AgentScopeError) => boolean;
  /** Waits. Default: a timer. For tests. */
  readonly sleep?: Sleep;
  /** From 0 up to 1. Default `Math.random`. For tests. */
  readonly random?: () => number;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;
/** A provider that wants us to wait longer than this is an answer, not a delay. */
const LONGEST_HINT_MS = 60_000;

/**
 * The same model, tried again where that may help, and only before the first content: what a caller has seen is never said twice.
 * Waits 0.5 s doubling to 8 s with full jitter, or as long as the provider asked (up to 60 s; above that it fails at once, with
 * `retryAfterMs` in the details). An abort ends the wait.
 */
export function withRetry(model: ChatModel, options: RetryOptions = {}): ChatModel {
  return modelOf(model, (request, { signal } = {}) => retrying(() => model.stream(request, { signal }), { ...options, signal }));
}

/** One stream over up to `maxAttempts` tries. For models that retry by themselves. */
export function retrying(open: () => AsyncIterable<ChatResponseChunk>, options: RetryOptions & { readonly signal: AbortSignal | undefined }): ChunkIterator {
  return streamOfTries({ open, ...betweenTries(options) });
}

/** The same for a call that gives everything at once. */
export async function retryingCall<T>(call: () => Promise<T>, options: RetryOptions & { readonly signal: AbortSignal | undefined }): Promise<T> {
  const { failed } = betweenTries(options);
  for (let number = 1; ; number++) {
    try {
      return await call();
    } catch (error) {
      await failed(error, number);
    }
  }
}

function betweenTries({ maxAttempts = 3, retryOn = isRetryable, random = Math.random, signal, sleep }: RetryOptions & { readonly signal: AbortSignal | undefined }): Pick<TryPolicy, 'failed' | 'cancel'> {
  const wait = cancellableWait(signal, sleep);
  return {
    async failed(error, number) {
      if (signal?.aborted === true) throw signal.reason;
      if (!AgentScopeError.is(error) || number >= maxAttempts || !retryOn(error)) throw error;
      const ms = waitMs(error, number, random);
      if (ms === undefined) throw error;
      await wait.wait(ms);
    },
    cancel: wait.cancel,
  };
}

/** Every `model/…` error says whether the same request may succeed later. */
function isRetryable(error: AgentScopeError): boolean {
  return (error.details as Partial<ModelFacts>).retryable === true;
}

/** Nothing: not worth the wait. A little jitter on top of a hint too, so that callers refused together do not come back together. */
function waitMs(error: AgentScopeError<ErrorCode>, number: number, random: () => number): number | undefined {
  const { retryAfterMs } = error.details as Partial<ErrorDetails['model/rate-limit']>;
  if (retryAfterMs === undefined) return random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (number - 1));
  return retryAfterMs > LONGEST_HINT_MS ? undefined : retryAfterMs + random() * Math.min(250, retryAfterMs / 10);
}
