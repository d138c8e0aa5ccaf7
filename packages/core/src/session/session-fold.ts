import type { AgentEvent, Facts } from '../event/index.ts';
import type { JsonObject, JsonValue } from '../internal/index.ts';
import { Msg } from '../message/index.ts';
import { applyEdit, exportOf, isImported } from './apply-edit.ts';
import { CONTEXT_EDIT, toContextEdit } from './context-edit.ts';
import type { ContextEdit, ContextImport } from './context-edit.ts';
import type { ContextList } from './context-list.ts';
import type { Position } from './cursor.ts';
import type { ChildPlace, DeltaEntry, EpochEntry, InputEntry, JournalEntry } from './entry.ts';
import { foldEvent } from './fold-event.ts';
import { noParts, partsOf, partsUntil, snapshotOf } from './fold-snapshot.ts';
import type { FoldParts } from './fold-snapshot.ts';
import { expand, lastSeqOf } from './merge-deltas.ts';
import { checkSchema } from './migrate.ts';
import { roughSize } from './rough-size.ts';
import { entryMark } from './snapshot.ts';
import type { FoldSnapshot } from './snapshot.ts';

/** Named value: what stands for the messages that were condensed away. Gone with the context. */
export const SUMMARY = 'agentscope:summary';

/** What a journal amounts to: the context, the newest reply, named state, epochs. Entries go in, in order; nothing else changes it. */
export class SessionFold {
  lastSeq: number;
  lastAt: string;
  /** Where each epoch began, in order. */
  readonly epochs: EpochEntry[];
  /** About how many bytes came since the newest snapshot. */
  grown = 0;
  /** About how many bytes that one has; undefined until somebody asks after an import, which counts as one. */
  #snapshotSize: number | undefined = 0;
  readonly #list: ContextList;
  readonly #state: Map<string, JsonValue>;
  /** Number of the newest entry that changed more than the end of the context. */
  #lastEdit: number;
  /** The mark a snapshot began with, until there is an entry behind it. A mark costs a look at the id, so it is made when it is asked for. */
  readonly #mark: string;
  #last: JournalEntry | undefined;
  readonly #told: Map<string, Position>;

  /** Empty, unless it is given what another one amounts to. */
  constructor({ lastSeq, lastAt, mark, epochs, list, state, lastEdit, told }: FoldParts = noParts()) {
    this.lastSeq = lastSeq;
    this.lastAt = lastAt;
    this.epochs = epochs;
    this.#list = list;
    this.#state = state;
    this.#lastEdit = lastEdit;
    this.#mark = mark;
    this.#told = told;
  }

  /** The fold a snapshot was made of. @throws what a damaged one makes it throw; the caller then reads everything. */
  static restore(snapshot: FoldSnapshot): SessionFold {
    const fold = new SessionFold(partsOf(snapshot));
    fold.#countFrom(snapshot.size);
    return fold;
  }

  apply(entry: JournalEntry): void {
    this.lastSeq = lastSeqOf(entry);
    this.lastAt = entry.at;
    this.#last = entry;
    this.grown += roughSize(entry);
    if (entry.kind === 'event') this.#applyEvent(entry.event, entry.told);
    else if (entry.kind === 'child') this.#told.set(entry.taskId, { epoch: entry.epoch, seq: entry.from + entry.to - entry.seq });
    else if (entry.kind === 'delta') this.#applyDeltas(entry);
    else if (entry.kind === 'input') this.#applyInput(entry);
    else if (entry.kind === 'state') this.#applyState(entry.name, entry.value);
    else if (entry.kind === 'epoch') this.#applyEpoch(entry);
  }

