import { createFold } from '../event/index.ts';
import type { Fold } from '../event/index.ts';
import { Msg } from '../message/index.ts';
import { NewestReply } from './newest-reply.ts';
import type { Slot } from './newest-reply.ts';
import { roughMsgSize } from './rough-size.ts';
import { fromThin, toThin } from './thin-message.ts';
import type { ThinMessage } from './thin-message.ts';

/** A message, or what a snapshot or an import brought of it, until somebody asks. */
type Kept = Msg | ThinMessage;

/** The messages of a context in order, what is known of each, and the newest reply as a running fold: earlier ones are messages. */
export class ContextList {
  /** Inputs that steer, and those of them that became a hint inside a reply: known, and no message of the context any more. */
  readonly steers: Set<string> = new Set();
  readonly taken: Set<string> = new Set();
  /** Another array whenever anything before the newest reply changes, so that what was promised of it stays true. */
  #messages: Kept[] = [];
  /** Beside each message. */
  #slots: Slot[] = [];
  readonly #byId = new Map<string, Slot>();
  /** How many messages at the beginning are plain data still. */
  #plain = 0;
  #newest: NewestReply | undefined;

  get newest(): NewestReply | undefined {
    return this.#newest;
  }
  /** Beside each message. */
  get slots(): readonly Slot[] {
    return this.#slots;
  }
  slot(id: string): Slot | undefined {
    return this.#byId.get(id);
  }
  /** True for a reply that ended for good, be it the newest one or one before it. */
  isClosed(slot: Slot): boolean {
    return slot === this.#newest?.slot ? this.#newest.facts().closed : slot.closed;
  }
  /** True also for an input that became a hint. */
  knows(id: string): boolean {
    return this.#byId.has(id) || this.taken.has(id);
  }
  /** From the end: what is asked for is mostly new. -1 for an unknown id. */
  indexOf(id: string): number {
    return this.#slots.findLastIndex((slot) => slot.id === id);
  }

