import { AgentScopeError } from '../../error/index.ts';
import { isObject } from '../../internal/index.ts';
import type { ModelErrorCode } from '../../model/index.ts';
import { beginningOf } from '../shared/index.ts';

/** What DashScope's codes mean where the status, or words that many providers share, do not tell: in the middle of a stream there is no status. */
export const ERROR_CODES: Readonly<Record<string, ModelErrorCode>> = {
  ...each('model/overloaded', ['InternalError', 'InternalError.Algo', 'SystemError', 'ModelServingError', 'ModelServiceFailed']),
  ...each('model/timeout', ['RequestTimeOut', 'ResponseTimeout', 'InternalError.Timeout', 'request_timeout']),
  ...each('model/quota', ['PostpaidBillOverdue', 'AllocationQuota.FreeTierOnly']),
  ...each('model/refused', ['data_inspection_failed']),
};

function each(meaning: ModelErrorCode, codes: readonly string[]): Record<string, ModelErrorCode> {
  return Object.fromEntries(codes.map((code) => [code, meaning]));
}

const TOO_LONG = /range of input length|input length .*exceed|maximum context/i;

/** The body of an error with a word beside its code where only its message says that the prompt is too long; anything else as it is. */
export function clarified(body: unknown): unknown {
  if (!isObject(body)) return body;
  const inner = body['error'];
  if (isObject(inner)) return isTooLong(inner) ? { ...body, error: { ...inner, type: 'context_length_exceeded' } } : body;
  return isTooLong(body) ? { ...body, type: 'context_length_exceeded' } : body;
}

function isTooLong({ message }: Record<string, unknown>): boolean {
  return typeof message === 'string' && TOO_LONG.test(message);
}

export interface DashScopeAsking {
  readonly provider: string;
  readonly modelName: string;
}

/** `fetch` that says what a prompt that is too long is, and what to do where a model is served at the other endpoint. */
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
