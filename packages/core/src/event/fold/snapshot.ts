import { isObject } from '../../internal/index.ts';
import type { JsonObject } from '../../internal/index.ts';
import type { ContentBlock, GenerateReason } from '../../message/index.ts';
import type { Facts } from '../facts.ts';
import { base64Pieces } from './base64-pieces.ts';
import { blockOf } from './build.ts';
import type { FactsState } from './facts-state.ts';
import { createFacts } from './facts-state.ts';
import type { Lane } from './lane.ts';
import { append, createReply } from './reply.ts';
import type { Reply } from './reply.ts';
import { slotOf } from './restore.ts';
import { indexSlots } from './slot-index.ts';
import type { DataSlot, Slot } from './slots.ts';

/** A reply as JSON, complete enough to go on with any next event. Its form is private to this version of the fold: with a change, raise `SNAPSHOT_FORM` in `session/`. */
export interface ReplySnapshot {
  readonly id: string;
  readonly ids: readonly string[];
  readonly foreignIds: readonly string[] | null;
  readonly provisional: boolean;
  readonly parentId: string;
  readonly name: string | null;
  readonly timestamp: string | null;
  readonly finishedAt: string | null;
  readonly usage: Reply['usage'];
  readonly metadata: JsonObject;
  readonly reason: GenerateReason | null;
  readonly ended: boolean;
  readonly open: boolean;
  readonly round: number;
  readonly call: number | null;
  readonly facts: Facts;
  readonly before: FactsState['before'];
  readonly slots: readonly SlotSnapshot[];
}
interface SlotSnapshot {
  readonly block: ContentBlock;
  readonly round: number;
  /** What a block does not show: its key and whether it is open; the chunks of data; that no argument came yet. */
  readonly key?: string;
  readonly open?: boolean;
  readonly chunks?: readonly string[];
  readonly mediaType?: string | null;
  readonly noText?: boolean;
}

export function replySnapshot(lane: Lane, reply: Reply): ReplySnapshot {
  return {
    id: reply.id,
    ids: Array.from(lane.byId).flatMap(([id, other]) => (other === reply ? [id] : [])),
    foreignIds: reply.foreignIds === undefined ? null : reply.foreignIds.slice(),
    provisional: reply.provisional,
    parentId: reply.parentId,
    name: reply.name,
    timestamp: reply.timestamp,
    finishedAt: reply.finishedAt ?? null,
    usage: reply.usage,
    metadata: { ...reply.metadata } as JsonObject,
    reason: reply.reason ?? null,
    ended: reply.ended,
    open: lane.open === reply,
    round: reply.round,
    call: reply.call ?? null,
    facts: { ...reply.facts.now },
    before: { ...reply.facts.before },
    slots: reply.slots.map(slotSnapshot),
  };
}

export function restoreReply(snapshot: ReplySnapshot): Reply {
  const reply = createReply(snapshot.id, snapshot.parentId, createFacts(snapshot.id, snapshot.facts));
  reply.facts.before = { ...snapshot.before };
  reply.foreignIds = snapshot.foreignIds === null ? undefined : [...snapshot.foreignIds];
  reply.provisional = snapshot.provisional;
  reply.name = snapshot.name;
  reply.timestamp = snapshot.timestamp;
  reply.finishedAt = snapshot.finishedAt ?? undefined;
  reply.usage = snapshot.usage;
  reply.metadata = { ...snapshot.metadata };
  reply.reason = snapshot.reason ?? undefined;
  reply.ended = snapshot.ended;
  reply.round = snapshot.round;
  reply.call = snapshot.call ?? undefined;
  for (const slot of snapshot.slots) append(reply, restoreSlot(slot));
  indexSlots(reply);
  const { refused } = snapshot.facts;
  reply.refused = Array.from(reply.calls.values()).filter((call) => call.state === 'finished' && call.result === undefined && refused.includes(call.id));
  return reply;
}

/** Whether a value looks like what `snapshot()` gives. */
export function isFoldSnapshot(value: unknown): value is { readonly lanes: readonly LaneSnapshot[]; readonly watermarks: readonly (readonly [string, number, number])[] } {
  return isObject(value) && Array.isArray(value['lanes']) && Array.isArray(value['watermarks']);
}

export interface LaneSnapshot {
  readonly source: string;
  readonly taskId?: string;
  readonly replies: readonly ReplySnapshot[];
}

function slotSnapshot(slot: Slot): SlotSnapshot {
  const base = { block: blockOf(slot), round: slot.round };
  switch (slot.kind) {
    case 'text':
    case 'thinking':
      return { ...base, key: slot.key, open: slot.open };
    case 'data':
      return { ...base, key: slot.key, open: slot.open, chunks: slot.pieces.chunks.slice(), mediaType: slot.mediaType ?? null };
    case 'call':
      return slot.text === '' && !slot.nullContent ? { ...base, noText: true } : base;
    default:
      return base;
  }
}

function restoreSlot({ block, round, key, open, chunks, mediaType, noText }: SlotSnapshot): Slot {
  if (block.type === 'data' && chunks !== undefined) return dataSlot({ block, key: key ?? '', open: open === true, pieces: base64Pieces(chunks), mediaType: mediaType ?? undefined, round });
  const slot = slotOf(block);
  slot.round = round;
  if (slot.kind === 'text' || slot.kind === 'thinking') return { ...slot, key: key ?? '', open: open === true };
  if (slot.kind === 'call' && noText === true) {
    slot.text = '';
    slot.closed = false;
  }
  return slot;
}

function dataSlot({ block, ...rest }: Pick<DataSlot, 'key' | 'open' | 'pieces' | 'mediaType' | 'round'> & { block: ContentBlock & { type: 'data' } }): DataSlot {
  const url = block.source.type === 'url' ? block.source.url : undefined;
  return {
    ...rest,
    kind: 'data',
    id: block.id ?? '',
    name: block.name,
    url,
    metadata: block.metadata,
    index: 0,
    call: block.call,
    createdAt: block.createdAt,
    finishedAt: block.finishedAt,
    block,
  };
}
