import { createFold } from '../event/index.ts';
import type { AgentEvent, Facts, Fold } from '../event/index.ts';
import type { JsonObject, JsonValue } from '../internal/index.ts';
import { Msg } from '../message/index.ts';
import { CONTEXT_EDIT, toContextEdit } from './context-edit.ts';
import type { ContextEdit, ContextImport, ImportedSlot } from './context-edit.ts';
import type { EpochEntry, InputEntry, JournalEntry } from './entry.ts';
import { expand, lastSeqOf } from './merge-deltas.ts';
import { checkSchema } from './migrate.ts';
import { roughMsgSize, roughSize } from './rough-size.ts';
import { entryMark, SLOT_LENGTH, SNAPSHOT_FORM } from './snapshot.ts';
import type { FoldSnapshot, SlotSnapshot } from './snapshot.ts';
import { asThin, fromThin, toThin } from './thin-message.ts';
import type { ThinMessage } from './thin-message.ts';

/** Named value: what stands for the messages that were condensed away. Gone with the context. */
export const SUMMARY = 'agentscope:summary';

/** A message, or what a snapshot brought of it, until somebody asks. */
type Kept = Msg | ThinMessage;

/** The newest reply, whose events are still folded. */
interface OpenReply {
  readonly id: string;
  readonly slot: Slot;
  /** Its place in the context. */
  index: number;
  readonly fold: Fold;
}
/** What is known of one message of the context beside itself. */
interface Slot {
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

/**
 * What a journal amounts to: the context, the newest reply, named state, epochs. Entries go in, in order; nothing else changes it.
 * Only the newest reply is kept as a running fold, earlier ones are the messages they became.
 */
export class SessionFold {
  lastSeq = 0;
  lastAt = '';
  /** Where each epoch began, in order. */
  readonly epochs: EpochEntry[] = [];
  /** About how many bytes came since the newest snapshot. */
  grown = 0;
  /** About how many bytes that one has; undefined until somebody asks after an import, which counts as one. */
  #snapshotSize: number | undefined = 0;
  /** Another array whenever anything before the newest reply changes, so that what was promised of it stays true. */
  #messages: Kept[] = [];
  /** Beside each message. */
  #slots: Slot[] = [];
  readonly #byId = new Map<string, Slot>();
  /** How many messages at the beginning are plain data still, as a snapshot brought them. */
  #plain = 0;
  /** Inputs that steer, and those of them that became a hint inside a reply: known, and no message of the context any more. */
  readonly #steers = new Set<string>();
  readonly #taken = new Set<string>();
  readonly #state = new Map<string, JsonValue>();
  /** Number of the newest entry that changed more than the end of the context. */
  #lastEdit = 0;
  /** The mark a snapshot began with, until there is an entry behind it. A mark costs a look at the id, so it is made when it is asked for. */
  #mark = '';
  #last: JournalEntry | undefined;
  #newest: OpenReply | undefined;

  /** The fold a snapshot was made of. @throws what a damaged one makes it throw; the caller then reads everything. */
  static restore(snapshot: FoldSnapshot): SessionFold {
    const fold = new SessionFold();
    fold.#restore(snapshot);
    return fold;
  }

