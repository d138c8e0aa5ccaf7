import { AgentScopeError } from '../../error/index.ts';
import { providerError } from '../../model/index.ts';
import type { ModelErrorCode } from '../../model/index.ts';
import type { CallScope } from './call-scope.ts';
import { lookedAt, placeOf } from './foreign.ts';
import type { Key } from './settings.ts';

export interface Sending {
  readonly provider: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly key: Key;
  readonly errorCodes?: Readonly<Record<string, ModelErrorCode>> | undefined;
  readonly fetch: typeof globalThis.fetch;
}

/**
 * Posts a request and gives back the answer once its status is fine.
 *
 * @throws AgentScopeError `model/network` naming the host, what the status and the body say, or `model/bad-request` for a page in place of
 * an answer. While `scope` is aborted anything may be thrown; the scope puts its own reason in its place.
 */
export async function send({ provider, url, headers, body, key, fetch, errorCodes }: Sending, scope: CallScope): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { method: 'POST', headers, body, signal: scope.signal });
    scope.touch();
    if (response.ok) return await lookedAt(response, { provider, url, scope });
  } catch (error) {
    throw AgentScopeError.is(error) ? error : networkError(provider, url, error); // a `fetch` of the caller's may have its own opinion
  }
  const text = await beginningOf(response);
  throw providerError({ provider, status: response.status, headers: response.headers, body: text, variable: key.variable, key: key.value, place: placeOf(url), codes: errorCodes });
}

/** Bytes of an error that are read; what is said stands at its beginning. */
const LONGEST_ERROR = 64 * 1024;

/** What came of the body of an error, up to the limit; a body that breaks off says what it said. */
export async function beginningOf({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (let left = LONGEST_ERROR; left > 0 && reader !== undefined; ) {
      const { value } = await reader.read();
      if (value === undefined) return text + decoder.decode();
      text += decoder.decode(value.subarray(0, left), { stream: true });
      left -= value.length;
    }
  } catch {
    return text;
  }
  reader?.cancel().catch(() => undefined);
  return text;
}

export function networkError(provider: string, url: string, cause: unknown): AgentScopeError {
  const { host } = new URL(url);
  return new AgentScopeError('model/network', `${provider} could not be reached at ${host}, or the connection broke. Check the address and the network.`, {
    details: { provider, retryable: true, host },
    cause,
  });
}

export function timeoutError(provider: string, timeoutMs: number): AgentScopeError {
  return new AgentScopeError('model/timeout', `${provider} sent nothing for ${timeoutMs} ms.`, { details: { provider, retryable: true } });
}

export function tooLongError(provider: string, totalTimeoutMs: number): AgentScopeError {
  return new AgentScopeError('model/timeout', `${provider} did not finish its answer within ${totalTimeoutMs} ms.`, { details: { provider, retryable: true } });
}
