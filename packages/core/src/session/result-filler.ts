import type { AgentEvent } from '../event/index.ts';
import { isObject } from '../internal/index.ts';
import type { Metadata } from '../message/index.ts';
import type { FullSessionKey, JournalEntry, JournalEvent } from './entry.ts';
import { readSession } from './read-session.ts';
import { SessionFold } from './session-fold.ts';
import type { Session } from './session.ts';

/** Puts the result of an AGENT_RESULT back: it is stored without, being what its reply folds to. */
export class ResultFiller {
  readonly #store: Session;
  readonly #key: FullSessionKey;
  #fold = new SessionFold();

  constructor(store: Session, key: FullSessionKey) {
    this.#store = store;
    this.#key = key;
  }

  /** Entries as read, in order. After a gap the fold is made anew, once it is needed. */
  apply(entry: JournalEntry): void {
    if (entry.seq === this.#fold.lastSeq + 1) this.#fold.apply(entry);
  }

  isBare(event: AgentEvent): boolean {
    return event.type === 'AGENT_RESULT' && !('result' in event);
  }

  async fill(events: readonly JournalEvent[]): Promise<readonly JournalEvent[]> {
    const filled: JournalEvent[] = [];
    for (const told of events) filled.push(this.isBare(told.event) ? { ...told, event: await this.#filled(told) } : told);
    return filled;
  }

  async #filled({ event, seq }: JournalEvent): Promise<AgentEvent> {
    if (this.#fold.lastSeq !== seq) this.#fold = await readSession(this.#store, this.#key, { toSeq: seq });
    const result = this.#fold.reply(event.replyId ?? this.#fold.newestReplyId() ?? '');
    const more = event.metadata?.['msg'];
    const whole = isObject(more) ? result?.with({ metadata: { ...result.metadata, ...more } as Metadata }) : result;
    return (whole === undefined ? event : { ...event, result: whole }) as AgentEvent;
  }
}
