import { costOf } from '@agentscope/core';
import type { AgentEvent, ChatUsage, ModelPrice } from '@agentscope/core';

/** Tokens of a conversation since the program began, and what the last model call held. */
export class Usage {
  #input = 0;
  #output = 0;
  #cached = 0;
  #context = 0;
  #cost: number | undefined;
  /** Which model is asked, by who asks. */
  readonly #models = new Map<string, string>();
  readonly #priceOf: (modelName: string) => ModelPrice | undefined;
  /** How many tokens the model takes; undefined: nobody knows. */
  window: number | undefined;

  constructor(priceOf: (modelName: string) => ModelPrice | undefined = () => undefined) {
    this.#priceOf = priceOf;
  }

  take(event: AgentEvent): void {
    const lane = `${event.source ?? ''} ${String(event.metadata?.['taskId'] ?? '')}`;
    if (event.type === 'MODEL_CALL_START') this.#models.set(lane, event.modelName ?? '');
    if (event.type !== 'MODEL_CALL_END' || event.usage === undefined) return;
    const { inputTokens, outputTokens, cachedTokens = 0 }: ChatUsage = event.usage;
    this.#input += inputTokens;
    this.#output += outputTokens;
    this.#cached += cachedTokens;
    const price = this.#priceOf(this.#models.get(lane) ?? '');
    if (price !== undefined) this.#cost = (this.#cost ?? 0) + costOf(event.usage, price);
    // What children are sent is a context of their own.
    if (event.source === undefined) this.#context = inputTokens + outputTokens;
  }

  /** Another conversation, or the same anew: what its model is shown is not known yet. */
  forgetContext(): void {
    this.#context = 0;
  }

  /** `1.2k in (800 cached) · 90 out · context 1.3k of 128.0k · cost 0.004`; empty before the first call. */
  get words(): string {
    if (this.#input + this.#output === 0) return '';
    const cached = this.#cached > 0 ? ` (${short(this.#cached)} cached)` : '';
    return `${short(this.#input)} in${cached} · ${short(this.#output)} out${this.#contextWords}${this.#cost === undefined ? '' : ` · cost ${amount(this.#cost)}`}`;
  }

  get #contextWords(): string {
    if (this.#context === 0) return '';
    return ` · context ${short(this.#context)}${this.window === undefined ? '' : ` of ${short(this.window)}`}`;
  }
}

/** A child or a fallback may use another model of the configuration than the conversation does. */
export function priceOf(prices: Readonly<Record<string, ModelPrice>>, { modelId, modelName }: { readonly modelId: string; readonly modelName: string }): ModelPrice | undefined {
  const isOf = (id: string): boolean => id.slice(id.indexOf(':') + 1) === modelName;
  const id = isOf(modelId) ? modelId : Object.keys(prices).find(isOf);
  return id === undefined ? undefined : prices[id];
}

function short(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  return tokens < 1_000_000 ? `${(tokens / 1_000).toFixed(1)}k` : `${(tokens / 1_000_000).toFixed(1)}M`;
}

/** Two digits behind the point, or two that say something. */
function amount(cost: number): string {
  return cost >= 0.1 || cost === 0 ? cost.toFixed(2) : String(Number(cost.toPrecision(2)));
}
