import { messageTime } from '../../message/index.ts';
import type { DataBlockDeltaEvent, DataBlockEndEvent, DataBlockStartEvent } from '../events.ts';
import { addBase64, base64Pieces } from './base64-pieces.ts';
import { modelSpoke } from './facts-state.ts';
import { append, removeSlots, touch } from './reply.ts';
import type { Reply } from './reply.ts';
import { indexSlots } from './slot-index.ts';
import type { DataSlot } from './slots.ts';
import { mergeBlockMetadata, streamKey, uniqueBlockId } from './stream-key.ts';

export function dataStart(reply: Reply, event: DataBlockStartEvent): void {
  const slot = reply.streamed.get(streamKey('data', event));
  if (slot === undefined || !slot.open) openData(reply, event, event.name || undefined);
}

/** The media type is that of START, else of the first delta that names one (WIRE F9). */
export function dataDelta(reply: Reply, event: DataBlockDeltaEvent): void {
  const slot = dataSlot(reply, event) ?? openData(reply, event, undefined);
  touch(reply, slot);
  slot.mediaType ??= event.mediaType || undefined;
  if (typeof event.url === 'string') slot.url = event.url;
  if (typeof event.delta === 'string' && event.delta !== '') addBase64(slot.pieces, event.delta);
}

export function dataEnd(reply: Reply, event: DataBlockEndEvent): void {
  const slot = dataSlot(reply, event);
  if (slot === undefined) return;
  touch(reply, slot);
  slot.metadata = mergeBlockMetadata(slot.metadata, event);
  closeData(reply, slot, messageTime(event.createdAt));
}

export function closeData(reply: Reply, slot: DataSlot, at: string | undefined): void {
  if (!slot.open) return;
  slot.open = false;
  slot.finishedAt = at;
  if (slot.url !== undefined || slot.pieces.chunks.length > 0 || slot.metadata !== undefined) return;
  removeSlots(reply, (other) => other === slot);
  indexSlots(reply);
}

function dataSlot(reply: Reply, event: { replyId: string; blockId: string }): DataSlot | undefined {
  return reply.streamed.get(streamKey('data', event)) as DataSlot | undefined;
}

function openData(reply: Reply, event: DataBlockStartEvent | DataBlockDeltaEvent, name: string | undefined): DataSlot {
  const key = streamKey('data', event);
  if (reply.call !== undefined) modelSpoke(reply.facts);
  const slot = append<DataSlot>(reply, {
    kind: 'data',
    key,
    id: uniqueBlockId(reply, event.blockId),
    name,
    index: 0,
    round: reply.round,
    call: reply.call,
    createdAt: messageTime(event.createdAt),
    finishedAt: undefined,
    block: undefined,
    mediaType: event.mediaType || undefined,
    url: undefined,
    pieces: base64Pieces(),
    open: true,
    metadata: undefined,
  });
  reply.streamed.set(key, slot);
  return slot;
}
