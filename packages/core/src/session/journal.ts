import { AgentScopeError } from '../error/index.ts';
import type { AgentEvent, Facts } from '../event/index.ts';
import type { Clock, JsonObject, JsonValue } from '../internal/index.ts';
import type { Msg, MsgData } from '../message/index.ts';
import { MAX_INLINE_BYTES } from './blobs.ts';
import { CONTEXT_EDIT } from './context-edit.ts';
import type { ContextEdit } from './context-edit.ts';
import { flushesAt } from './durability.ts';
import type { Durability, FlushPoint } from './durability.ts';
import type { FullSessionKey, JournalEntry } from './entry.ts';
import type { LeaseKeeper } from './lease-keeper.ts';
import { Recorder } from './recorder.ts';
import type { SessionFold } from './session-fold.ts';
import type { Session } from './session.ts';
import { SnapshotSaver } from './snapshot-saver.ts';
import { Tail } from './tail.ts';
import type { Watchers } from './watchers.ts';
import { Writer } from './writer.ts';

export interface JournalOptions {
  /** Default `'step'`. With several holders of one journal the newest one's counts. */
  readonly durability?: Durability | undefined;
  /** Times of entries and events, in milliseconds. Default `Date.now`. */
  readonly clock?: Clock | undefined;
  /** Who writes, for the lease. Default: a random name for this process and store object. */
  readonly owner?: string | undefined;
  /** An output of a tool with more bytes than this gets an entry of its own. Default 262 144. */
  readonly maxInlineBytes?: number | undefined;
  /** Sessions of the store that stay folded in memory, those in use aside; the newest one given counts. Default 256. */
  readonly maxOpenSessions?: number | undefined;
}

export interface JournalParts {
  readonly key: FullSessionKey;
  /** Everything that is durable, folded. */
  readonly fold: SessionFold;
  readonly keeper: LeaseKeeper;
  readonly watchers: Watchers;
  /** Makes durable what this process says in another session, as far as it is by now. */
  flushOther(key: FullSessionKey): Promise<void>;
}

/** Entries kept in memory behind the durable end while somebody watches. */
const KEPT_FOR_VIEWERS = 512;

/**
 * The one writer of a session in this process. Everything a session becomes goes through {@link commit}, {@link accept} or
 * {@link set}, gets its number there, is folded at once and durable after the next {@link flush}. Get one from `openJournal`.
 */
export class Journal {
  readonly key: FullSessionKey;
  /** The writer's fencing token; part of every event's id. */
  readonly epoch: number;
  readonly #fold: SessionFold;
  readonly #keeper: LeaseKeeper;
  readonly #tail: Tail;
  readonly #recorder: Recorder;
  readonly #writer: Writer;
  readonly #snapshots: SnapshotSaver;
  readonly #watchers: Watchers;
  readonly #store: Session;
  readonly #flushOther: JournalParts['flushOther'];
  #isAbandoned = false;
  #durability: Durability = 'step';

  /** For `openJournal`. */
  constructor(store: Session, { key, fold, keeper, watchers, flushOther }: JournalParts) {
    this.#store = store;
    this.#flushOther = flushOther;
    this.key = key;
    this.epoch = keeper.fence;
    this.#fold = fold;
    this.#keeper = keeper;
    this.#watchers = watchers;
    this.#tail = new Tail(fold.lastSeq + 1);
    this.#recorder = new Recorder(fold, this.#tail, keeper.fence);
    this.#writer = new Writer(store, key, { tail: this.#tail, fence: keeper.fence, durableSeq: fold.lastSeq });
    this.#snapshots = new SnapshotSaver(store, key, fold);
  }

  /** Number of the last entry, durable or not. */
  get lastSeq(): number {
    return this.#fold.lastSeq;
  }
  /** Time of the last entry; `''` before the first. */
  get lastAt(): string {
    return this.#fold.lastAt;
  }
  /** Number of the last durable entry. */
  get durableSeq(): number {
    return this.#writer.durableSeq;
  }
  /** What the journal amounts to now, to read; it goes on with the journal. */
  get fold(): SessionFold {
    return this.#fold;
  }
  /** The newest reply with what the loop decides on, unless it ended for good. */
  openReply(): { readonly message: Msg; readonly facts: Facts } | undefined {
    return this.#fold.openReply();
  }
  /** What a fold of its own needs to go on with the open reply; null where none is open. */
  openSnapshot(): JsonObject | null {
    return this.#fold.openSnapshot();
  }
  /** Messages in context order: a reply stands at its AGENT_START, an input accepted while a reply was open stands after it. */
  context(): readonly Msg[] {
    return this.#fold.context();
  }
  /** The context up to the newest reply, as it is now, made when it is asked for. */
  shown(head?: readonly Msg[]): () => readonly Msg[] {
    return this.#fold.shown(head);
  }
  /** Which reply answered a message, and whether it ended for good. */
  replyFor(inputId: string): { readonly replyId: string; readonly closed: boolean } | undefined {
    return this.#fold.replyFor(inputId);
  }
  /** The message of a reply as it stands. */
  reply(replyId: string): Msg | undefined {
    return this.#fold.reply(replyId);
  }
  /** True for a message that is in the journal, as input or as reply. */
  knows(msgId: string): boolean {
    return this.#fold.knows(msgId);
  }
  /** Inputs after the newest reply's start that no reply has taken; steering messages that came too late are among them. */
  unanswered(): readonly Msg[] {
    return this.#fold.unanswered();
  }
  /** Steering messages not taken in yet. A HINT_BLOCK with the message's id as `blockId`, or in `metadata.inputIds`, takes one in. */
  steers(): readonly Msg[] {
    return this.#fold.steers();
  }
  /** A named state value; undefined where none was set, or null was. */
  state(name: string): JsonValue | undefined {
    return this.#fold.state(name);
  }
  stateNames(): readonly string[] {
    return this.#fold.stateNames();
  }

