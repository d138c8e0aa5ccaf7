import { AgentScopeError } from '../error/index.ts';
import type { Hook, RunContext } from '../hook/index.ts';
import type { Clock } from '../internal/index.ts';
import type { ToolUseBlock } from '../message/index.ts';
import type { AnyTool } from '../tool/index.ts';
import { hookMiddleware } from './hooks/hook-middleware.ts';
import { isOwn } from './internal.ts';
import type { Layer, Looking } from './layer.ts';
import type { StageName } from './layer-rules.ts';
import type { Middleware, Stage } from './middleware.ts';
import type { Scope } from './scope.ts';

/** One member of a middleware, bound to it. */
export interface Wrap<F> {
  readonly name: string;
  readonly call: F;
}
type StageFunction = Stage<never, never>;
type ScopeFunction = (input: never, ctx: RunContext) => Scope<never> | undefined;
type Wrapped = (Wrap<StageFunction> & { readonly isOwn: boolean }) | { readonly scope: ScopeFunction };

/** All middleware of an agent by what it wraps, outermost first. */
export interface Wraps {
  readonly stages: Readonly<Record<StageName, readonly Wrapped[]>>;
  readonly prompts: readonly Wrap<NonNullable<Middleware['onSystemPrompt']>>[];
  readonly watchers: readonly Wrap<NonNullable<Middleware['onAgentEvent']>>[];
  readonly beforeCall: readonly ((call: ToolUseBlock, ctx: RunContext) => Promise<ToolUseBlock>)[];
  readonly tools: readonly AnyTool[];
  /** One line each, outermost first. */
  readonly chain: readonly string[];
}

const STAGES: readonly StageName[] = ['onAgent', 'onReasoning', 'onModelCall', 'onActing', 'onToolCall'];

export interface WrapsOptions {
  readonly middleware: readonly Middleware[];
  readonly hooks: readonly Hook[];
  readonly clock: Clock;
}

/** Undefined where nothing is wrapped. @throws AgentScopeError `config/invalid` for what is no middleware or no hook */
export function wrapsOf({ middleware, hooks, clock }: WrapsOptions): Wraps | undefined {
  middleware.forEach(checkMiddleware);
  hooks.forEach(checkHook);
  const all = hooks.length === 0 ? middleware : [hookMiddleware(hooks, clock), ...middleware];
  if (all.length === 0) return undefined;
  const named = all.map((each, i) => ({ each, name: nameOf(each, hooks.length === 0 ? i : i - 1) }));
  const sorted = named.toSorted((a, b) => (b.each.order ?? 1) - (a.each.order ?? 1) || 0); // stable; two of Infinity are NaN apart
  const stage = (name: StageName): readonly Wrapped[] =>
    sorted.flatMap(({ each, name: said }): readonly Wrapped[] => {
      const shell = each[name] ? [{ name: said, call: each[name].bind(each) as unknown as StageFunction, isOwn: isOwn(each) }] : [];
      const scope = scopeOf(each, name);
      return scope ? [...shell, { scope }] : shell;
    });
  const wraps: Wraps = {
    stages: Object.fromEntries(STAGES.map((name) => [name, stage(name)])) as Wraps['stages'],
    prompts: sorted.flatMap(({ each, name }) => (each.onSystemPrompt ? [{ name, call: each.onSystemPrompt.bind(each) }] : [])),
    watchers: sorted.flatMap(({ each, name }) => (each.onAgentEvent ? [{ name, call: each.onAgentEvent.bind(each) }] : [])),
    beforeCall: sorted.flatMap(({ each }) => (isOwn(each) && each.beforeCall ? [each.beforeCall.bind(each)] : [])),
    tools: sorted.flatMap(({ each }) => each.tools ?? []),
    chain: sorted.map(({ each, name }) => `${name} (order ${each.order ?? 1}): ${MEMBERS.filter((member) => each[member]).join(', ') || 'tools only'}`),
  };
  return [...Object.values(wraps.stages), wraps.prompts, wraps.watchers, wraps.beforeCall, wraps.tools].every((list) => list.length === 0) ? undefined : wraps;
}

/** The layers of a stage in one run. */
export function layersOf<I, R>(wraps: Wraps | undefined, where: StageName, ctx: RunContext): readonly (Layer<I, R> | Looking<I, R>)[] {
  const found = wraps?.stages[where] ?? [];
  return found.map((each) => {
    if ('scope' in each) return { begin: (input) => (each.scope as unknown as (input: I, ctx: RunContext) => Scope<R> | undefined)(input, ctx) };
    const { name, call, isOwn: trusted } = each;
    return { name, stage: call as unknown as Stage<I, R>, ctx, trusted };
  });
}

function scopeOf(middleware: Middleware, where: StageName): ScopeFunction | undefined {
  const scopes = isOwn(middleware) ? middleware.scopes : undefined;
  return where === 'onReasoning' || where === 'onActing' ? undefined : (scopes?.[where] as unknown as ScopeFunction | undefined);
}

function nameOf({ name, constructor: made }: Middleware & { readonly constructor?: { readonly name?: string } }, i: number): string {
  if (typeof name === 'string' && name !== '') return name;
  return made?.name && made.name !== 'Object' ? made.name : `middleware ${i + 1}`;
}

const MEMBERS = [...STAGES, 'onSystemPrompt', 'onAgentEvent'] as const;

function checkMiddleware(given: Middleware, i: number): void {
  if (typeof given !== 'object' || given === null) throw invalid('middleware', `middleware[${i}] is ${String(given)}; a middleware is an object with stages like onModelCall.`);
  const name = nameOf(given, i);
  for (const member of MEMBERS) if (given[member] !== undefined && typeof given[member] !== 'function') throw invalid('middleware', `${member} of the middleware "${name}" has to be a function.`);
  const unknown = [...keysOf(given)].find((key) => /^on[A-Z]/.test(key) && !(MEMBERS as readonly string[]).includes(key));
  if (unknown !== undefined) throw invalid('middleware', `The middleware "${name}" has ${unknown}, which is no stage. Stages are ${MEMBERS.join(', ')}.`);
  if (given.order !== undefined && typeof given.order !== 'number') throw invalid('middleware', `order of the middleware "${name}" has to be a number.`);
  if (given.tools !== undefined && !Array.isArray(given.tools)) throw invalid('middleware', `tools of the middleware "${name}" has to be a list of tools.`);
}

function checkHook(given: Hook, i: number): void {
  if (typeof given !== 'object' || given === null || typeof given.onEvent !== 'function') {
    throw invalid('hooks', `hooks[${i}] is no hook: a hook is an object with onEvent(event), and with a priority if it likes.`);
  }
  if (given.priority !== undefined && (typeof given.priority !== 'number' || Number.isNaN(given.priority))) throw invalid('hooks', `priority of hooks[${i}] has to be a number.`);
}

/** Of an object and of its class. */
function keysOf(given: object): ReadonlySet<string> {
  const keys = new Set<string>();
  for (let each: object | null = given; each !== null && each !== Object.prototype; each = Object.getPrototypeOf(each) as object | null) for (const key of Object.getOwnPropertyNames(each)) keys.add(key);
  return keys;
}

function invalid(option: string, message: string): AgentScopeError<'config/invalid'> {
  return new AgentScopeError('config/invalid', message, { details: { option } });
}
