import { AgentScopeError } from '../error/index.ts';
import type { ModelFacts } from '../error/index.ts';
import { isObject, parseObject } from '../internal/index.ts';
import { classify } from './error-kind.ts';
import type { ModelErrorCode, SaidError } from './error-kind.ts';
import { retryAfterMs } from './retry-after.ts';

/** A failed answer as it came: HTTP facts where there are some, and the body or the error frame. */
export interface ProviderFailure {
  readonly provider: string;
  readonly status?: number | undefined;
  readonly headers?: Headers | undefined;
  /** Text or parsed JSON. */
  readonly body: unknown;
  /** The environment variable the key came from, if it did. */
  readonly variable?: string | undefined;
  /** Taken out of the provider's message, should it echo it. */
  readonly key?: string | undefined;
  /** Host and path of the request, said where the body does not say what was wrong: the address may be. */
  readonly place?: string | undefined;
  /** What the provider's own error codes mean. */
  readonly codes?: Readonly<Record<string, ModelErrorCode>> | undefined;
  readonly clock?: () => number;
}

/**
 * The typed error for what a provider said. The message holds the provider's own words (never for a refused key), shortened, and
 * never a key or a part of the body that is no error message.
 */
export function providerError(failure: ProviderFailure): AgentScopeError {
  const { provider, status, headers, variable } = failure;
  const said = readError(failure.body);
  const { code, retryable } = classify({ status, said, shouldRetry: headers?.get('x-should-retry') ?? undefined, codes: failure.codes });
  const wait = headers === undefined ? undefined : retryAfterMs(headers, failure.clock);
  const requestId = headers?.get('x-request-id') ?? headers?.get('request-id') ?? requestIdIn(failure.body);
  const providerCode = said?.code ?? said?.type;
  const facts: ModelFacts = {
    provider,
    retryable,
    ...(status === undefined ? {} : { status }),
    ...(providerCode === undefined ? {} : { providerCode }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  };
  const details = code === 'model/auth' && variable !== undefined ? { ...facts, variable } : facts;
  return new AgentScopeError(code as 'model/auth', describe(failure, code, said), { details });
}

/** What the body says about an error, or nothing where it says none: an answer has no `error` and no bare `code` with a message. */
export function readError(body: unknown): SaidError | undefined {
  const value = typeof body === 'string' ? (parseObject(body) ?? parseList(body)) : Array.isArray(body) ? body[0] : body;
  if (!isObject(value)) return undefined;
  const inner = value['error'];
  if (isObject(inner)) return { message: word(inner['message']), code: word(inner['code']), type: word(inner['type']) ?? word(inner['status']) };
  if (typeof inner === 'string' && inner !== '') return { message: inner, code: word(value['code']), type: word(value['type']) };
  const base = value['base_resp'];
  if (inner === undefined && isObject(base) && base['status_code'] !== 0 && word(base['status_code']) !== undefined) return { message: word(base['status_msg']), code: word(base['status_code']), type: undefined };
  const message = word(value['message']) ?? word(value['msg']);
  if (inner === undefined && message !== undefined && word(value['code']) !== undefined) return { message, code: word(value['code']), type: word(value['type']) };
  return undefined;
}

/** Where no header says it, the body may: beside the error. */
function requestIdIn(body: unknown): string | undefined {
  const value = typeof body === 'string' ? parseObject(body) : body;
  return isObject(value) ? word(value['request_id']) : undefined;
}

function parseList(text: string): unknown {
  if (!text.trimStart().startsWith('[')) return undefined;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list[0] : undefined;
  } catch {
    return undefined;
  }
}

function word(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;
}

const SUMMARIES: Readonly<Record<ModelErrorCode, string>> = {
  'model/auth': 'refused the key',
  'model/rate-limit': 'refused the request for now: too many requests',
  'model/quota': 'refused the request: the quota or balance is used up',
  'model/overloaded': 'could not answer: it is overloaded or failed inside',
  'model/context-overflow': 'refused the request: it is longer than the model can take',
  'model/bad-request': 'refused the request',
  'model/refused': 'refused the content',
  'model/timeout': 'took too long',
  'model/network': 'could not be reached',
  'model/bad-stream': 'broke its answer off',
  'model/failed': 'failed',
  'model/empty-answer': 'answered nothing',
};

function describe({ provider, status, variable, key, place }: ProviderFailure, code: ModelErrorCode, said: SaidError | undefined): string {
  // An error inside of an answer that began well: its status tells nothing of it.
  const start = `${provider} ${SUMMARIES[code]}${status === undefined || status < 400 ? '' : ` (HTTP ${status})`}.`;
  if (code === 'model/auth') return `${start} The key came from ${variable ?? 'the option "apiKey" or a header'}; check that it is valid for this address.`;
  if (said?.message === undefined && code === 'model/bad-request' && place !== undefined) return `${start} It did not say why. The request went to ${place}; check the address.`;
  return said?.message === undefined ? start : `${start} It said: ${withoutKeys(said.message, key).slice(0, 400)}`;
}

function withoutKeys(message: string, key: string | undefined): string {
  const text = key === undefined || key.length < 8 ? message : message.replaceAll(key, '[key]');
  return text.replace(/\b(?:sk|pk|rk|xai|gsk|key|api)[-_][\w*.-]{6,}/g, '[key]').replace(/\bBearer\s+\S+/gi, 'Bearer [key]');
}
