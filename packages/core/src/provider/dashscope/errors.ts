import { AgentScopeError } from '../../error/index.ts';
import { isObject } from '../../internal/index.ts';
import { beginningOf } from '../shared/index.ts';

/** Words of DashScope's codes, and of its messages, for what every provider's errors are told by. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [/range of input length|input length .*exceed|maximum context/i, 'context_length_exceeded'],
  [/DataInspectionFailed|inappropriate content/i, 'content_filter'],
  [/Arrearage|BudgetLimitExceeded|PrepaidBillOverdue|PostpaidBillOverdue|CommodityNotPurchased|FreeTierOnly/i, 'insufficient_quota'],
  [/InvalidParameter|BadRequest/i, 'invalid_request'],
  [/RequestTimeOut|ResponseTimeout/i, 'timeout_error'],
  [/^(?:InternalError|SystemError|ModelServingError|ModelServiceFailed|ModelUnavailable)/i, 'server_error'],
];

/** The body of an error with a word beside its code that says what kind it is; anything else as it is. */
export function clarified(body: unknown): unknown {
  if (!isObject(body)) return body;
  const inner = body['error'];
  if (isObject(inner)) return { ...body, error: worded(inner) };
  return inner === undefined && typeof body['code'] === 'string' ? worded(body) : body;
}

function worded(error: Record<string, unknown>): Record<string, unknown> {
  const { code, message } = error;
  const found = MEANINGS.find(([pattern]) => (typeof message === 'string' && pattern.test(message)) || (typeof code === 'string' && pattern.test(code)));
  return found === undefined ? error : { ...error, type: found[1] };
}

export interface DashScopeAsking {
  readonly provider: string;
  readonly modelName: string;
}

/** `fetch` that says what kind of error DashScope's codes are, and what to do where a model is served at the other endpoint. */
export function withDashScopeErrors(fetch: () => typeof globalThis.fetch, asking: DashScopeAsking): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch()(input, init);
    if (response.ok) return response;
    const { status, headers } = response;
    const text = await beginningOf(response);
    const body = parsed(text);
    if (isObject(body) && isWrongEndpoint(body)) throw wrongEndpoint(asking, { status, body });
    const clear = isObject(body) ? JSON.stringify(clarified(body)) : text;
    return new Response(clear === '' ? null : clear, { status, headers });
  };
}

function isWrongEndpoint({ message }: Record<string, unknown>): boolean {
  return typeof message === 'string' && /\burl error\b/i.test(message);
}

function wrongEndpoint({ provider, modelName }: DashScopeAsking, { status, body }: { status: number; body: Record<string, unknown> }): AgentScopeError {
  const { request_id: requestId, code } = body;
  return new AgentScopeError('model/bad-request', `${provider} does not serve "${modelName}" at this endpoint. Set the option "multimodal": true for models that see or hear and for the newest series, false for models of text.`, {
    details: { provider, retryable: false, status, ...(typeof code === 'string' ? { providerCode: code } : {}), ...(typeof requestId === 'string' ? { requestId } : {}) },
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
