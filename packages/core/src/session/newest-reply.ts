import type { AgentEvent, Facts, Fold } from '../event/index.ts';
import type { JsonObject } from '../internal/index.ts';
import type { Msg } from '../message/index.ts';

/** What is known of one message of the context beside itself. */
export interface Slot {
  readonly id: string;
  readonly kind: 'input' | 'reply';
  /** Numbers of the first and the last entry that made it. */
  readonly from: number;
  to: number;
  /** Of a reply that is not the newest one: it ended for good. */
  closed: boolean;
  /** Of an input: the reply that took it; `''` when that one is not there any more. */
  reply: string | undefined;
}

/** The newest reply of a context, whose events are still folded. */
export class NewestReply {
  readonly id: string;
  readonly slot: Slot;
  /** Its place in the context. */
  index: number;
  readonly #fold: Fold;

  constructor(slot: Slot, index: number, fold: Fold) {
    this.id = slot.id;
    this.slot = slot;
    this.index = index;
    this.#fold = fold;
  }

  apply(event: AgentEvent, seq: number): void {
    this.#fold.apply(event);
    this.slot.to = seq;
  }
  message(): Msg | undefined {
    return this.#fold.message();
  }
  facts(): Facts {
    return this.#fold.facts();
  }
  /** What there is of it, unless it ended for good. */
  open(): { readonly message: Msg; readonly facts: Facts } | undefined {
    const message = this.#fold.message();
    if (message === undefined) return undefined;
    const facts = this.#fold.facts();
    return facts.closed ? undefined : { message, facts };
  }
  snapshot(): JsonObject {
    return this.#fold.snapshot();
  }
}
