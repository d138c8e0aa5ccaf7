import { AgentScopeError } from '../../error/index.ts';
import { readError } from '../../model/index.ts';
import { beginningOf } from '../shared/index.ts';

/**
 * `fetch` that says what to do about the two things that go wrong with Ollama at first: no server is running, and the model was never
 * pulled (where one was asked for). Everything else goes on as it is.
 */
export function withOllamaErrors(fetch: () => typeof globalThis.fetch, { provider, modelName }: { provider: string; modelName?: string }): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await sent(fetch(), input, init, provider);
    if (response.status !== 404 || modelName === undefined) return response;
    const text = await beginningOf(response);
    if (/\bnot found\b/i.test(readError(text)?.message ?? '')) throw notPulled(provider, modelName);
    const { status, headers } = response;
    return new Response(text === '' ? null : text, { status, headers });
  };
}

// oxlint-disable-next-line max-params -- the two of `fetch`, and who they are for
async function sent(fetch: typeof globalThis.fetch, input: Parameters<typeof globalThis.fetch>[0], init: RequestInit | undefined, provider: string): Promise<Response> {
  try {
    return await fetch(input, init);
  } catch (cause) {
    if (init?.signal?.aborted === true || AgentScopeError.is(cause) || !isRefused(cause)) throw cause;
    const { host } = new URL(input instanceof Request ? input.url : input);
    throw new AgentScopeError('model/network', `No ${provider} server answers at ${host}. Start it with "ollama serve" (or the Ollama app), or say where it is with OLLAMA_HOST or the option "baseUrl".`, {
      details: { provider, retryable: true, host, providerCode: 'not_running' },
      cause,
    });
  }
}

/** Nobody listens there. Node keeps the code in the cause, or in one of its parts where a name has several addresses. */
function isRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && error.code === 'ECONNREFUSED') return true;
  return isRefused(error.cause) || (error instanceof AggregateError && error.errors.some(isRefused));
}

function notPulled(provider: string, modelName: string): AgentScopeError {
  return new AgentScopeError('model/bad-request', `${provider} has no model "${modelName}" on this server. Get it with "ollama pull ${modelName}"; "ollama list" shows the ones that are there.`, {
    details: { provider, retryable: false, status: 404, providerCode: 'model_not_found' },
  });
}
