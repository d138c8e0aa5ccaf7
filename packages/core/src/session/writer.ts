import { AgentScopeError } from '../error/index.ts';
import type { FullSessionKey, JournalEntry } from './entry.ts';
import { mergeDeltas } from './merge-deltas.ts';
import type { Session } from './session.ts';
import { toStored } from './tail.ts';
import type { Tail } from './tail.ts';

interface Batch {
  readonly entries: readonly JournalEntry[];
  readonly last: number;
}

/** Makes the tail durable: one append at a time, a failed batch again exactly as it was before anything else. */
export class Writer {
  /** Number of the last durable entry. */
  durableSeq: number;
  /** Why nothing can be written any more: another writer took over. */
  broken: AgentScopeError | undefined;
  readonly #store: Session;
  readonly #key: FullSessionKey;
  readonly #tail: Tail;
  readonly #fence: number;
  #running: Promise<void> | undefined;
  #failed: Batch | undefined;

  constructor(store: Session, key: FullSessionKey, { tail, fence, durableSeq }: { tail: Tail; fence: number; durableSeq: number }) {
    this.#store = store;
    this.#key = key;
    this.#tail = tail;
    this.#fence = fence;
    this.durableSeq = durableSeq;
  }

  /** Resolves when everything up to the number is durable. */
  async flush(upTo: number): Promise<void> {
    while (this.#running !== undefined) await this.#running.catch(() => undefined);
    if (this.durableSeq >= upTo) return;
    this.#running = this.#appendAll(upTo);
    try {
      await this.#running;
    } finally {
      this.#running = undefined;
    }
  }

  async #appendAll(upTo: number): Promise<void> {
    while (this.durableSeq < upTo) {
      if (this.broken !== undefined) throw this.broken;
      const batch = this.#failed ?? this.#nextBatch();
      this.#failed = batch;
      await this.#append(batch.entries);
      this.#failed = undefined;
      this.durableSeq = batch.last;
    }
  }

  #nextBatch(): Batch {
    const waiting = this.#tail.from(this.durableSeq + 1) ?? [];
    return { entries: mergeDeltas(waiting.map(toStored), { stamped: true }), last: this.durableSeq + waiting.length };
  }

  async #append(entries: readonly JournalEntry[]): Promise<void> {
    try {
      await this.#store.append(this.#key, entries, { expectedSeq: this.durableSeq, fence: this.#fence });
    } catch (error) {
      const known = asStoreError(this.#store, error);
      if (known.code === 'session/conflict' || known.code === 'session/lease-lost') this.broken = known;
      throw known;
    }
  }
}

/** What a store threw, as one of our errors: anything foreign means that it could not be reached. */
export function asStoreError({ store }: Session, error: unknown): AgentScopeError {
  if (AgentScopeError.is(error)) return error;
  return new AgentScopeError('session/unavailable', `The session store "${store}" failed. Its own error is the cause.`, { details: { store }, cause: error });
}
