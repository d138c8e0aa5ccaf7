import { AgentScopeError } from '../error/index.ts';
import type { AgentEvent } from '../event/index.ts';
import type { RunContext } from '../hook/index.ts';
import { isFirm, isKnown, isSame, mayAdd } from './layer-rules.ts';
import type { StageName } from './layer-rules.ts';
import type { Next, Stage } from './middleware.ts';
import { OpenBlocks } from './open-blocks.ts';
import type { BeginScope } from './scope.ts';

/** One middleware in one stage of one run. */
export interface Layer<I, R> {
  readonly name: string;
  readonly stage: Stage<I, R>;
  readonly ctx: RunContext;
  /** One of ours: what it says is not checked. */
  readonly trusted: boolean;
}

/** A middleware of ours that only looks at the stage. */
export interface Looking<I, R> {
  readonly begin: BeginScope<I, R>;
}

/**
 * Runs a layer around the next one and looks at what it says. What would break the reply is refused before anybody sees it
 * (`agent/bad-event`, naming the middleware), and what it throws names it too.
 */
export function around<I, R>(layer: Layer<I, R>, next: Next<I, R>, { where, resultOf }: { readonly where: StageName; resultOf(): R }): Next<I, R> {
  return (input) => (layer.trusted ? trusted(layer, { input, next, resultOf }) : new LayerRun(layer, next, where).run(input, resultOf));
}

async function* trusted<I, R>({ stage, ctx }: Layer<I, R>, { input, next, resultOf }: { readonly input: I; readonly next: Next<I, R>; resultOf(): R }): AsyncGenerator<AgentEvent, R, undefined> {
  let result: { readonly value: R } | undefined;
  const noted = async function* (given: I): AsyncGenerator<AgentEvent, R, undefined> {
    result = { value: yield* next(given) };
    return result.value;
  };
  yield* stage(input, noted, ctx);
  return result ? result.value : resultOf();
}

class LayerRun<I, R> {
  readonly #layer: Layer<I, R>;
  readonly #next: Next<I, R>;
  readonly #where: StageName;
  readonly #open = new OpenBlocks();
  /** Blocks and calls that the next layer began. */
  readonly #begun = new Set<string>();
  /** A firm event of the next layer that was not passed on yet. */
  #owed: AgentEvent | undefined;
  #last: AgentEvent | undefined;
  #result: { readonly value: R } | undefined;
  /** What the next layer threw: not this one's fault. */
  #thrown: { readonly error: unknown } | undefined;

  constructor(layer: Layer<I, R>, next: Next<I, R>, where: StageName) {
    this.#layer = layer;
    this.#next = next;
    this.#where = where;
  }

  async *run(input: I, resultOf: () => R): AsyncGenerator<AgentEvent, R, undefined> {
    const { stage, ctx } = this.#layer;
    try {
      const events: unknown = stage(input, (given) => this.#inner(given), ctx);
      if (!isEvents(events)) throw this.#bad(`${this.#where} has to be an async generator: async *${this.#where}(input, next, ctx) { yield* next(input) }`);
      for await (const event of events) {
        this.#check(event);
        yield event;
      }
      this.#checkEnd();
    } catch (error) {
      throw this.#named(error);
    }
    return this.#result ? this.#result.value : resultOf();
  }

  /** The next layer as this one sees it. */
  async *#inner(given: I): AsyncGenerator<AgentEvent, R, undefined> {
    const events = this.#next(given);
    try {
      for (;;) {
        const step = await this.#pulled(events);
        if (step.done === true) {
          this.#result = { value: step.value };
          return step.value;
        }
        this.#came(step.value);
        yield step.value;
        this.#checkPassed();
      }
    } finally {
      await events.return(undefined as never);
    }
  }

  async #pulled(events: AsyncGenerator<AgentEvent, R, undefined>): Promise<IteratorResult<AgentEvent, R>> {
    try {
      return await events.next();
    } catch (error) {
      this.#thrown = { error };
      throw error;
    }
  }

  #came(event: AgentEvent): void {
    this.#last = event;
    if (isFirm(event)) this.#owed = event;
    else if (event.type.endsWith('_START')) this.#begun.add(keyOf(event));
  }

  #check(event: AgentEvent): void {
    if (typeof event !== 'object' || event === null || typeof event.type !== 'string' || !isKnown(event)) throw this.#bad(`it yielded what is no event: ${describe(event)}`);
    if (event.source !== undefined && event !== this.#last) throw this.#bad(`it yielded an event of a child (${event.type}): those only pass`);
    if (event.source !== undefined) return this.#pass(event);
    this.#checkPlace(event);
    const problem = this.#open.note(event);
    if (problem !== undefined) throw this.#bad(problem);
    this.#pass(event);
    if (event.replyId === undefined || event.replyId === '') Object.assign(event, { replyId: this.#layer.ctx.replyId });
    else if (event.replyId !== this.#layer.ctx.replyId) throw this.#bad(`${event.type} is of another reply`);
  }

  /** What is passed on, changed or not, may stand where it came; what is added only where the stage has a place for it. */
  #checkPlace(event: AgentEvent): void {
    if (event === this.#last) return;
    const owed = this.#owed;
    if (isFirm(event)) {
      if (owed?.type === event.type && keyOf(owed) === keyOf(event)) {
        if (!isSame(owed, event)) throw this.#bad(`${event.type} may be changed in its metadata only`);
        return;
      }
      if (!mayAdd(this.#where, event)) throw this.#bad(`${event.type} cannot be added in ${this.#where}`);
    } else if (!mayAdd(this.#where, event) && !this.#begun.has(keyOf(event)) && this.#last?.type !== event.type) {
      throw this.#bad(`${event.type} cannot be added in ${this.#where}`);
    }
  }

  #pass(event: AgentEvent): void {
    const owed = this.#owed;
    if (owed !== undefined && owed.type === event.type && keyOf(owed) === keyOf(event)) this.#owed = undefined;
  }

  #checkPassed(): void {
    if (this.#owed !== undefined) throw this.#bad(`it has to pass on ${this.#owed.type} before it asks for more`);
  }

  #checkEnd(): void {
    this.#checkPassed();
    if (this.#open.left !== undefined) throw this.#bad(`it left ${this.#open.left} open`);
  }

  #named(error: unknown): unknown {
    if (AgentScopeError.is(error) || error === this.#thrown?.error || this.#layer.ctx.signal.aborted) return error;
    const said = error instanceof Error ? error.message : String(error);
    return new AgentScopeError('agent/bad-event', `The middleware "${this.#layer.name}" failed in ${this.#where}: ${said}`, { details: { middleware: this.#layer.name, rule: 'it threw' }, cause: error });
  }

  #bad(rule: string): AgentScopeError<'agent/bad-event'> {
    return new AgentScopeError('agent/bad-event', `The middleware "${this.#layer.name}" broke a rule in ${this.#where}: ${rule}.`, { details: { middleware: this.#layer.name, rule } });
  }
}

function isEvents(value: unknown): value is AsyncIterable<AgentEvent> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

function keyOf(event: AgentEvent): string {
  if ('blockId' in event) return `block ${event.blockId}`;
  return 'toolCallId' in event ? `call ${event.toolCallId}` : '';
}

function describe(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value).slice(0, 80);
  return 'type' in value ? `type ${JSON.stringify(value.type)}`.slice(0, 80) : 'an object without a known type';
}
