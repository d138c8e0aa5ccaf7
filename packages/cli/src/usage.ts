import type { AgentEvent, ChatUsage } from '@agentscope/core';

/** Tokens of a conversation since the program began, and what the last model call held. */
export class Usage {
  #input = 0;
  #output = 0;
  #cached = 0;
  #context = 0;
  /** How many tokens the model takes; undefined: nobody knows. */
  window: number | undefined;

  take(event: AgentEvent): void {
    if (event.type !== 'MODEL_CALL_END' || event.usage === undefined) return;
    const { inputTokens, outputTokens, cachedTokens = 0 }: ChatUsage = event.usage;
    this.#input += inputTokens;
    this.#output += outputTokens;
    this.#cached += cachedTokens;
    // What children are sent is a context of their own.
    if (event.source === undefined) this.#context = inputTokens + outputTokens;
  }

  /** `1.2k in (800 cached) · 90 out · context 1.3k of 128.0k`; empty before the first call. */
  get words(): string {
    if (this.#input + this.#output === 0) return '';
    const cached = this.#cached > 0 ? ` (${short(this.#cached)} cached)` : '';
    return `${short(this.#input)} in${cached} · ${short(this.#output)} out · context ${short(this.#context)}${this.window === undefined ? '' : ` of ${short(this.window)}`}`;
  }
}

function short(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  return tokens < 1_000_000 ? `${(tokens / 1_000).toFixed(1)}k` : `${(tokens / 1_000_000).toFixed(1)}M`;
}