  /** Takes messages into the context. One whose id is already in the journal is left out; what was taken is returned. */
  accept(messages: readonly MsgData[], { steer = false }: { steer?: boolean } = {}): readonly MsgData[] {
    const accepted = this.#recorder.accept(messages, steer);
    this.#watchers.wake();
    return accepted;
  }

  /**
   * THE commit point. Stamps each event with `<replyId>:<epoch>:<seq>` and one time for all (never earlier than the one before; a child's
   * event has both from its own session), folds it, keeps it for the next flush and shows it to viewers. The stamps are written onto the objects given.
   */
  commit(events: readonly AgentEvent[]): void {
    this.#recorder.commit(events);
    this.#watchers.wake();
  }

  /** Takes over what another journal says, in order: messages and events, with ids of this one; the times events had stay. */
  copy(entries: readonly JournalEntry[]): void {
    this.#recorder.copy(entries);
    this.#watchers.wake();
  }

  /** Sets a named value; null takes it away. JSON only. */
  set(name: string, value: JsonValue): void {
    this.#recorder.set(name, value);
    this.#watchers.wake();
  }

  /** Changes the context, not the record; see {@link ContextEdit}. */
  edit(change: ContextEdit): void {
    this.set(CONTEXT_EDIT, change as unknown as JsonValue);
  }

  /**
   * Makes everything so far durable by one append, deltas merged. With a point it does so only where the durability asks for it
   * (see {@link FlushPoint}); without one always. A second flush waits for the first.
   *
   * @throws AgentScopeError `session/unavailable` (everything is kept; flush again), `session/conflict` or `session/lease-lost`
   * (another writer took over; open the journal anew).
   */
  async flush(at?: FlushPoint): Promise<void> {
    if (at !== undefined && !flushesAt(this.#durability, at)) return;
    if (this.#keeper.lostBy !== undefined) this.#writer.broken ??= this.#keeper.lostBy;
    const upTo = this.lastSeq;
    // A child's events are stored there, so they are durable there before this session says where they stand.
    await this.#recorder.forTellers((child) => this.#flushOther(child));
    await this.#writer.flush(upTo);
    this.#tail.trim(this.durableSeq + 1 - (this.#watchers.size > 0 ? KEPT_FOR_VIEWERS : 0));
    if (this.durableSeq === this.lastSeq) this.#snapshots.saveIfDue();
  }

  /**
   * Flushes (not with durability `none`) and, when nobody else in this process holds the journal, gives the lease back. Opening it
   * again goes on under the same epoch when nobody wrote in between. Not to be used after its release.
   */
  async release(): Promise<void> {
    try {
      if (this.#durability !== 'none' && !this.#isAbandoned && this.durableSeq < this.lastSeq) await this.flush();
    } finally {
      await this.#keeper.drop();
    }
  }

  /**
   * Gives up what is not durable (a call that could not save its input must leave nothing behind). Nothing can be flushed any more;
   * the next `openJournal` reads the store and starts a new epoch, so that viewers who saw what was given up are rewound.
   */
  abandon(): void {
    this.#isAbandoned = true;
    this.#writer.broken ??= new AgentScopeError('session/unavailable', 'What could not be saved was given up. Open the session again.', { details: { store: this.#store.store } });
    this.#watchers.wake();
  }
  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  /** True when another writer took over: nothing can be flushed any more. */
  get isBroken(): boolean {
    return this.#writer.broken !== undefined || this.#keeper.lostBy !== undefined;
  }
  /** True while somebody in this process holds it, or something in it is not durable: what the store says is not the newest. */
  get isLive(): boolean {
    return !this.isBroken && (this.#keeper.isHeld || this.durableSeq < this.lastSeq);
  }
  /** For `openJournal`. */
  configure({ durability = 'step', clock = Date.now, maxInlineBytes = MAX_INLINE_BYTES }: JournalOptions): void {
    this.#durability = durability;
    this.#recorder.configure({ clock, maxInlineBytes });
  }
  /** For `readEvents`. */
  get tail(): Tail {
    return this.#tail;
  }
  /** For `readEvents`: the epoch that holds a number. */
  epochOf(seq: number): number {
    return this.#fold.epochs.findLast((epoch) => epoch.seq <= seq)?.epoch ?? 0;
  }
}
