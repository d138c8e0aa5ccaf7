import { AgentScopeError } from '../error/index.ts';
import { createFold } from '../event/index.ts';
import type { AgentEvent, Facts } from '../event/index.ts';
import type { JsonObject, JsonValue } from '../internal/index.ts';
import { Msg } from '../message/index.ts';
import type { EpochEntry, InputEntry, JournalEntry } from './entry.ts';
import { expand, lastSeqOf } from './merge-deltas.ts';

/** The newest form of the journal this version writes and reads. */
export const JOURNAL_SCHEMA = 1;

type Fold = ReturnType<typeof createFold>;
interface OpenReply {
  readonly id: string;
  /** Its place in the context. */
  readonly index: number;
  readonly fold: Fold;
}
interface KnownReply {
  readonly index: number;
  readonly closed: boolean;
}

/**
 * What a journal amounts to: the context, the newest reply, named state, epochs. Entries go in, in order; nothing else changes it.
 * Only the newest reply is kept as a running fold, earlier ones are the messages they became.
 */
export class SessionFold {
  lastSeq = 0;
  lastAt = '';
  /** Where each epoch began, in order. */
  readonly epochs: EpochEntry[] = [];
  readonly #messages: Msg[] = [];
  readonly #replies = new Map<string, KnownReply>();
  readonly #inputs = new Map<string, InputEntry>();
  /** Inputs since the newest reply began. */
  #since: InputEntry[] = [];
  readonly #replyByInput = new Map<string, string>();
  /** Steering messages that became a hint inside a reply. */
  readonly #taken = new Set<string>();
  readonly #state = new Map<string, JsonValue>();
  #newest: OpenReply | undefined;

  apply(entry: JournalEntry): void {
    this.lastSeq = lastSeqOf(entry);
    this.lastAt = entry.at;
    if (entry.kind === 'event') this.applyEvent(entry.event);
    else if (entry.kind === 'delta') this.#applyDeltas(entry);
    else if (entry.kind === 'input') this.#applyInput(entry);
    else if (entry.kind === 'state') this.#applyState(entry.name, entry.value);
    else if (entry.kind === 'epoch') this.#applyEpoch(entry);
  }

