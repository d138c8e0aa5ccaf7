import { AgentScopeError } from '../error/index.ts';

/** What a run does when another one has the session: waits its turn, or throws `agent/busy`. */
export type QueueMode = 'queue' | 'reject';

export interface QueueOptions {
  /** Default `'queue'`. */
  readonly mode?: QueueMode | undefined;
  /** Aborted while waiting: the place is given up and the promise rejects with `signal.reason`. Has no effect on a run that began. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs on one session follow each other in the order they came. */
export class RunQueue {
  readonly #sessionId: string;
  readonly #waiting = new Set<() => void>();
  #isTaken = false;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  /** True while a run has the session or waits for it. */
  busy(): boolean {
    return this.#isTaken;
  }
  /** Number of runs that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Resolves when it is this run's turn, with what ends it; calling that twice does nothing more.
   *
   * @throws AgentScopeError `agent/busy` in mode `reject`.
   */
  async enter({ mode = 'queue', signal }: QueueOptions = {}): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#isTaken) {
      if (mode === 'reject') throw this.#busyError();
      await this.#turn(signal);
    }
    this.#isTaken = true;
    let ended = false;
    return () => {
      if (!ended) this.#next();
      ended = true;
    };
  }

  /** Enters, runs, leaves in every ending. */
  async run<T>(task: () => Promise<T>, options?: QueueOptions): Promise<T> {
    const leave = await this.enter(options);
    try {
      return await task();
    } finally {
      leave();
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = (): void => {
        this.#waiting.delete(begin);
        reject(signal?.reason as Error);
      };
      this.#waiting.add(begin);
      signal?.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** Hands the session on without setting it free in between, so that nobody can slip in before the one who waited. */
  #next(): void {
    const [begin] = this.#waiting;
    if (begin === undefined) {
      this.#isTaken = false;
      return;
    }
    this.#waiting.delete(begin);
    begin();
  }

  #busyError(): AgentScopeError<'agent/busy'> {
    return new AgentScopeError('agent/busy', 'The session is in use by another call. Wait for it, or use `concurrency: "queue"`.', { details: { sessionId: this.#sessionId } });
  }
}
