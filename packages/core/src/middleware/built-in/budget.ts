import { AgentScopeError } from '../../error/index.ts';
import type { AgentEvent } from '../../event/index.ts';
import type { RunContext } from '../../hook/index.ts';
import type { ChatUsage } from '../../message/index.ts';
import { stateKey } from '../../state/index.ts';
import type { StateKey } from '../../state/index.ts';
import type { Middleware } from '../middleware.ts';

/** What a million tokens cost, in any one currency. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Of prompt tokens the provider had cached. Default: `input`. */
  readonly cached?: number | undefined;
  /** Of prompt tokens the provider put into its cache. Default: `input`. */
  readonly cacheCreation?: number | undefined;
}

export interface BudgetControlOptions {
  /** Input and output tokens, above 0. Default: no limit. */
  readonly tokens?: number | undefined;
  /** In the currency of the prices, above 0; needs `prices`. Default: no limit. */
  readonly cost?: number | undefined;
  /** By model name. */
  readonly prices?: Readonly<Record<string, ModelPrice>> | undefined;
  /** A model without a price, a fallback perhaps: `stop` pauses the reply, since its cost cannot be counted; `free` counts nothing and tells `onWarning` once. Default `'stop'`. */
  readonly unknownPrice?: 'stop' | 'free' | undefined;
  /** What it is for: one reply, or the whole conversation. Default `'reply'`. */
  readonly scope?: 'reply' | 'session' | undefined;
  /** Share of the budget, 0 to 1, at which `onWarning` is told once. Default 0.8. */
  readonly warnAt?: number | undefined;
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** What was spent so far, as it is kept with the session. */
export interface Spent {
  readonly replyId: string;
  readonly tokens: number;
  readonly cost: number;
  readonly warned: boolean;
  /** The event that was counted last: two budgets of one scope count it once. */
  readonly tokensAt: string;
  readonly costAt: string;
}

const NOTHING: Spent = { replyId: '', tokens: 0, cost: 0, warned: false, tokensAt: '', costAt: '' };

/** Where it is kept: `state.get(budgetSpent('session'))` in a tool or a middleware. */
export function budgetSpent(scope: 'reply' | 'session' = 'reply'): StateKey<Spent> {
  return stateKey<Spent>(`agentscope.budget.${scope}`, NOTHING);
}

/**
 * Stops a reply that has used up tokens or money (`MIDDLEWARE_STOP_REQUESTED`, with the reason): after a model call that wants to go on, and
 * at the start of one that would begin over the budget. An answer that is there is never cut. What agents asked by it used counts. The
 * option `limits` counts tokens of one reply without a middleware; this one knows prices and whole conversations, and survives restarts.
 */
export function budgetControl(options: BudgetControlOptions): Middleware {
  check(options);
  const told = new Set<string>();
  const models = new Map<string, string>();
  const calling = new Set<string>();
  return {
    name: 'budget-control',
    onAgentEvent(event, ctx) {
      const lane = `${ctx.replyId} ${event.source ?? ''} ${String(event.metadata?.['taskId'] ?? '')}`;
      if (event.type === 'MODEL_CALL_START') models.set(lane, event.modelName ?? '');
      if (event.type === 'TOOL_CALL_START') calling.add(lane);
      if (event.type === 'AGENT_START' && event.source === undefined) stopIfOver(options, ctx);
      if (event.type === 'MODEL_CALL_END') {
        const wantsMore = calling.delete(lane) || event.source !== undefined;
        book(options, { event, ctx, told, model: models.get(lane) ?? '', wantsMore });
        models.delete(lane);
        if (wantsMore) stopIfOver(options, ctx);
      }
    },
  };
}

interface Booking {
  readonly event: Extract<AgentEvent, { type: 'MODEL_CALL_END' }>;
  readonly ctx: RunContext;
  readonly told: Set<string>;
  readonly model: string;
  /** The reply would go on. */
  readonly wantsMore: boolean;
}

function book(options: BudgetControlOptions, { event, ctx, told, model, wantsMore }: Booking): void {
  const { usage } = event;
  if (!usage) return;
  const before = spentIn(options, ctx);
  const price = options.prices?.[model];
  if (options.cost !== undefined && !price) unpriced(options, { ctx, told, model, wantsMore });
  const spent = { ...before };
  if (before.tokensAt !== event.id) Object.assign(spent, { tokens: before.tokens + usage.inputTokens + usage.outputTokens, tokensAt: event.id });
  if (price && before.costAt !== event.id) Object.assign(spent, { cost: before.cost + costOf(usage, price), costAt: event.id });
  const share = Math.max(spent.tokens / (options.tokens ?? Infinity), spent.cost / (options.cost ?? Infinity));
  const warns = !before.warned && share >= (options.warnAt ?? 0.8);
  if (warns) options.onWarning?.(`${Math.round(share * 100)} % of the budget of this ${options.scope ?? 'reply'} is used.`);
  ctx.state.set(budgetSpent(options.scope), { ...spent, warned: before.warned || warns });
}

/** An answer that is there stands; only what would go on is stopped. */
function unpriced({ unknownPrice = 'stop', onWarning }: BudgetControlOptions, { ctx, told, model, wantsMore }: Omit<Booking, 'event'>): void {
  const what = `No price is known for the model ${JSON.stringify(model)}`;
  if (unknownPrice === 'stop' && wantsMore) return ctx.requestStop(`${what}, so its cost cannot be counted. Name it in prices.`);
  if (!told.has(model)) onWarning?.(`${what}: its calls count as free. Name it in prices.`);
  told.add(model);
}

function stopIfOver(options: BudgetControlOptions, ctx: RunContext): void {
  const { tokens, cost } = spentIn(options, ctx);
  const what = options.scope ?? 'reply';
  if (tokens >= (options.tokens ?? Infinity)) ctx.requestStop(`The budget of ${options.tokens} tokens for this ${what} is used up: ${tokens}.`);
  else if (cost >= (options.cost ?? Infinity)) ctx.requestStop(`The budget of ${options.cost} for this ${what} is used up: ${cost.toFixed(4)}.`);
}

function spentIn({ scope = 'reply' }: BudgetControlOptions, { state, replyId }: RunContext): Spent {
  const spent = state.get(budgetSpent(scope));
  return scope === 'session' || spent.replyId === replyId ? { ...spent, replyId } : { ...NOTHING, replyId };
}

/** What it cost, in the currency of the price. Input tokens hold the cached ones and those that went into the cache. */
export function costOf({ inputTokens, outputTokens, cachedTokens = 0, cacheCreationTokens = 0 }: ChatUsage, { input, output, cached = input, cacheCreation = input }: ModelPrice): number {
  const fresh = Math.max(0, inputTokens - cachedTokens - cacheCreationTokens);
  return (fresh * input + cachedTokens * cached + cacheCreationTokens * cacheCreation + outputTokens * output) / 1_000_000;
}

function check({ tokens, cost, prices, unknownPrice, warnAt, scope }: BudgetControlOptions): void {
  if (tokens === undefined && cost === undefined) throw invalid('tokens', 'budgetControl needs a limit: tokens, or cost with prices.');
  if (tokens !== undefined && !(tokens > 0)) throw invalid('tokens', `tokens has to be above 0, not ${String(tokens)}.`);
  if (cost !== undefined && !(cost > 0)) throw invalid('cost', `cost has to be above 0, not ${String(cost)}.`);
  if (cost !== undefined && prices === undefined) throw invalid('prices', 'A limit on cost needs prices by model name.');
  for (const [model, price] of Object.entries(prices ?? {})) if (!isPrice(price)) throw invalid('prices', `The price of ${JSON.stringify(model)} needs input and output, each a number of 0 or more for a million tokens.`);
  if (unknownPrice !== undefined && unknownPrice !== 'stop' && unknownPrice !== 'free') throw invalid('unknownPrice', `unknownPrice is 'stop' or 'free', not ${JSON.stringify(unknownPrice)}.`);
  if (warnAt !== undefined && !(warnAt >= 0 && warnAt <= 1)) throw invalid('warnAt', `warnAt is a share from 0 to 1, not ${String(warnAt)}.`);
  if (scope !== undefined && scope !== 'reply' && scope !== 'session') throw invalid('scope', `scope is 'reply' or 'session', not ${JSON.stringify(scope)}.`);
}

function isPrice({ input, output, cached = 0, cacheCreation = 0 }: ModelPrice): boolean {
  return [input, output, cached, cacheCreation].every((amount) => Number.isFinite(amount) && amount >= 0);
}

function invalid(option: string, message: string): AgentScopeError<'config/invalid'> {
  return new AgentScopeError('config/invalid', message, { details: { option } });
}
