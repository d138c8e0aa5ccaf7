import type { ErrorCode, ErrorDetails } from './codes.ts';

/** In the global registry, so that every copy of the package sees the same symbol. */
const BRAND = Symbol.for('agentscope.error');

export interface AgentScopeErrorOptions<C extends ErrorCode> {
  /** What was thrown below; kept as `error.cause`, never printed into the message. */
  readonly cause?: unknown;
  /** JSON-safe facts to act on. Never keys, prompts or tool output. */
  readonly details?: ErrorDetails[C];
}

/**
 * The one error class of the library. Tell errors apart by {@link AgentScopeError.code}, or with {@link AgentScopeError.is}, which
 * also types `details`.
 */
export class AgentScopeError<C extends ErrorCode = ErrorCode> extends Error {
  static {
    Object.defineProperty(this.prototype, BRAND, { value: true });
  }

  override readonly name: string = 'AgentScopeError';
  readonly code: C;
  readonly details: Readonly<ErrorDetails[C]>;

  constructor(code: C, message: string, { cause, details }: AgentScopeErrorOptions<C> = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details ?? ({} as ErrorDetails[C]);
  }

  /** True also for an error made by another copy or version of this package. */
  static is<C extends ErrorCode = ErrorCode>(value: unknown, code?: C): value is AgentScopeError<C> {
    if (typeof value !== 'object' || value === null || !(BRAND in value)) return false;
    return code === undefined || ('code' in value && value.code === code);
  }
}