  /** Inputs and replies in context order; the newest reply as folded so far. */
  context(): readonly Msg[] {
    return this.#list.all();
  }
  /**
   * The context up to and with the newest reply (without it while it has said nothing) as it is now, made when it is asked for: a
   * long conversation is not copied where nobody looks at it.
   */
  shown(head: readonly Msg[] = []): () => readonly Msg[] {
    return this.#list.shown(head);
  }
  /** The numbers of the entries that made a message of the context: the first and the last. */
  range(msgId: string): { readonly from: number; readonly to: number } | undefined {
    const slot = this.#list.slot(msgId);
    return slot && { from: slot.from, to: slot.to };
  }
  knows(msgId: string): boolean {
    return this.#list.knows(msgId);
  }
  /** True for a message that came with others in one import: a number does not tell them apart. */
  isImported(msgId: string): boolean {
    return isImported(this.#list, msgId);
  }
  /** Inputs after the newest reply began that no reply has taken. */
  unanswered(): readonly Msg[] {
    return this.#list.waiting(() => true);
  }
  /** Steering messages no reply has taken in yet. */
  steers(): readonly Msg[] {
    return this.#list.waiting(({ id }) => this.#list.steers.has(id));
  }
  /** The first messages (default: all) before the open reply, and what they are: what another journal begins with. */
  exportContext(count: number = Infinity): ContextImport {
    const end = this.openReply() === undefined ? Infinity : (this.#list.newest?.index ?? 0);
    return exportOf(this.#list, Math.min(count, end));
  }

  /** The newest reply, unless it ended for good. */
  openReply(): { readonly message: Msg; readonly facts: Facts } | undefined {
    return this.#list.newest?.open();
  }
  /** Number of the open reply's first entry. */
  openSince(): number | undefined {
    return this.openReply() && this.#list.newest?.slot.from;
  }
  /** Snapshot of the open reply's fold; null where none is open. */
  openSnapshot(): JsonObject | null {
    const { newest } = this.#list;
    return newest === undefined || newest.facts().closed ? null : newest.snapshot();
  }
  /** True when children's events were told in the newest reply. */
  get hasTold(): boolean {
    return this.#told.size > 0;
  }
  /** How far the events of a child were told in the newest reply: a place in the child's session. */
  toldTo(taskId: string): Position | undefined {
    return this.#told.get(taskId);
  }
  /** Id of the newest reply, closed or not. */
  newestReplyId(): string | undefined {
    return this.#list.newest?.id;
  }
  /** Facts of the newest reply, closed or not. */
  newestFacts(): Facts | undefined {
    return this.#list.newest?.facts();
  }
  /** A reply as it stands; undefined for an unknown id. */
  reply(id: string): Msg | undefined {
    const { newest } = this.#list;
    if (newest?.id === id) return newest.message();
    return this.#list.slot(id)?.kind === 'reply' ? this.#list.at(this.#list.indexOf(id)) : undefined;
  }
  replyFor(inputId: string): { readonly replyId: string; readonly closed: boolean } | undefined {
    const replyId = this.#list.slot(inputId)?.reply;
    const slot = replyId === undefined ? undefined : this.#list.slot(replyId);
    return slot && { replyId: slot.id, closed: this.#list.isClosed(slot) };
  }

  state(name: string): JsonValue | undefined {
    return this.#state.get(name);
  }
  stateNames(): readonly string[] {
    return [...this.#state.keys()];
  }

  /** About how many bytes the newest snapshot has, or what was imported. */
  get snapshotSize(): number {
    return (this.#snapshotSize ??= this.#list.roughSize());
  }
  /** Everything, as JSON, to go on from later. A closed message is shared, not copied. */
  snapshot(): FoldSnapshot {
    const snapshot = snapshotOf(this.#parts());
    this.#countFrom(snapshot.size);
    return snapshot;
  }
  /**
   * The fold as it was at an earlier number; undefined where what is kept does not tell: a value, the context or an older reply was
   * changed since, or a reply was under way. Then the journal does.
   */
  until(seq: number): SessionFold | undefined {
    const parts = partsUntil(this.#parts(), seq);
    return parts && new SessionFold(parts);
  }

  #parts(): FoldParts {
    const mark = this.#last === undefined ? this.#mark : entryMark(this.#last);
    return { lastSeq: this.lastSeq, lastAt: this.lastAt, mark, epochs: this.epochs, list: this.#list, state: this.#state, lastEdit: this.#lastEdit, told: this.#told };
  }
  #countFrom(size: number | undefined): void {
    this.#snapshotSize = size;
    this.grown = 0;
  }

  /** What a child says is folded in the child's session; here only how far it was told. */
  #applyEvent(event: AgentEvent, told?: ChildPlace): void {
    if (told !== undefined) this.#told.set(told.taskId, { epoch: told.epoch, seq: told.seq });
    if (event.source !== undefined) return;
    if (event.type === 'AGENT_START' && event.replyId !== this.newestReplyId()) this.#told.clear();
    if (foldEvent(this.#list, event, this.lastSeq)) this.#lastEdit = this.lastSeq;
  }
  #applyDeltas(entry: DeltaEntry): void {
    // Pieces of base64 may each be padded (WIRE F9), so they are folded as they came; texts are only joined anyway.
    if (entry.event.type !== 'DATA_BLOCK_DELTA') this.#applyEvent(entry.event);
    else for (const single of expand(entry)) if (single.kind === 'event') this.#applyEvent(single.event);
  }
  #applyInput({ msg, steer, seq }: InputEntry): void {
    if (this.knows(msg.id)) return;
    if (steer === true) this.#list.steers.add(msg.id);
    this.#list.push({ id: msg.id, kind: 'input', from: seq, to: seq, closed: true, reply: undefined }, Msg.from(msg));
  }
  #applyState(name: string, value: JsonValue): void {
    this.#lastEdit = this.lastSeq;
    if (name === CONTEXT_EDIT) this.#edit(toContextEdit(value));
    else if (value === null) this.#state.delete(name);
    else this.#state.set(name, value);
  }
  #edit(edit: ContextEdit | undefined): void {
    if (edit === undefined) return;
    if (edit.op === 'clear') this.#state.delete(SUMMARY);
    applyEdit(this.#list, edit, this.lastSeq);
    // As good as a snapshot: nothing before it is needed.
    if (edit.op === 'import') this.#countFrom(undefined);
  }
  #applyEpoch(entry: EpochEntry): void {
    checkSchema(entry);
    this.epochs.push(entry);
  }
}
