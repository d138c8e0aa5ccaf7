/** What is known about a failed model call. `retryable`: the same request may succeed later. */
export interface ModelFacts {
  readonly provider: string;
  readonly retryable: boolean;
  /** HTTP status, where there was an answer. */
  readonly status?: number;
  /** The provider's own error code or type, as sent. */
  readonly providerCode?: string;
  readonly requestId?: string;
  /** Milliseconds the provider asked us to wait. */
  readonly retryAfterMs?: number;
}

/**
 * The facts by code: `AgentScopeError.is(e, 'session/conflict')` types `e.details`. Codes are only ever added.
 */
export interface ErrorDetails {
  'config/invalid': { readonly option: string };
  'config/missing-context': { readonly key: string };
  'message/invalid': { readonly path: string; readonly rule: string };
  'message/no-structured-data': { readonly generateReason: string };
  'event/invalid': { readonly path: string };
  'wire/unknown-type': { readonly path: string; readonly type: string };
  /** `variable`: the environment variable the key was read from. */
  'model/auth': ModelFacts & { readonly variable?: string };
  'model/rate-limit': ModelFacts;
  'model/quota': ModelFacts;
  'model/overloaded': ModelFacts;
  'model/context-overflow': ModelFacts;
  'model/bad-request': ModelFacts;
  'model/refused': ModelFacts;
  'model/timeout': ModelFacts;
  'model/network': ModelFacts & { readonly host?: string };
  'model/bad-stream': ModelFacts;
  /** The model threw something that is no error of this library; it is the `cause`. */
  'model/failed': ModelFacts;
  /** The model answered nothing, or only thinking, after every reminder. */
  'model/empty-answer': ModelFacts;
  'agent/busy': { readonly sessionId: string };
  'agent/waiting': { readonly questions: readonly string[] };
  'agent/no-such-question': { readonly questionId: string; readonly why: 'unknown' | 'already-answered' | 'superseded' | 'arguments-differ' };
  'agent/bad-event': { readonly middleware: string; readonly rule: string };
  'agent/reply-open': { readonly replyId: string };
  /** The agent is shutting down. `replyId`: the reply that was left unfinished; null where none had begun. */
  'agent/shut-down': { readonly replyId: string | null };
  /** A person is asked who cannot answer: the input (a terminal, a pipe) has ended. `agent`: who asked. */
  'agent/input-closed': { readonly agent: string };
  'agent/ambiguous-target': { readonly sessionIds: readonly string[] };
  /** `attempts`: answers of the reply, 0 where it had ended before. `paths`: what is wrong with the last one; `text`: as the model wrote it. */
  'agent/structured-output-invalid': { readonly attempts: number; readonly paths: readonly string[]; readonly text: string };
  /** `holder`: the process that writes the session, where the store knows it. */
  'session/conflict': { readonly expectedSeq: number; readonly actualSeq: number; readonly holder?: { readonly pid: number; readonly host: string } };
  'session/reentrant': { readonly sessionId: string };
  'session/other-agent': { readonly agent: string };
  'session/lease-lost': { readonly sessionId: string };
  'session/invalid-id': { readonly rule: string };
  'session/not-found': { readonly sessionId: string };
  'session/unavailable': { readonly store: string };
  'session/newer-schema': { readonly found: number; readonly known: number };
  'media/blocked': { readonly host: string };
  'media/too-large': { readonly limitBytes: number };
  'client/http': { readonly status: number };
  'client/offline': { readonly attempts: number };
}

export type ErrorCode = keyof ErrorDetails;