  apply(entry: JournalEntry): void {
    this.lastSeq = lastSeqOf(entry);
    this.lastAt = entry.at;
    this.#last = entry;
    this.grown += roughSize(entry);
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
    if (id === undefined || id === '' || id === newest?.id) this.#applyTo(newest, event);
    else if (this.#byId.get(id)?.kind === 'reply') this.#applyLate(id, event);
    else this.#applyTo(this.#begin(id), event);
    if (event.type === 'AGENT_START') this.#noteInputs(event);
    else if (event.type === 'HINT_BLOCK') this.#noteSteer(event);
  }

  /** Inputs and replies in context order; the newest reply as folded so far. */
  context(): readonly Msg[] {
    this.#settle();
    this.#wrap();
    return this.#messages.slice() as Msg[];
  }

  /**
   * The context up to and with the newest reply (without it while it has said nothing) as it is now, made when it is asked for: a
   * long conversation is not copied where nobody looks at it.
   */
  shown(head: readonly Msg[] = []): () => readonly Msg[] {
    this.#settle();
    const messages = this.#messages;
    const end = this.#newest?.index ?? messages.length;
    const reply = messages[end];
    const said = reply === undefined || reply.content?.length === 0 ? [] : [msgOf(reply)];
    return () => {
      if (messages === this.#messages) this.#wrap();
      const before = messages.slice(0, end) as Msg[];
      if (messages !== this.#messages) for (let i = 0; i < end; i++) before[i] = msgOf(before[i] as Kept);
      before.push(...said);
      return head.length === 0 ? before : head.concat(before);
    };
  }

  /** The newest reply, unless it ended for good. */
  openReply(): { readonly message: Msg; readonly facts: Facts } | undefined {
    const fold = this.#newest?.fold;
    const message = fold?.message();
    if (fold === undefined || message === undefined) return undefined;
    const facts = fold.facts();
    return facts.closed ? undefined : { message, facts };
  }
  /** Number of the open reply's first entry. */
  openSince(): number | undefined {
    return this.openReply() && this.#newest?.slot.from;
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
  /** Facts of the newest reply, closed or not. */
  newestFacts(): Facts | undefined {
    return this.#newest?.fold.facts();
  }
  /** A reply as it stands; undefined for an unknown id. */
  reply(id: string): Msg | undefined {
    if (this.#newest?.id === id) return this.#newest.fold.message();
    const at = this.#byId.get(id)?.kind === 'reply' ? this.#indexOf(id) : -1;
    const message = this.#messages[at];
    return message === undefined ? undefined : msgOf(message);
  }

  /** The numbers of the entries that made a message of the context: the first and the last. */
  range(msgId: string): { readonly from: number; readonly to: number } | undefined {
    const slot = this.#byId.get(msgId);
    return slot === undefined ? undefined : { from: slot.from, to: slot.to };
  }

  knows(msgId: string): boolean {
    return this.#byId.has(msgId) || this.#taken.has(msgId);
  }
  replyFor(inputId: string): { readonly replyId: string; readonly closed: boolean } | undefined {
    const replyId = this.#byId.get(inputId)?.reply;
    const slot = replyId === undefined ? undefined : this.#byId.get(replyId);
    if (replyId === undefined || slot === undefined) return undefined;
    return { replyId, closed: this.#isClosed(slot) };
  }
  /** Inputs after the newest reply began that no reply has taken. */
  unanswered(): readonly Msg[] {
    return this.#waiting(() => true);
  }
  /** Steering messages no reply has taken in yet. */
  steers(): readonly Msg[] {
    return this.#waiting(({ id }) => this.#steers.has(id));
  }
  state(name: string): JsonValue | undefined {
    return this.#state.get(name);
  }
  stateNames(): readonly string[] {
    return [...this.#state.keys()];
  }

  /** About how many bytes the newest snapshot has, or what was imported. */
  get snapshotSize(): number {
    return (this.#snapshotSize ??= this.#measure());
  }

  /** Everything, as JSON, to go on from later. A closed message is shared, not copied. */
  snapshot(): FoldSnapshot {
    this.#settle();
    const newest = this.#newest;
    const places = new Map(this.#slots.map(({ id }, i) => [id, i]));
    const state: FoldSnapshot = {
      form: SNAPSHOT_FORM,
      seq: this.lastSeq,
      at: this.lastAt,
      mark: this.#last === undefined ? this.#mark : entryMark(this.#last),
      size: this.#measure(),
      epochs: this.epochs.map((epoch) => ({ ...epoch })),
      messages: this.#messages.map(thinOf),
      slots: this.#slots.flatMap((slot) => slotSnapshot(slot, slot.reply === undefined ? -1 : places.get(slot.reply))),
      steers: [...this.#steers],
      taken: [...this.#taken],
      state: Object.fromEntries(this.#state),
      lastEdit: this.#lastEdit,
      // It lives on and changes, where a store keeps objects as they are.
      newest: newest === undefined ? null : { index: newest.index, fold: JSON.parse(JSON.stringify(newest.fold.snapshot())) as JsonObject },
    };
    this.#baseOf(state.size);
    return state;
  }

  /**
   * The fold as it was at an earlier number; undefined where what is kept does not tell: a value, the context or an older reply was
   * changed since, or a reply was under way. Then the journal does.
   */
  until(seq: number): SessionFold | undefined {
    this.#settle();
    const count = this.#slots.findLastIndex(({ from }) => from <= seq) + 1;
    const kept = this.#slots.slice(0, count);
    const last = kept.findLast(({ kind }) => kind === 'reply'); // one ends before the next begins
    if (this.#lastEdit > seq || (last !== undefined && (last.to > seq || !this.#isClosed(last)))) return undefined;
    const fold = new SessionFold();
    for (const [i, slot] of kept.entries()) {
      const copy: Slot = { ...slot, closed: this.#isClosed(slot) };
      if (slot.reply !== undefined && (this.#byId.get(slot.reply)?.from ?? 0) > seq) copy.reply = undefined;
      fold.#push(copy, this.#messages[i] as Kept);
    }
    fold.#plain = Math.min(count, this.#plain);
    fold.epochs.push(...this.epochs.filter((epoch) => epoch.seq <= seq));
    for (const [name, value] of this.#state) fold.#state.set(name, value);
    for (const id of this.#steers) fold.#steers.add(id);
    for (const id of this.#taken) fold.#taken.add(id);
    fold.lastSeq = seq;
    return fold;
  }

  /** True for a message that came with others in one import: a number does not tell them apart. */
  isImported(msgId: string): boolean {
    const at = this.#indexOf(msgId);
    const from = this.#slots[at]?.from;
    return from !== undefined && (this.#slots[at - 1]?.from === from || this.#slots[at + 1]?.from === from);
  }

  /** The first messages (default: all) before the open reply, and what they are: what another journal begins with. */
  exportContext(count: number = Infinity): ContextImport {
    this.#settle();
    const end = Math.min(count, this.openReply() === undefined ? this.#slots.length : (this.#newest?.index ?? 0));
    const kept = this.#slots.slice(0, end);
    const ids = end === this.#slots.length ? this.#byId : new Set(kept.map(({ id }) => id));
    // An input whose reply does not come along waits for one there.
    const slots = kept.map(({ kind, reply }): ImportedSlot => (reply === '' || (reply !== undefined && ids.has(reply)) ? { kind, reply } : { kind }));
    return { op: 'import', messages: this.#messages.slice(0, end).map(thinOf), slots };
  }

  #restore({ seq, at, mark, size, epochs, messages, slots, steers, taken, state, lastEdit, newest }: FoldSnapshot): void {
    this.lastSeq = seq;
    this.lastAt = at;
    this.#mark = mark;
    this.#lastEdit = lastEdit;
    this.epochs.push(...epochs);
    for (const [i, msg] of messages.entries()) this.#push(restoredSlot(msg.id, slots, { at: i * SLOT_LENGTH, messages }), msg);
    this.#plain = messages.length;
    for (const id of steers) this.#steers.add(id);
    for (const id of taken) this.#taken.add(id);
    for (const [name, value] of Object.entries(state)) this.#state.set(name, value as JsonValue);
    if (newest !== null) {
      const slot = this.#slots[newest.index];
      const fold = createFold({ snapshot: newest.fold, trusted: true });
      if (slot === undefined || fold.message()?.id !== slot.id) throw new Error('A snapshot names a reply that it does not hold.');
      this.#newest = { id: slot.id, slot, index: newest.index, fold };
    }
    this.#baseOf(size);
  }
  #baseOf(size: number | undefined): void {
    this.#snapshotSize = size;
    this.grown = 0;
  }
  #measure(): number {
    return this.#messages.reduce((sum, msg) => sum + roughMsgSize(msg), 0);
  }
  #push(slot: Slot, msg: Kept): void {
    this.#slots.push(slot);
    this.#messages.push(msg);
    this.#byId.set(slot.id, slot);
  }
  /** Makes of data what has methods. */
  #wrap(): void {
    for (let i = 0; i < this.#plain; i++) this.#messages[i] = msgOf(this.#messages[i] as Kept);
    this.#plain = 0;
  }
  /** Leaves the newest reply's message at its place. */
  #settle(): void {
    const message = this.#newest?.fold.message();
    if (this.#newest !== undefined && message !== undefined) this.#messages[this.#newest.index] = message;
  }
  #isClosed(slot: Slot): boolean {
    return this.#newest?.slot === slot ? this.#newest.fold.facts().closed : slot.closed;
  }
  /** From the end: what is asked for is mostly new. */
  #indexOf(id: string): number {
    return this.#slots.findLastIndex((slot) => slot.id === id);
  }
  #waiting(wanted: (slot: Slot) => boolean): readonly Msg[] {
    const found: Msg[] = [];
    for (let i = (this.#newest?.index ?? -1) + 1; i < this.#slots.length; i++) {
      const slot = this.#slots[i];
      if (slot?.kind === 'input' && slot.reply === undefined && wanted(slot)) found.push(msgOf(this.#messages[i] as Kept));
    }
    return found;
  }
  #begin(id: string): OpenReply {
    const before = this.#newest;
    if (before !== undefined) {
      this.#settle();
      before.slot.closed = before.fold.facts().closed;
    }
    const slot: Slot = { id, kind: 'reply', from: this.lastSeq, to: this.lastSeq, closed: false, reply: undefined };
    const opened: OpenReply = { id, slot, index: this.#messages.length, fold: createFold({ trusted: true }) };
    this.#push(slot, new Msg({ id, role: 'ASSISTANT', content: [], timestamp: null }));
    this.#newest = opened;
    return opened;
  }
  #applyTo(reply: OpenReply | undefined, event: AgentEvent): void {
    if (reply === undefined) return;
    reply.fold.apply(event);
    reply.slot.to = this.lastSeq;
  }
  #applyLate(id: string, event: AgentEvent): void {
    const slot = this.#byId.get(id);
    const index = this.#indexOf(id);
    const kept = this.#messages[index];
    if (slot === undefined || kept === undefined) return;
    const seed = msgOf(kept);
    const fold = createFold({ seed, trusted: true });
    fold.apply(event);
    this.#messages = this.#messages.with(index, fold.message() ?? seed);
    slot.to = this.lastSeq;
    this.#lastEdit = this.lastSeq;
    if (event.type === 'AGENT_END') slot.closed = fold.facts().closed;
  }
  #applyDeltas(entry: Extract<JournalEntry, { kind: 'delta' }>): void {
    // Pieces of base64 may each be padded (WIRE F9), so they are folded as they came; texts are only joined anyway.
    if (entry.event.type !== 'DATA_BLOCK_DELTA') this.applyEvent(entry.event);
    else for (const single of expand(entry)) if (single.kind === 'event') this.applyEvent(single.event);
  }
  #applyInput(entry: InputEntry): void {
    if (this.knows(entry.msg.id)) return;
    if (entry.steer === true) this.#steers.add(entry.msg.id);
    this.#push({ id: entry.msg.id, kind: 'input', from: entry.seq, to: entry.seq, closed: true, reply: undefined }, Msg.from(entry.msg));
  }
  #applyState(name: string, value: JsonValue): void {
    this.#lastEdit = this.lastSeq;
    if (name === CONTEXT_EDIT) this.#edit(toContextEdit(value));
    else if (value === null) this.#state.delete(name);
    else this.#state.set(name, value);
  }
  #edit(edit: ContextEdit | undefined): void {
    if (edit?.op === 'clear') this.#clear();
    else if (edit?.op === 'delete') this.#remove((slot) => slot.id === edit.id);
    else if (edit?.op === 'import') this.#import(edit);
  }
  #clear(): void {
    const open = this.openReply() && this.#newest;
    this.#state.delete(SUMMARY);
    this.#remove((slot, index) => open === undefined || (slot.reply !== open.id && index < open.index));
  }
  /** Takes messages away, and all that is known of them: one may be said again. The open reply stays. */
  #remove(isGone: (slot: Slot, index: number) => boolean): void {
    this.#settle();
    const open = this.openReply() && this.#newest;
    const messages: Kept[] = [];
    const slots: Slot[] = [];
    let plain = 0;
    for (const [i, slot] of this.#slots.entries()) {
      if (slot !== open?.slot && isGone(slot, i)) {
        this.#byId.delete(slot.id);
        this.#steers.delete(slot.id);
        if (slot === this.#newest?.slot) this.#newest = undefined;
        continue;
      }
      if (slot === this.#newest?.slot) this.#newest.index = slots.length;
      if (i < this.#plain) plain++;
      messages.push(this.#messages[i] as Kept);
      slots.push(slot);
    }
    // Answered it stays, also should another reply come under that id.
    for (const slot of slots) if (slot.reply !== undefined && !this.#byId.has(slot.reply)) slot.reply = '';
    this.#messages = messages;
    this.#slots = slots;
    this.#plain = plain;
  }
  #import({ messages, slots, replaces, open }: ContextImport): void {
    if (replaces === true) this.#forgetAll();
    for (const [i, msg] of messages.entries()) {
      if (this.knows(msg.id)) continue;
      const { kind = 'input', reply } = slots[i] ?? {};
      const isPlain = this.#plain === this.#messages.length && !(msg instanceof Msg);
      this.#push({ id: msg.id, kind, from: this.lastSeq, to: this.lastSeq, closed: true, reply }, isPlain ? asThin(msg) : msgOf(msg));
      if (isPlain) this.#plain++;
    }
    if (open !== undefined) this.#reopen(open);
    // As good as a snapshot: nothing before it is needed.
    this.#baseOf(undefined);
  }
  #forgetAll(): void {
    this.#newest = undefined;
    this.#messages = [];
    this.#slots = [];
    this.#plain = 0;
    for (const known of [this.#byId, this.#steers, this.#taken]) known.clear();
  }
  #reopen(facts: Facts): void {
    const index = this.#indexOf(facts.replyId);
    const slot = this.#slots[index];
    const kept = this.#messages[index];
    if (slot !== undefined && kept !== undefined) this.#newest = { id: slot.id, slot, index, fold: createFold({ seed: msgOf(kept), facts, trusted: true }) };
  }
  #applyEpoch(entry: EpochEntry): void {
    checkSchema(entry);
    this.epochs.push(entry);
  }
  #noteInputs({ replyId, metadata, source }: Extract<AgentEvent, { type: 'AGENT_START' }>): void {
    if (source !== undefined) return;
    for (const inputId of textsOf(metadata?.['inputIds'])) {
      const slot = this.#byId.get(inputId);
      if (slot !== undefined) slot.reply = replyId;
    }
  }
  #noteSteer({ blockId, metadata, source }: Extract<AgentEvent, { type: 'HINT_BLOCK' }>): void {
    if (source !== undefined) return;
    for (const id of [blockId, ...textsOf(metadata?.['inputIds'])]) {
      if (!this.#steers.has(id)) continue;
      this.#steers.delete(id);
      this.#taken.add(id);
      this.#lastEdit = this.lastSeq;
      this.#remove((slot) => slot.id === id);
    }
  }
}

function msgOf(kept: Kept): Msg {
  return kept instanceof Msg ? kept : Msg.from(fromThin(kept));
}
function thinOf(kept: Kept): ThinMessage {
  return kept instanceof Msg ? toThin(kept) : kept;
}
function slotSnapshot({ kind, from, to, closed }: Slot, reply: number | undefined): SlotSnapshot {
  return kind === 'reply' ? [1, from, to, closed ? 1 : 0] : [0, from, to, reply ?? -2];
}
/** An input's last number is the place of the reply that took it: -1 none, -2 one that is not in the context any more. */
function restoredSlot(id: string, slots: readonly number[], { at, messages }: { at: number; messages: readonly ThinMessage[] }): Slot {
  const [kind = 0, from = 0, to = 0, last = 0] = [slots[at], slots[at + 1], slots[at + 2], slots[at + 3]];
  if (kind === 1) return { id, kind: 'reply', from, to, closed: last === 1, reply: undefined };
  return { id, kind: 'input', from, to, closed: true, reply: last === -1 ? undefined : (messages[last]?.id ?? '') };
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
