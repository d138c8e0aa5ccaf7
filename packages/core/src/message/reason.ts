import type { GenerateReason, Metadata } from './blocks.ts';
import { invalid } from './invalid.ts';

/** Metadata key of the reason a reply ended for; absent for `MODEL_STOP`. */
export const REASON_KEY = 'agentscope_generate_reason';
/** Metadata key of the result of structured output. */
export const STRUCTURED_OUTPUT_KEY = '_structured_output';

const REASONS: ReadonlySet<string> = new Set<GenerateReason>([
  'MODEL_STOP',
  'TOOL_CALLS',
  'STRUCTURED_OUTPUT',
  'TOOL_SUSPENDED',
  'REASONING_STOP_REQUESTED',
  'ACTING_STOP_REQUESTED',
  'PERMISSION_ASKING',
  'MIDDLEWARE_STOP_REQUESTED',
  'ALL_TOOLS_DENIED',
  'INTERRUPTED',
  'MAX_ITERATIONS',
]);

export function isGenerateReason(value: unknown): value is GenerateReason {
  return typeof value === 'string' && REASONS.has(value);
}

/** @throws AgentScopeError `message/invalid` for a word that is none of the eleven */
export function readReason(value: unknown): GenerateReason | undefined {
  if (value === undefined || value === null) return undefined;
  if (isGenerateReason(value)) return value;
  throw invalid('generateReason', `it is one of ${[...REASONS].join(', ')}`);
}

/** Nothing, or a word that is none of the eleven, reads as `MODEL_STOP`, as in AgentScope Java. */
export function reasonOf(metadata: Metadata): GenerateReason {
  const reason = metadata[REASON_KEY];
  return isGenerateReason(reason) ? reason : 'MODEL_STOP';
}

/** Metadata with the reason under its key; `MODEL_STOP` takes the key away. Without a reason it is copied as it is. */
export function withReason(metadata: Metadata | null | undefined, reason: GenerateReason | undefined): Metadata {
  if (reason === undefined) return { ...metadata };
  const { [REASON_KEY]: _before, ...rest } = metadata ?? {};
  return reason === 'MODEL_STOP' ? rest : { ...rest, [REASON_KEY]: reason };
}
