import { createFold } from '../event/index.ts';
import type { AgentEvent, Facts } from '../event/index.ts';
import { isoTime } from '../internal/index.ts';
import type { Clock } from '../internal/index.ts';
import type { Msg } from '../message/index.ts';
import type { Journal } from '../session/index.ts';

/**
 * The rest of a reply whose store is lost. Its readers still get a whole stream with an end; the journal gets nothing of it, since an
 * end that is only invented must not be what the next process finds.
 */
export class Unjournaled {
  readonly #fold: ReturnType<typeof createFold>;
  readonly #idPrefix: string;
  readonly #clock: Clock;
  #seq: number;

  constructor(journal: Journal, { replyId, clock }: { replyId: string; clock: Clock }) {
    const snapshot = journal.openSnapshot();
    this.#fold = createFold(snapshot ? { snapshot } : {});
    this.#idPrefix = `${replyId}:${journal.epoch}:`;
    this.#clock = clock;
    this.#seq = journal.lastSeq;
  }

  commit(events: readonly AgentEvent[]): void {
    const createdAt = isoTime(this.#clock());
    for (const event of events) {
      const stamp = { id: `${this.#idPrefix}${++this.#seq}`, createdAt };
      this.#fold.apply(Object.assign(event, stamp, event.type === 'AGENT_END' ? { metadata: { ...event.metadata, durable: false } } : {}));
    }
  }

  message(): Msg {
    const message = this.#fold.message();
    if (!message) throw new Error('The reply is not open.');
    return message;
  }
  facts(): Facts {
    return this.#fold.facts();
  }
}
