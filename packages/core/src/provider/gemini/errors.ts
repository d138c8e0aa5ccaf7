import type { AgentScopeError } from '../../error/index.ts';
import { isObject } from '../../internal/index.ts';
import { providerError } from '../../model/index.ts';

export interface GoogleFailure {
  readonly provider: string;
  readonly status: number;
  readonly headers: Headers;
  /** Text or parsed JSON; a list of one where a stream was asked for without `alt=sse`. */
  readonly body: unknown;
  readonly variable?: string | undefined;
  readonly key?: string | undefined;
}

/**
 * Google's errors (`google.rpc.Status`): the wait stands in the body, a spent day looks like a busy minute, a wrong key like a wrong
 * request.
 */
export function googleError(failure: GoogleFailure): AgentScopeError {
  const error = errorIn(failure.body);
  if (error === undefined) return providerError(failure);
  const details = Array.isArray(error['details']) ? error['details'].filter(isObject) : [];
  const { code } = error;
  const status = failure.status < 400 && typeof code === 'number' && code >= 400 ? code : failure.status;
  return providerError({ ...failure, status, headers: withWait(failure.headers, details), body: { error: { message: error['message'], ...wordsOf(error, details) } } });
}

/** The error in a body or a frame, if it holds one. */
export function errorIn(body: unknown): Record<string, unknown> | undefined {
  const value: unknown = typeof body === 'string' ? parse(body) : body;
  const object: unknown = Array.isArray(value) ? value[0] : value;
  return isObject(object) && isObject(object['error']) ? object['error'] : undefined;
}

/** The provider's own code, and in `type` a word the shared table of error words knows. */
function wordsOf(error: Record<string, unknown>, details: readonly Record<string, unknown>[]): { code?: unknown; type?: unknown } {
  const status = error['status'] ?? error['code'];
  if (details.some(({ reason }) => reason === 'API_KEY_INVALID')) return { code: 'API_KEY_INVALID', type: 'unauthorized' };
  if (details.some(isSpentDay)) return { code: status, type: 'quota_exceeded' };
  return { code: status };
}

/** A quota of the day comes back tomorrow, whatever wait the same body names. */
function isSpentDay(detail: Record<string, unknown>): boolean {
  const violations = Array.isArray(detail['violations']) ? detail['violations'] : [];
  return violations.some((one: unknown) => isObject(one) && /per_?day/i.test(String(one['quotaId'] ?? one['quotaMetric'] ?? '')));
}

/** `RetryInfo` (`"34.4s"`) said the way every other provider says it. */
function withWait(headers: Headers, details: readonly Record<string, unknown>[]): Headers {
  const delay = details.map(({ retryDelay }) => retryDelay).find((value) => typeof value === 'string');
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(delay ?? '')?.[1];
  if (seconds === undefined || headers.has('retry-after-ms') || headers.has('retry-after')) return headers;
  const all = new Headers(headers);
  all.set('retry-after-ms', String(Math.ceil(Number(seconds) * 1_000)));
  return all;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `fetch` that throws what Google says went wrong. `variable`: where the key came from, if from there. */
export function withGoogleErrors(fetch: () => typeof globalThis.fetch, { provider, variable }: { provider: string; variable: () => string | undefined }): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch()(input, init);
    if (response.ok) return response;
    const { status, headers } = response;
    const body = await beginningOf(response);
    if (errorIn(body) === undefined) return new Response(body === '' ? null : body, { status, headers });
    throw googleError({ provider, status, headers, body, variable: variable(), key: new Headers(init?.headers).get(KEY_HEADER) ?? undefined });
  };
}

export const KEY_HEADER = 'x-goog-api-key';

/** Bytes of an error that are read. */
const LONGEST_ERROR = 64 * 1_024;

async function beginningOf({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    while (reader !== undefined && text.length < LONGEST_ERROR) {
      const { value } = await reader.read();
      if (value === undefined) return text + decoder.decode();
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    return text; // it broke off; what came is what there is
  }
  reader?.cancel().catch(() => undefined);
  return text;
}