  /** A message; the newest reply's may be behind what it is by now. */
  at(index: number): Msg | undefined {
    const kept = this.#messages[index];
    return kept === undefined ? undefined : msgOf(kept);
  }
  all(): readonly Msg[] {
    this.#settle();
    this.#wrap();
    return this.#messages.slice() as Msg[];
  }
  /** All up to and with the newest reply (without it while it has said nothing), behind a head; copied when it is asked for. */
  shown(head: readonly Msg[]): () => readonly Msg[] {
    this.#settle();
    const messages = this.#messages;
    const end = this.#newest?.index ?? messages.length;
    const reply = this.at(end);
    return () => {
      if (messages === this.#messages) this.#wrap();
      const shown = messages.slice(0, end) as Msg[];
      if (messages !== this.#messages) for (let i = 0; i < end; i++) shown[i] = msgOf(shown[i] as Kept);
      if (reply !== undefined && reply.content.length > 0) shown.push(reply);
      return head.length === 0 ? shown : head.concat(shown);
    };
  }
  /** Inputs behind the newest reply that no reply has taken. */
  waiting(isWanted: (slot: Slot) => boolean): readonly Msg[] {
    const found: Msg[] = [];
    for (let i = (this.#newest?.index ?? -1) + 1; i < this.#slots.length; i++) {
      const slot = this.#slots[i];
      if (slot?.kind === 'input' && slot.reply === undefined && isWanted(slot)) found.push(msgOf(this.#messages[i] as Kept));
    }
    return found;
  }
  /** The first messages, as snapshots and imports hold them. */
  thin(count: number): readonly ThinMessage[] {
    this.#settle();
    return this.#messages.slice(0, count).map(thinOf);
  }
  /** About how many bytes all of them take in a snapshot. */
  roughSize(): number {
    this.#settle();
    return this.#messages.reduce((sum, msg) => sum + roughMsgSize(msg), 0);
  }

  /** Adds a message. What is plain stays so as long as all before it is. */
  push(slot: Slot, kept: Kept): void {
    const staysPlain = this.#plain === this.#messages.length && !(kept instanceof Msg);
    this.#slots.push(slot);
    this.#messages.push(staysPlain ? kept : msgOf(kept));
    this.#byId.set(slot.id, slot);
    if (staysPlain) this.#plain++;
  }
  /** A reply begins. */
  begin(id: string, seq: number): NewestReply {
    const slot: Slot = { id, kind: 'reply', from: seq, to: seq, closed: false, reply: undefined };
    this.push(slot, new Msg({ id, role: 'ASSISTANT', content: [], timestamp: null }));
    return this.goOn(slot, this.#slots.length - 1, createFold({ trusted: true }));
  }
  /** The reply at a place is the newest one, and goes on as this fold. The one before it is the message it has become. */
  goOn(slot: Slot, index: number, fold: Fold): NewestReply {
    this.#settle();
    if (this.#newest !== undefined) this.#newest.slot.closed = this.#newest.facts().closed;
    this.#newest = new NewestReply(slot, index, fold);
    return this.#newest;
  }
  /** Changes a message before the newest reply. */
  replace(index: number, message: Msg): void {
    this.#messages = this.#messages.with(index, message);
  }
  /** Takes messages away, and all that is known of them: one may be said again. The open reply stays. */
  remove(isGone: (slot: Slot, index: number) => boolean): void {
    this.#settle();
    const open = this.#newest?.open() && this.#newest.slot;
    const messages: Kept[] = [];
    const slots: Slot[] = [];
    let plain = 0;
    for (const [i, slot] of this.#slots.entries()) {
      if (slot !== open && isGone(slot, i)) {
        this.#byId.delete(slot.id);
        this.steers.delete(slot.id);
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
  /** Other messages in place of those a reply answers: known ones where they stood, new ones right before the reply. */
  editInputs(replyId: string, { messages, seq }: { readonly messages: readonly Msg[]; readonly seq: number }): void {
    const kept = new Set(messages.map(({ id }) => id));
    const gone = this.#slots.filter(({ id, kind, reply }) => kind === 'input' && reply === replyId && !kept.has(id)).map(({ id }) => id);
    this.remove(({ id }) => gone.includes(id));
    for (const id of gone) this.taken.add(id); // said again it is no new message
    for (const msg of messages) {
      const index = this.indexOf(msg.id);
      if (index >= 0) this.replace(index, msg);
      else this.#insert({ id: msg.id, kind: 'input', from: seq, to: seq, closed: true, reply: replyId }, msg, this.indexOf(replyId));
    }
  }
  #insert(slot: Slot, msg: Msg, at: number): void {
    const index = at < 0 ? this.#slots.length : at;
    this.#wrap();
    this.#messages = this.#messages.toSpliced(index, 0, msg);
    this.#slots.splice(index, 0, slot);
    this.#byId.set(slot.id, slot);
    if (this.#newest !== undefined && this.#newest.index >= index) this.#newest.index++;
  }
  /** Takes everything away, an open reply and what became a hint too. */
  clear(): void {
    this.#newest = undefined;
    this.#messages = [];
    this.#slots = [];
    this.#plain = 0;
    for (const known of [this.#byId, this.steers, this.taken]) known.clear();
  }
  /** The first messages as a list of its own, each slot as the copy that is made of it. No reply of it is under way. */
  head(count: number, copyOf: (slot: Slot) => Slot): ContextList {
    this.#settle();
    const head = new ContextList();
    for (const [i, slot] of this.#slots.slice(0, count).entries()) head.push(copyOf(slot), this.#messages[i] as Kept);
    for (const id of this.steers) head.steers.add(id);
    for (const id of this.taken) head.taken.add(id);
    return head;
  }

  /** Makes of data what has methods. */
  #wrap(): void {
    for (let i = 0; i < this.#plain; i++) this.#messages[i] = msgOf(this.#messages[i] as Kept);
    this.#plain = 0;
  }
  /** Leaves the newest reply's message at its place. */
  #settle(): void {
    const message = this.#newest?.message();
    if (this.#newest !== undefined && message !== undefined) this.#messages[this.#newest.index] = message;
  }
}

function msgOf(kept: Kept): Msg {
  return kept instanceof Msg ? kept : Msg.from(fromThin(kept));
}
function thinOf(kept: Kept): ThinMessage {
  return kept instanceof Msg ? toThin(kept) : kept;
}
