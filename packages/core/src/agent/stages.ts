import type { AgentEvent } from '../event/index.ts';
import type { RunContext } from '../hook/index.ts';
import type { ToolUseBlock } from '../message/index.ts';
import { SystemMessage } from '../message/index.ts';
import type { Msg } from '../message/index.ts';
import { begun, layersOf } from '../middleware/index.ts';
import type { Layer, Looking, OwnContext, Scope, StageName, Wraps } from '../middleware/index.ts';
import { AgentScopeError } from '../error/index.ts';
import { createStateSlots } from '../state/index.ts';
import type { AgentConfig } from './config.ts';
import type { FullSessionKey } from '../session/index.ts';
import type { RuntimeContext } from '../state/index.ts';
import type { JsonValue } from '../internal/index.ts';

/** What middleware is told of the reply it works for. */
export interface WrappedReply {
  readonly config: AgentConfig;
  readonly key: FullSessionKey;
  readonly replyId: string;
  readonly signal: AbortSignal;
  readonly context: RuntimeContext;
  readonly failure: { readonly error: unknown } | undefined;
  state(name: string): JsonValue | undefined;
  stage(name: string, value: JsonValue): void;
  requestStop(reason: string): void;
}

/** What is wrapped around one reply. Nothing is made for a stage nobody wraps. */
export class Stages {
  readonly #wraps: Wraps;
  readonly #ctx: OwnContext;

  constructor(wraps: Wraps, reply: WrappedReply) {
    this.#wraps = wraps;
    this.#ctx = contextOf(reply);
  }

  layers<I, R>(where: StageName): readonly (Layer<I, R> | Looking<I, R>)[] {
    return layersOf<I, R>(this.#wraps, where, this.#ctx);
  }

  has(where: StageName): boolean {
    return this.#wraps.stages[where].length > 0;
  }

  /** Begins the scopes of those who only look, for a stage that nobody changes. */
  begin<I, R>(where: StageName, input: I): readonly Scope<R>[] {
    return begun<I, R>(this.layers<I, R>(where).flatMap((each) => ('begin' in each ? [each.begin] : [])), input);
  }

  /** Whether somebody may change what a stage says; who only looks does not. */
  mayChange(where: StageName): boolean {
    return this.#wraps.stages[where].some((each) => 'call' in each);
  }

  /** Shows committed events to those who only look. @throws AgentScopeError `agent/bad-event` naming the middleware that threw */
  watch(events: readonly AgentEvent[]): void {
    for (const { name, call } of this.#wraps.watchers) for (const event of events) named(name, 'onAgentEvent', () => call(event, this.#ctx));
  }

  /** The system prompt as all leave it, the innermost first. */
  async system(given: Msg | undefined): Promise<Msg | undefined> {
    const { prompts } = this.#wraps;
    if (prompts.length === 0) return given;
    let prompt = given?.getTextContent() ?? '';
    for (const { name, call } of prompts.toReversed()) {
      const next: unknown = await named(name, 'onSystemPrompt', () => call(prompt, this.#ctx));
      if (typeof next !== 'string') throw bad(name, 'onSystemPrompt has to give back a text');
      prompt = next;
    }
    return prompt === '' ? undefined : new SystemMessage({ name: 'system', content: prompt, timestamp: null });
  }

  /** Whether calls are looked at right before they run. */
  get looksAtCalls(): boolean {
    return this.#wraps.beforeCall.length > 0;
  }

  /** A call with the arguments it shall run with. */
  async beforeCall(call: ToolUseBlock): Promise<ToolUseBlock> {
    let looked = call;
    for (const look of this.#wraps.beforeCall) looked = await look(looked, this.#ctx);
    return looked;
  }
}

function contextOf(reply: WrappedReply): OwnContext {
  const { config, key, replyId, signal, context } = reply;
  const { id, name, description } = config;
  const slots = createStateSlots(
    (slot) => reply.state(slot),
    (slot, value) => reply.stage(slot, value),
  );
  const ctx: RunContext = {
    agent: { id, name, description },
    userId: key.userId,
    sessionId: key.sessionId,
    replyId,
    signal,
    context,
    state: slots,
    requestStop: (reason) => reply.requestStop(reason),
  };
  return { ...ctx, failure: () => reply.failure?.error };
}

/** What a middleware throws says whose fault it is; also what its promise rejects with. */
function named<T>(name: string, where: string, work: () => T): T {
  try {
    const result = work();
    if (!(result instanceof Promise)) return result;
    return result.catch((error: unknown) => {
      throw asNamed(name, where, error);
    }) as T;
  } catch (error) {
    throw asNamed(name, where, error);
  }
}

function asNamed(name: string, where: string, error: unknown): AgentScopeError {
  if (AgentScopeError.is(error)) return error;
  return bad(name, `${where} failed: ${error instanceof Error ? error.message : String(error)}`, error);
}

function bad(middleware: string, rule: string, cause?: unknown): AgentScopeError {
  return new AgentScopeError('agent/bad-event', `The middleware "${middleware}" broke a rule: ${rule}.`, { details: { middleware, rule }, ...(cause === undefined ? {} : { cause }) });
}
