import { checkedSlots, checkedStop } from './checked-context.ts';
import { OutputCollector } from './output.ts';
import type { ToolContext, ToolOutput, ToolSink } from './tool.ts';

/** One run of a tool: what to call, and how long it may take. */
export interface ToolJob {
  readonly name: string;
  readonly timeoutMs: number;
  readonly start: (context: ToolContext) => unknown;
}

/**
 * Runs a tool once. Never rejects: a throw, a time-out or an abort is a result. After a time-out or abort the result
 * comes at once; what the tool says later is dropped. A tool that answers synchronously costs no timer and no listener.
 */
export function executeTool(job: ToolJob, context: Omit<ToolContext, 'emit'>, sink: ToolSink): Promise<ToolOutput> {
  return new ToolRun(job, context, sink).run();
}

export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** Timers count with 31 bits; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647;
/** After so many chunks in a row timers and aborts get their turn: a generator that never waits would starve them. */
const CHUNKS_PER_BREATH = 1_000;

class ToolRun {
  readonly #job: ToolJob;
  readonly #outer: Omit<ToolContext, 'emit'>;
  readonly #output: OutputCollector;
  #controller: AbortController | undefined;
  #iterator: AsyncIterator<unknown> | undefined;
  #stopped: { readonly reason: unknown } | undefined;
  #closed = false;

  constructor(job: ToolJob, outer: Omit<ToolContext, 'emit'>, sink: ToolSink) {
    this.#job = job;
    this.#outer = outer;
    this.#output = new OutputCollector(sink);
  }

  async run(): Promise<ToolOutput> {
    if (this.#outer.signal.aborted) return this.#close(() => this.#interrupted());
    let returned: unknown;
    try {
      returned = this.#job.start(this.#context());
    } catch (error) {
      return this.#close(() => this.#failure(error));
    }
    return isThenable(returned) || isAsyncIterable(returned) ? this.#watch(returned) : this.#close(() => this.#output.result(returned));
  }

  /** Waits for the tool, the clock or an abort, whichever is first; leaves neither timer nor listener behind. */
  #watch(work: PromiseLike<unknown> | AsyncIterable<unknown>): Promise<ToolOutput> {
    const { timeoutMs } = this.#job;
    const { signal } = this.#outer;
    return new Promise((resolve) => {
      const settle = (output: () => ToolOutput): void => {
        if (this.#closed) return; // too late: nobody is waiting any more
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        resolve(this.#close(output));
      };
      const onAbort = (): void => {
        this.#stop(signal.reason);
        settle(() => this.#interrupted());
      };
      const onTimeout = (): void => {
        const error = new DOMException(`The tool "${this.#job.name}" did not finish within ${timeoutMs} ms.`, 'TimeoutError');
        this.#stop(error);
        settle(() => this.#output.failure(error));
      };
      const timer = timeoutMs <= LONGEST_TIMER_MS ? setTimeout(onTimeout, timeoutMs) : undefined;
      signal.addEventListener('abort', onAbort);
      this.#follow(work, (value) => settle(() => this.#output.result(value)), (error) => settle(() => this.#failure(error)));
      if (signal.aborted) onAbort();
    });
  }

  #follow(work: unknown, done: (value: unknown) => void, fail: (error: unknown) => void): void {
    if (isAsyncIterable(work)) this.#drain(work).then(done, fail);
    else if (isThenable(work)) work.then((value) => (isAsyncIterable(value) ? this.#follow(value, done, fail) : done(value)), fail);
    else done(work);
  }

  /** Shows every chunk as it comes; gives back what the generator returned. */
  async #drain(chunks: AsyncIterable<unknown>): Promise<unknown> {
    const iterator = chunks[Symbol.asyncIterator]();
    this.#iterator = iterator;
    try {
      for (let count = 1; !this.#closed; count++) {
        const step = await iterator.next();
        if (this.#closed || step.done === true) return step.value;
        this.#output.show(step.value);
        if (count % CHUNKS_PER_BREATH === 0) await new Promise((resolve) => setTimeout(resolve, 0));
      }
    } catch (error) {
      leave(iterator);
      throw error;
    }
    return undefined;
  }

  /** Tells the tool to stop. Output it gives while its abort listeners run still counts. */
  #stop(reason: unknown): void {
    this.#stopped = { reason };
    this.#controller?.abort(reason);
    if (this.#iterator !== undefined) leave(this.#iterator);
  }

  #close(output: () => ToolOutput): ToolOutput {
    try {
      return output();
    } catch (error) {
      return this.#failure(error);
    } finally {
      this.#closed = true;
    }
  }

  #failure(error: unknown): ToolOutput {
    return this.#outer.signal.aborted ? this.#interrupted() : this.#output.failure(error);
  }

  #interrupted(): ToolOutput {
    return this.#output.ended('interrupted', `The tool "${this.#job.name}" was interrupted before it finished.`);
  }

  /** What the tool sees. Signal and state are made when asked for: most tools never do. */
  #context(): ToolContext {
    const outer = this.#outer;
    const signal = (): AbortSignal => this.#signal();
    const isOver = (): boolean => this.#closed;
    return {
      get signal() {
        return signal();
      },
      userId: outer.userId,
      sessionId: outer.sessionId,
      toolCallId: outer.toolCallId,
      idempotencyKey: outer.idempotencyKey,
      emit: (chunk) => void (this.#closed || this.#output.show(chunk)),
      requestStop: checkedStop(outer, isOver),
      get state() {
        return checkedSlots(outer.state, isOver);
      },
      context: outer.context,
    };
  }

  #signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#stopped !== undefined) this.#controller.abort(this.#stopped.reason);
    }
    return this.#controller.signal;
  }
}

/** Lets a generator run its `finally`; how that ends concerns nobody any more. */
function leave(iterator: AsyncIterator<unknown>): void {
  Promise.resolve(iterator.return?.()).catch(() => undefined);
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
