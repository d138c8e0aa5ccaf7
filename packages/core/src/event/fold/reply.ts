import type { ChatUsage, ContentBlock, GenerateReason, Metadata, MsgData, MsgView } from '../../message/index.ts';
import { REASON_KEY } from '../../message/index.ts';
import { blockOf } from './build.ts';
import type { FactsState } from './facts-state.ts';
import type { CallSlot, DataSlot, ResultSlot, Slot, TextSlot } from './slots.ts';

/** One reply while it is folded. Mutable, and never leaves the fold: `message()` shows it. */
export interface Reply {
  id: string;
  /** Its id is that of an event until a reply id turns up (WIRE F3). */
  provisional: boolean;
  /** The reply of the top level in which this one, of a child, began. */
  readonly parentId: string;
  /** Ids of foreign events applied; undefined once they were let go: repeats of them are skipped with the reply. */
  foreignIds: string[] | undefined;
  name: string | null;
  timestamp: string | null;
  finishedAt: string | undefined;
  usage: ChatUsage | null;
  /** Without the reason. */
  metadata: Record<string, unknown>;
  reason: GenerateReason | undefined;
  ended: boolean;
  facts: FactsState;

  slots: Slot[];
  /** Number of model calls seen: the `round` of new blocks. */
  round: number;
  /** Number of the model call that runs. */
  call: number | undefined;
  readonly streamed: Map<string, TextSlot | DataSlot>;
  readonly calls: Map<string, CallSlot>;
  /** Results whose call is unknown. */
  readonly orphans: Map<string, ResultSlot>;
  readonly blockIds: Set<string>;
  readonly hintIds: Set<string>;
  asking: number;
  submitted: number;
  refused: CallSlot[];
  /** What the last delta went to: the next one mostly goes there too. */
  lastText: TextSlot | undefined;
  lastTextRid: string;
  lastTextBlockId: string;

  shown: MsgView | undefined;
  content: readonly ContentBlock[];
  /** Slots changed since they were shown. */
  dirty: Slot[];
  /** Slots were taken away or put between: the list is built anew. */
  rebuild: boolean;
}

export function createReply(id: string, parentId: string, facts: FactsState): Reply {
  return {
    id,
    provisional: false,
    parentId,
    foreignIds: [],
    name: null,
    timestamp: null,
    finishedAt: undefined,
    usage: null,
    metadata: {},
    reason: undefined,
    ended: false,
    facts,
    slots: [],
    round: 0,
    call: undefined,
    streamed: new Map(),
    calls: new Map(),
    orphans: new Map(),
    blockIds: new Set(),
    hintIds: new Set(),
    asking: 0,
    submitted: 0,
    refused: [],
    lastText: undefined,
    lastTextRid: '',
    lastTextBlockId: '',
    shown: undefined,
    content: [],
    dirty: [],
    rebuild: false,
  };
}

/** Puts a slot at the end. */
export function append<S extends Slot>(reply: Reply, slot: S): S {
  slot.index = reply.slots.length;
  reply.slots.push(slot);
  reply.shown = undefined;
  return slot;
}

/** Says that a slot is about to change. */
export function touch(reply: Reply, slot: Slot): void {
  reply.shown = undefined;
  if (slot.block === undefined) return;
  slot.block = undefined;
  reply.dirty.push(slot);
}

/** Takes slots away, and finds the places of the rest again. */
export function removeSlots(reply: Reply, removed: (slot: Slot) => boolean): void {
  reply.slots = reply.slots.filter((slot) => !removed(slot));
  reply.slots.forEach((slot, i) => (slot.index = i));
  reply.rebuild = true;
  reply.shown = undefined;
}

/** How a fold makes a message of its data: with all that `Msg` can do, or as a view that is only read. */
export type MakeMsg<M extends MsgView> = (data: MsgData) => M;

/** The message so far; the same object as long as nothing changes. Closed blocks are shared with earlier messages. */
export function shownMsg<M extends MsgView>(reply: Reply, make: MakeMsg<M>): M {
  reply.shown ??= make({
    id: reply.id,
    name: reply.name,
    role: 'ASSISTANT',
    content: contentOf(reply),
    metadata: Object.freeze(metadataOf(reply)) as Metadata,
    timestamp: reply.timestamp,
    usage: reply.usage,
    ...(reply.finishedAt === undefined ? {} : { finishedAt: reply.finishedAt }),
  });
  return reply.shown as M;
}

/** What is said, else what open questions imply (WIRE F19). */
export function reasonOfReply({ reason, asking, submitted }: Reply): GenerateReason {
  return reason ?? (asking > 0 ? 'PERMISSION_ASKING' : submitted > 0 ? 'TOOL_SUSPENDED' : 'MODEL_STOP');
}

function metadataOf(reply: Reply): Record<string, unknown> {
  const reason = reasonOfReply(reply);
  return reason === 'MODEL_STOP' ? { ...reply.metadata } : { ...reply.metadata, [REASON_KEY]: reason };
}

function contentOf(reply: Reply): readonly ContentBlock[] {
  const before = reply.content;
  const content = reply.rebuild ? [] : [...before]; // slice() of a frozen list is sixty times slower in V8
  for (const slot of reply.dirty) if (slot.index < content.length) content[slot.index] = blockOf(slot);
  for (let i = content.length; i < reply.slots.length; i++) content.push(blockOf(reply.slots[i] as Slot));
  reply.dirty = [];
  reply.rebuild = false;
  reply.content = Object.freeze(content);
  return reply.content;
}
