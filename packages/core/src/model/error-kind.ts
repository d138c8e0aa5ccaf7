import type { ErrorCode } from '../error/index.ts';

export type ModelErrorCode = Extract<ErrorCode, `model/${string}`>;

/** What providers say in their many error bodies: `{error: {…}}`, `{error: "text", code}`, `{code, message|msg}`, a list of one. */
export interface SaidError {
  readonly message: string | undefined;
  readonly code: string | undefined;
  readonly type: string | undefined;
}

export interface ErrorKind {
  readonly code: ModelErrorCode;
  readonly retryable: boolean;
}

interface Seen {
  readonly status: number | undefined;
  readonly said: SaidError | undefined;
  /** `x-should-retry`: the provider's own opinion. */
  readonly shouldRetry: string | undefined;
  /** What the provider's own codes mean; they come before its words. */
  readonly codes?: Readonly<Record<string, ModelErrorCode>> | undefined;
}

/**
 * What went wrong, first by the provider's words, then by the HTTP status: gateways send rate limits as 400 or even 200, and a 429 may
 * mean an empty account (C137).
 */
export function classify({ status, said, shouldRetry, codes }: Seen): ErrorKind {
  const real = effectiveStatus(status, said);
  const worded = byCode(said, codes) ?? byWords(said);
  const vague = worded?.code === 'model/bad-request' && real !== undefined && real >= 400; // the status says it better
  const kind = worded === undefined || vague ? byStatus(real) : worded;
  return shouldRetry === 'true' || shouldRetry === 'false' ? { ...kind, retryable: shouldRetry === 'true' } : kind;
}

/** A body may carry the real status, in a 200 or an error frame. */
function effectiveStatus(status: number | undefined, said: SaidError | undefined): number | undefined {
  const inBody = Number(said?.code);
  return (status === undefined || status < 400) && inBody >= 400 && inBody < 600 ? inBody : status;
}

function byCode(said: SaidError | undefined, codes: Readonly<Record<string, ModelErrorCode>> = {}): ErrorKind | undefined {
  const code = said?.code !== undefined && Object.hasOwn(codes, said.code) ? codes[said.code] : undefined;
  return code === undefined ? undefined : { code, retryable: MAY_PASS.has(code) };
}

const MAY_PASS: ReadonlySet<ModelErrorCode> = new Set(['model/rate-limit', 'model/overloaded', 'model/timeout', 'model/network']);

function byWords(said: SaidError | undefined): ErrorKind | undefined {
  if (said === undefined) return undefined;
  if (/maximum context|context (?:length|window)|model token limit|prompt is too long|too many (?:input )?tokens/i.test(said.message ?? '')) return { code: 'model/context-overflow', retryable: false };
  if (/credit balance is too low|api usage limits|spend(?:ing)? limit/i.test(said.message ?? '')) return { code: 'model/quota', retryable: false };
  const words = `${said.code ?? ''} ${said.type ?? ''}`;
  for (const [pattern, code, retryable] of WORDS) if (pattern.test(words)) return { code, retryable };
  return undefined;
}

const WORDS: readonly (readonly [RegExp, ModelErrorCode, boolean])[] = [
  [/insufficient_quota|exceeded_current_quota|billing|insufficient_balance|arrearage|quota_exceeded|budgetlimit|prepaidbill|commoditynotpurchased/i, 'model/quota', false],
  [/context_length|context_window|string_above_max_length|tokens_limit|prompt_too_long/i, 'model/context-overflow', false],
  [/content_filter|content_policy|datainspection|moderation|safety/i, 'model/refused', false],
  [/rate_limit|ratelimit|rate_limited|too_many_requests|throttling|resource_exhausted/i, 'model/rate-limit', true],
  [/timeout_error/i, 'model/timeout', true],
  [/overloaded|api_error|server_error|internal_error|service_unavailable|unavailable|engine_overloaded/i, 'model/overloaded', true],
  [/invalid_api_key|authentication|permission_denied|invalidapikey|accessdenied|unauthorized/i, 'model/auth', false],
  [/invalid_request|unsupported_parameter|model_not_found|not_found|invalid_argument|invalidparameter/i, 'model/bad-request', false],
];

function byStatus(status: number | undefined): ErrorKind {
  if (status === undefined || status < 400) return { code: 'model/bad-stream', retryable: true };
  switch (status) {
    case 401:
    case 403:
      return { code: 'model/auth', retryable: false };
    case 402:
      return { code: 'model/quota', retryable: false };
    case 408:
      return { code: 'model/timeout', retryable: true };
    case 409:
      return { code: 'model/overloaded', retryable: true };
    case 429:
      return { code: 'model/rate-limit', retryable: true };
    default:
      return status >= 500 ? { code: 'model/overloaded', retryable: status !== 501 && status !== 505 } : { code: 'model/bad-request', retryable: false };
  }
}