  /** Folds one event. Where its reply is not the newest one, that reply's message goes on from what it was. */
  applyEvent(event: AgentEvent): void {
    const newest = this.#newest;
    // Stored without its result (DESIGN §4), and folding with and without it agree.
    if (event.type === 'AGENT_RESULT' && !('result' in event)) return;
    const id = event.source === undefined ? event.replyId : undefined;
    if (id === undefined || id === '' || id === newest?.id) newest?.fold.apply(event);
    else if (this.#replies.has(id)) this.#applyLate(id, event);
    else this.#begin(id).fold.apply(event);
    if (event.type === 'AGENT_START') this.#noteInputs(event);
    else if (event.type === 'HINT_BLOCK') this.#noteSteer(event);
  }

  /** Inputs and replies in context order; the newest reply as folded so far. */
  context(): readonly Msg[] {
    const message = this.#newest?.fold.message();
    if (this.#newest !== undefined && message !== undefined) this.#messages[this.#newest.index] = message;
    return this.#messages.slice();
  }

  /** The newest reply, unless it ended for good. */
  openReply(): { readonly message: Msg; readonly facts: Facts } | undefined {
    const fold = this.#newest?.fold;
    const message = fold?.message();
    if (fold === undefined || message === undefined) return undefined;
    const facts = fold.facts();
    return facts.closed ? undefined : { message, facts };
  }
  /** Snapshot of the open reply's fold; null where none is open. */
  openSnapshot(): JsonObject | null {
    const fold = this.#newest?.fold;
    return fold === undefined || fold.facts().closed ? null : fold.snapshot();
  }
  /** Id of the newest reply, closed or not. */
  newestReplyId(): string | undefined {
    return this.#newest?.id;
  }
  /** A reply as it stands; undefined for an unknown id. */
  reply(id: string): Msg | undefined {
    if (this.#newest?.id === id) return this.#newest.fold.message();
    const known = this.#replies.get(id);
    return known === undefined ? undefined : this.#messages[known.index];
  }

  knows(msgId: string): boolean {
    return this.#inputs.has(msgId) || this.#replies.has(msgId) || this.#newest?.id === msgId;
  }
  replyFor(inputId: string): { readonly replyId: string; readonly closed: boolean } | undefined {
    const replyId = this.#replyByInput.get(inputId);
    if (replyId === undefined) return undefined;
    const closed = this.#newest?.id === replyId ? this.#newest.fold.facts().closed : (this.#replies.get(replyId)?.closed ?? false);
    return { replyId, closed };
  }
  /** Inputs after the newest reply began that no reply has taken. */
  unanswered(): readonly Msg[] {
    return this.#since.filter(({ msg }) => this.#isWaiting(msg.id)).map(({ msg }) => Msg.from(msg));
  }
  /** Steering messages no reply has taken in yet. */
  steers(): readonly Msg[] {
    return this.#since.filter(({ steer, msg }) => steer === true && this.#isWaiting(msg.id)).map(({ msg }) => Msg.from(msg));
  }
  state(name: string): JsonValue | undefined {
    return this.#state.get(name);
  }
  stateNames(): readonly string[] {
    return [...this.#state.keys()];
  }

  #isWaiting(msgId: string): boolean {
    return !this.#replyByInput.has(msgId) && !this.#taken.has(msgId);
  }
  #begin(id: string): OpenReply {
    const before = this.#newest;
    if (before !== undefined) {
      this.context(); // leaves the message of the reply before at its place
      this.#replies.set(before.id, { index: before.index, closed: before.fold.facts().closed });
    }
    const opened: OpenReply = { id, index: this.#messages.length, fold: createFold({ trusted: true }) };
    this.#since = [];
    this.#messages.push(new Msg({ id, role: 'ASSISTANT', content: [] }));
    this.#newest = opened;
    return opened;
  }
  #applyLate(id: string, event: AgentEvent): void {
    const known = this.#replies.get(id);
    const seed = known && this.#messages[known.index];
    if (known === undefined || seed === undefined) return;
    const fold = createFold({ seed, trusted: true });
    fold.apply(event);
    this.#messages[known.index] = fold.message() ?? seed;
    if (event.type === 'AGENT_END') this.#replies.set(id, { index: known.index, closed: fold.facts().closed });
  }
  #applyDeltas(entry: Extract<JournalEntry, { kind: 'delta' }>): void {
    // Pieces of base64 may each be padded (WIRE F9), so they are folded as they came; texts are only joined anyway.
    if (entry.event.type !== 'DATA_BLOCK_DELTA') this.applyEvent(entry.event);
    else for (const single of expand(entry)) if (single.kind === 'event') this.applyEvent(single.event);
  }
  #applyInput(entry: InputEntry): void {
    if (this.knows(entry.msg.id)) return;
    this.#inputs.set(entry.msg.id, entry);
    this.#since.push(entry);
    this.#messages.push(Msg.from(entry.msg));
  }
  #applyState(name: string, value: JsonValue): void {
    if (value === null) this.#state.delete(name);
    else this.#state.set(name, value);
  }
  #applyEpoch(entry: EpochEntry): void {
    if (entry.schema > JOURNAL_SCHEMA) {
      throw new AgentScopeError('session/newer-schema', `The session was written by a newer version (form ${entry.schema}, this one reads ${JOURNAL_SCHEMA}). Update this package.`, {
        details: { found: entry.schema, known: JOURNAL_SCHEMA },
      });
    }
    this.epochs.push(entry);
  }
  #noteInputs({ replyId, metadata, source }: Extract<AgentEvent, { type: 'AGENT_START' }>): void {
    if (source !== undefined) return;
    for (const inputId of textsOf(metadata?.['inputIds'])) this.#replyByInput.set(inputId, replyId);
  }
  #noteSteer({ blockId, metadata, source }: Extract<AgentEvent, { type: 'HINT_BLOCK' }>): void {
    if (source !== undefined) return;
    for (const id of [blockId, ...textsOf(metadata?.['inputIds'])]) {
      if (this.#inputs.get(id)?.steer !== true || this.#taken.has(id)) continue;
      this.#taken.add(id);
      // It stands after the reply it came into, so no reply's place moves.
      const at = this.#messages.findLastIndex((msg) => msg.id === id);
      if (at >= 0) this.#messages.splice(at, 1);
    }
  }
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
