import { AgentScopeError } from '../error/index.ts';
import type { AgentEvent, Facts } from '../event/index.ts';
import { isoTime } from '../internal/index.ts';
import type { Clock, JsonObject, JsonValue } from '../internal/index.ts';
import type { Msg, MsgData } from '../message/index.ts';
import { hasMoreBytes, MAX_INLINE_BYTES, outputOf } from './blobs.ts';
import { CONTEXT_EDIT } from './context-edit.ts';
import type { ContextEdit } from './context-edit.ts';
import { flushesAt } from './durability.ts';
import type { Durability, FlushPoint } from './durability.ts';
import type { FullSessionKey, JournalEntry } from './entry.ts';
import type { LeaseKeeper } from './lease-keeper.ts';
import { expand } from './merge-deltas.ts';
import type { SingleEntry } from './merge-deltas.ts';
import type { SessionFold } from './session-fold.ts';
import type { Session } from './session.ts';
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
}

/** What `commit` writes. Events come from steps, which made them for it. */
interface Unstamped {
  id: string;
  createdAt: string;
  readonly replyId?: string;
}

/** Entries kept in memory behind the durable end while somebody watches. */
const KEPT_FOR_VIEWERS = 512;
/** A shorter tail is read as fast as a snapshot. */
const MIN_SNAPSHOT_BYTES = 65_536;

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
  readonly #writer: Writer;
  readonly #watchers: Watchers;
  readonly #store: Session;
  #isAbandoned = false;
  #isSavingSnapshot = false;
  #maxInlineBytes = MAX_INLINE_BYTES;
  #durability: Durability = 'step';
  #clock: Clock = Date.now;
  #lastMs: number;

  /** For `openJournal`. */
  constructor(store: Session, { key, fold, keeper, watchers }: JournalParts) {
    this.#store = store;
    this.key = key;
    this.epoch = keeper.fence;
    this.#fold = fold;
    this.#keeper = keeper;
    this.#watchers = watchers;
    this.#tail = new Tail(fold.lastSeq + 1);
    this.#writer = new Writer(store, key, { tail: this.#tail, fence: keeper.fence, durableSeq: fold.lastSeq });
    this.#lastMs = fold.lastAt === '' ? 0 : Date.parse(fold.lastAt) || 0;
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
    const at = this.#now();
    const accepted: MsgData[] = [];
    for (const msg of messages) {
      if (this.#fold.knows(msg.id)) continue;
      this.#add({ seq: this.lastSeq + 1, at, kind: 'input', msg, ...(steer ? { steer } : {}) });
      accepted.push(msg);
    }
    this.#watchers.wake();
    return accepted;
  }

  /**
   * THE commit point. Stamps each event with `<replyId>:<epoch>:<seq>` and one time for all (never earlier than the one before),
   * folds it, keeps it for the next flush and shows it to viewers. The stamps are written onto the objects given.
   */
  commit(events: readonly AgentEvent[]): void {
    const createdAt = this.#now();
    for (const event of events as readonly (AgentEvent & Unstamped)[]) {
      event.createdAt = createdAt;
      this.#addEvent(event, createdAt);
    }
    this.#watchers.wake();
  }

  /** Takes over what another journal says, in order: messages and events, with ids of this one; the times events had stay. */
  copy(entries: readonly JournalEntry[]): void {
    const at = this.#now();
    for (const entry of entries.flatMap(expand)) {
      if (entry.kind === 'input') this.#add({ ...entry, seq: this.lastSeq + 1, at });
      else if (entry.kind === 'event') this.#addEvent({ ...entry.event } as AgentEvent & Unstamped, at);
    }
    this.#watchers.wake();
  }

  /** Sets a named value; null takes it away. JSON only. */
  set(name: string, value: JsonValue): void {
    this.#add({ seq: this.lastSeq + 1, at: this.#now(), kind: 'state', name, value });
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
    await this.#writer.flush(this.lastSeq);
    this.#tail.trim(this.durableSeq + 1 - (this.#watchers.size > 0 ? KEPT_FOR_VIEWERS : 0));
    this.#saveSnapshot();
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
    this.#clock = clock;
    this.#maxInlineBytes = maxInlineBytes;
  }
  /** For `readEvents`. */
  get tail(): Tail {
    return this.#tail;
  }
  /** For `readEvents`: the epoch that holds a number. */
  epochOf(seq: number): number {
    return this.#fold.epochs.findLast((epoch) => epoch.seq <= seq)?.epoch ?? 0;
  }

  /** Once as much came since the last one as that one has (DESIGN §4), of what is durable. Nobody waits, and a failure is none. */
  #saveSnapshot(): void {
    const fold = this.#fold;
    if (fold.grown < MIN_SNAPSHOT_BYTES || fold.grown < fold.snapshotSize || this.durableSeq !== this.lastSeq || this.#isSavingSnapshot) return;
    this.#isSavingSnapshot = true;
    const ended = (): void => {
      this.#isSavingSnapshot = false;
    };
    this.#store.saveSnapshot(this.key, this.durableSeq, fold.snapshot() as unknown as JsonObject).then(ended, ended);
  }
  /** Puts a large output into an entry of its own, right before its event; its number, where that was done. */
  #blobOf(event: AgentEvent, at: string): number | undefined {
    const output = outputOf(event);
    if (output === undefined || !hasMoreBytes(output, this.#maxInlineBytes)) return undefined;
    const seq = this.lastSeq + 1;
    this.#add({ seq, at, kind: 'blob', data: output });
    return seq;
  }
  #addEvent(event: AgentEvent & Unstamped, at: string): void {
    const blob = this.#blobOf(event, at);
    const seq = this.lastSeq + 1;
    event.id = `${event.replyId || (this.#fold.newestReplyId() ?? '')}:${this.epoch}:${seq}`;
    this.#add(blob === undefined ? { seq, at, kind: 'event', event } : { seq, at, kind: 'event', event, blob });
  }
  #add(entry: SingleEntry): void {
    this.#fold.apply(entry);
    this.#tail.push(entry);
  }
  #now(): string {
    this.#lastMs = Math.max(this.#lastMs, this.#clock());
    return isoTime(this.#lastMs);
  }
}
