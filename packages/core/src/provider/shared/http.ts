import { AgentScopeError } from '../../error/index.ts';
import { providerError } from '../../model/index.ts';
import type { CallScope } from './call-scope.ts';
import type { Key } from './settings.ts';

export interface Sending {
  readonly provider: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly key: Key;
  readonly fetch: typeof globalThis.fetch;
}

/**
 * Posts a request and gives back the answer once its status is fine.
 *
 * @throws AgentScopeError `model/network` naming the host, or what the status and the body say. While `scope` is aborted anything may
 * be thrown; the scope puts its own reason in its place.
 */
export async function send({ provider, url, headers, body, key, fetch }: Sending, scope: CallScope): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { method: 'POST', headers, body, signal: scope.signal });
  } catch (error) {
    throw AgentScopeError.is(error) ? error : networkError(provider, url, error); // a `fetch` of the caller's may have its own opinion
  }
  scope.touch();
  if (response.ok) return response;
  const text = await response.text().catch(() => '');
  throw providerError({ provider, status: response.status, headers: response.headers, body: text, variable: key.variable, key: key.value });
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
