import { AgentScopeError } from '../error/index.ts';
import type { AgentEvent } from '../event/index.ts';
import { isoTime } from '../internal/index.ts';
import type { Clock, JsonValue } from '../internal/index.ts';
import type { MsgData } from '../message/index.ts';
import { hasMoreBytes, MAX_INLINE_BYTES, outputOf } from './blobs.ts';
import type { FullSessionKey, JournalEntry } from './entry.ts';
import { expand } from './merge-deltas.ts';
import type { SingleEntry } from './merge-deltas.ts';
import type { SessionFold } from './session-fold.ts';
import type { Tail } from './tail.ts';
import { placeOf } from './told-events.ts';

/** What `commit` writes. Events come from steps, which made them for it. */
interface Unstamped {
  id: string;
  createdAt: string;
  readonly replyId?: string;
}

/** Makes entries of what a session becomes: each gets its number and time, is folded at once and waits in the tail for the next flush. */
export class Recorder {
  readonly #fold: SessionFold;
  readonly #tail: Tail;
  readonly #epoch: number;
  #clock: Clock = Date.now;
  #maxInlineBytes: number = MAX_INLINE_BYTES;
  #lastMs: number;
  /** By task. */
  readonly #tellers = new Map<string, FullSessionKey>();

  constructor(fold: SessionFold, tail: Tail, epoch: number) {
    this.#fold = fold;
    this.#tail = tail;
    this.#epoch = epoch;
    this.#lastMs = fold.lastAt === '' ? 0 : Date.parse(fold.lastAt) || 0;
  }

  configure({ clock, maxInlineBytes }: { readonly clock: Clock; readonly maxInlineBytes: number }): void {
    this.#clock = clock;
    this.#maxInlineBytes = maxInlineBytes;
  }

  accept(messages: readonly MsgData[], steer: boolean): readonly MsgData[] {
    const at = this.#now();
    const accepted: MsgData[] = [];
    for (const msg of messages) {
      if (this.#fold.knows(msg.id)) continue;
      this.#add({ seq: this.#fold.lastSeq + 1, at, kind: 'input', msg, ...(steer ? { steer } : {}) });
      accepted.push(msg);
    }
    return accepted;
  }
  commit(events: readonly AgentEvent[]): void {
    const createdAt = this.#now();
    for (const event of events as readonly (AgentEvent & Unstamped)[]) {
      if (event.source !== undefined && event.id !== '') {
        this.#addTold(event, createdAt);
        continue;
      }
      event.createdAt = createdAt;
      this.#addEvent(event, createdAt);
    }
  }
  copy(entries: readonly JournalEntry[]): void {
    const at = this.#now();
    for (const entry of entries.flatMap(expand)) {
      if (entry.kind === 'input') this.#add({ ...entry, seq: this.#fold.lastSeq + 1, at });
      else if (entry.kind === 'event' && entry.told === undefined) this.#addEvent({ ...entry.event } as AgentEvent & Unstamped, at);
    }
  }
  set(name: string, value: JsonValue): void {
    this.#add({ seq: this.#fold.lastSeq + 1, at: this.#now(), kind: 'state', name, value });
  }

  /** Does it for each session whose events were told since; one whose store fails stays, and fails this. */
  async forTellers(work: (child: FullSessionKey) => Promise<void>): Promise<void> {
    for (const [taskId, child] of this.#tellers) {
      await work(child).catch((error: unknown) => {
        if (AgentScopeError.is(error, 'session/unavailable')) throw error; // another writer's session is that one's matter
      });
      this.#tellers.delete(taskId);
    }
  }

  #addEvent(event: AgentEvent & Unstamped, at: string): void {
    const blob = this.#blobOf(event, at);
    const seq = this.#fold.lastSeq + 1;
    event.id = `${event.replyId || (this.#fold.newestReplyId() ?? '')}:${this.#epoch}:${seq}`;
    this.#add(blob === undefined ? { seq, at, kind: 'event', event } : { seq, at, kind: 'event', event, blob });
  }
  /** A child's event keeps the id and the time it has. */
  #addTold(event: AgentEvent, at: string): void {
    const told = placeOf(event);
    const seq = this.#fold.lastSeq + 1;
    if (told === undefined) return this.#add({ seq, at, kind: 'event', event });
    if (told.elsewhere !== true) this.#tellers.set(told.taskId, told.child);
    this.#add({ seq, at, kind: 'event', event, told });
  }
  /** Puts a large output into an entry of its own, right before its event; its number, where that was done. */
  #blobOf(event: AgentEvent, at: string): number | undefined {
    const output = outputOf(event);
    if (output === undefined || !hasMoreBytes(output, this.#maxInlineBytes)) return undefined;
    const seq = this.#fold.lastSeq + 1;
    this.#add({ seq, at, kind: 'blob', data: output });
    return seq;
  }
  #add(entry: SingleEntry): void {
    this.#fold.apply(entry);
    this.#tail.push(entry);
  }
  /** Never earlier than the time before. */
  #now(): string {
    this.#lastMs = Math.max(this.#lastMs, this.#clock());
    return isoTime(this.#lastMs);
  }
}
