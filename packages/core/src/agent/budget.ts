import type { AgentEvent } from '../event/index.ts';
import type { Clock } from '../internal/index.ts';
import { contextKey } from '../state/index.ts';
import type { ContextKey } from '../state/index.ts';

/** What one reply may use, its pauses left out and the agents it asks as tools included. */
export interface ReplyLimits {
  /** Milliseconds at work. Looked at before each model call: what runs is not cut off (`signal` does that). */
  readonly timeMs?: number | undefined;
  /** Input and output tokens of all model calls, as the providers count them. The call that goes past it is the last one. */
  readonly tokens?: number | undefined;
  /** Model calls, also those that `maxIters` does not count. */
  readonly calls?: number | undefined;
}

/** What was used before this run. */
interface Used {
  readonly calls: number;
  readonly tokens: number;
  readonly ms: number;
}

export interface BudgetOptions {
  readonly limits: ReplyLimits;
  readonly used: Used;
  readonly clock: Clock;
  /** Of the reply that asks this one. */
  readonly parent?: Budget | undefined;
}

/**
 * What is left of a reply's limits. A model call is reserved before it starts, so that agents which work side by side do not spend the
 * same rest twice; what it really took is booked after it.
 */
export class Budget {
  readonly #limits: ReplyLimits;
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #parent: Budget | undefined;
  #calls: number;
  #tokens: number;
  /** Model calls that were reserved and not booked. */
  #running = 0;
  /** Tokens of the largest model call so far: what one that runs may take. */
  #largest = 0;

  constructor({ limits, used, clock, parent }: BudgetOptions) {
    this.#limits = limits;
    this.#clock = clock;
    this.#parent = parent;
    this.#startedAt = clock() - used.ms;
    this.#calls = used.calls;
    this.#tokens = used.tokens;
  }

  /** Takes one model call out of it, and out of those above; else says which limit is reached, and nothing is taken. */
  reserve(): string | undefined {
    const reached = this.#reached() ?? this.#parent?.reserve();
    if (reached !== undefined) return reached;
    this.#calls++;
    this.#running++;
    return undefined;
  }

  /** Books what model calls took. */
  book(events: readonly AgentEvent[]): void {
    for (const event of events) if (event.type === 'MODEL_CALL_END') this.#spend(event.usage ? event.usage.inputTokens + event.usage.outputTokens : 0);
  }

  #spend(tokens: number): void {
    this.#tokens += tokens;
    this.#running = Math.max(0, this.#running - 1);
    this.#largest = Math.max(this.#largest, tokens);
    if (this.#parent) this.#parent.#spend(tokens);
  }

  #reached(): string | undefined {
    const { calls = Infinity, tokens = Infinity, timeMs = Infinity } = this.#limits;
    if (this.#calls >= calls) return `The limit of ${calls} model calls for one reply is reached.`;
    if (this.#tokens + this.#running * this.#largest >= tokens) return `The limit of ${tokens} tokens for one reply is reached: ${this.#tokens} were used.`;
    const ms = this.#clock() - this.#startedAt;
    return ms >= timeMs ? `The limit of ${timeMs} ms for one reply is reached.` : undefined;
  }
}

/** By it a tool that asks another agent passes the budget on. */
export const BUDGET: ContextKey<Budget> = /* @__PURE__ */ contextKey<Budget>('agentscope:budget');
