import type { GenerateOptions } from '../../model/index.ts';
import type { AnthropicWireMessage } from './wire.ts';

/** `adaptive`: the model decides how much (4.6 and later). `enabled`: up to a budget. `disabled`: no thinking. */
export type AnthropicThinking = 'adaptive' | 'enabled' | 'disabled';

interface ThinkingField {
  readonly type: AnthropicThinking;
  readonly budget_tokens?: number;
}

const LEAST_BUDGET = 1024;
const DEFAULT_BUDGET = 4096;

/**
 * Thinking as asked for: a `thinkingBudget` enables it (0 disables it), a `reasoningEffort` says how deep. Where the model is in the middle
 * of a tool round that began without its own signed thinking (another model made it, or it was cut), the API refuses to think, so this
 * request goes without.
 */
export function thinkingFields(
  { thinkingBudget, reasoningEffort }: GenerateOptions,
  wanted: AnthropicThinking | undefined,
  messages: readonly AnthropicWireMessage[],
): { readonly thinking?: ThinkingField; readonly output_config: { readonly effort?: string } } {
  const output_config = reasoningEffort === undefined || reasoningEffort === 'none' ? {} : { effort: reasoningEffort === 'minimal' ? 'low' : reasoningEffort };
  const thinking = reasoningEffort === 'none' ? ({ type: 'disabled' } as const) : fieldOf(thinkingBudget, wanted);
  if (thinking === undefined || thinking.type === 'disabled') return { output_config, ...(thinking === undefined ? {} : { thinking }) };
  return isForeignRound(messages) ? { output_config } : { thinking, output_config };
}

function fieldOf(budget: number | undefined, wanted: AnthropicThinking | undefined): ThinkingField | undefined {
  if (budget === 0 || wanted === 'disabled') return { type: 'disabled' };
  if (wanted === 'adaptive') return { type: 'adaptive' };
  if (budget === undefined && wanted === undefined) return undefined;
  return { type: 'enabled', budget_tokens: Math.max(LEAST_BUDGET, Math.floor(budget ?? DEFAULT_BUDGET)) };
}

function isForeignRound(messages: readonly AnthropicWireMessage[]): boolean {
  const [before, last] = messages.slice(-2);
  if (before?.role !== 'assistant' || last?.content[0]?.type !== 'tool_result') return false;
  const first = before.content[0]?.type;
  return first !== 'thinking' && first !== 'redacted_thinking';
}
