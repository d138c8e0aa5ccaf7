import { AgentScopeError } from '../../error/index.ts';
import type { CallScope } from './call-scope.ts';

/**
 * An answer whose headers promise neither an event stream nor JSON is looked at before it is read: servers that mislabel their answer
 * exist, and so do wrong addresses, where a page answers. White space before an answer is dropped.
 *
 * @throws AgentScopeError `model/bad-request`, naming the address, for a body that begins like neither
 */
export async function lookedAt(response: Response, { provider, url, scope }: { provider: string; url: string; scope: CallScope }): Promise<Response> {
  const type = response.headers.get('content-type') ?? '';
  if (PROMISING.test(type) || response.body === null) return response;
  const reader = response.body.getReader();
  for (;;) {
    const { value } = await reader.read();
    if (value === undefined) return new Response(null, response);
    scope.touch();
    const first = value.find((byte) => byte > 32);
    if (first === undefined) continue;
    if (BEGINNINGS.includes(first)) return new Response(goingOn(value, reader), response);
    reader.cancel().catch(() => undefined);
    throw foreignAnswer({ provider, url, type, status: response.status });
  }
}

/** Host and path of an address: a query may hold a key. */
export function placeOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

const PROMISING = /event-stream|json/i;
/** Of JSON, of the fields of an event stream and its comments, and of a byte order mark. */
const BEGINNINGS: readonly number[] = [...new TextEncoder().encode('{[deir:\ufeff').slice(0, 8)];

function foreignAnswer({ provider, url, type, status }: { provider: string; url: string; type: string; status: number }): AgentScopeError {
  const kind = /^[\w.+-]+\/[\w.+-]+/.exec(type)?.[0];
  const what = kind === undefined ? 'something that is neither an event stream nor JSON' : `${kind}, neither an event stream nor JSON`;
  return new AgentScopeError('model/bad-request', `${provider}: ${placeOf(url)} answered with ${what}. No model seems to be there; check the base address (option "baseUrl", or its variable).`, {
    details: { provider, retryable: false, status },
  });
}

/** The body from its first bytes on. */
function goingOn(first: Uint8Array, reader: ReadableStreamDefaultReader<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(first),
    async pull(controller) {
      const { value } = await reader.read();
      if (value === undefined) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
