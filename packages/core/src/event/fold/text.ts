import { messageTime } from '../../message/index.ts';
import type { ThinkingBlockDeltaEvent, ThinkingBlockEndEvent, ThinkingBlockStartEvent, TextBlockDeltaEvent, TextBlockEndEvent, TextBlockStartEvent } from '../events.ts';
import { modelSpoke } from './facts-state.ts';
import { append, removeSlots, touch } from './reply.ts';
import type { Reply } from './reply.ts';
import { indexSlots } from './slot-index.ts';
import { addPiece } from './slots.ts';
import type { TextSlot } from './slots.ts';
import { mergeBlockMetadata, streamKey, uniqueBlockId } from './stream-key.ts';

type Kind = TextSlot['kind'];

/** An open block with this key goes on; an ended one stays, and a new one begins (WIRE F7). */
export function textStart(reply: Reply, event: TextBlockStartEvent | ThinkingBlockStartEvent, kind: Kind): void {
  const slot = reply.streamed.get(streamKey(kind, event));
  if (slot === undefined || !slot.open) openText(reply, event, kind);
}

/** Goes to the newest block of its key, opening one if there is none. */
export function textDelta(reply: Reply, event: TextBlockDeltaEvent | ThinkingBlockDeltaEvent, kind: Kind): void {
  let slot = reply.lastText;
  if (slot === undefined || slot.kind !== kind || reply.lastTextBlockId !== event.blockId || reply.lastTextRid !== event.replyId) {
    slot = (reply.streamed.get(streamKey(kind, event)) as TextSlot | undefined) ?? openText(reply, event, kind);
    reply.lastText = slot;
    reply.lastTextRid = event.replyId;
    reply.lastTextBlockId = event.blockId;
  }
  const { delta } = event;
  if (typeof delta !== 'string' || delta === '') return;
  touch(reply, slot);
  addPiece(slot, delta);
  if (kind === 'text' && reply.call !== undefined && reply.facts.now.repairs > 0 && delta.trim() !== '') modelSpoke(reply.facts);
}

export function textEnd(reply: Reply, event: TextBlockEndEvent | ThinkingBlockEndEvent, kind: Kind): void {
  const key = streamKey(kind, event);
  let slot = reply.streamed.get(key) as TextSlot | undefined;
  if (slot === undefined && event.metadata?.['block'] !== undefined) slot = openText(reply, event, kind);
  if (slot === undefined) return;
  touch(reply, slot);
  slot.metadata = mergeBlockMetadata(slot.metadata, event);
  closeText(reply, slot, messageTime(event.createdAt));
}

/** A block that said nothing and has no metadata is taken away. */
export function closeText(reply: Reply, slot: TextSlot, at: string | undefined): void {
  if (!slot.open) return;
  slot.open = false;
  slot.finishedAt = at;
  if (slot.text !== '' || slot.pieces.length > 0 || slot.metadata !== undefined) return;
  removeSlots(reply, (other) => other === slot);
  indexSlots(reply);
}

function openText(reply: Reply, event: { replyId: string; blockId: string; createdAt: string }, kind: Kind): TextSlot {
  const key = streamKey(kind, event);
  const slot = append<TextSlot>(reply, {
    kind,
    key,
    id: uniqueBlockId(reply, event.blockId),
    index: 0,
    round: reply.round,
    call: reply.call,
    createdAt: messageTime(event.createdAt),
    finishedAt: undefined,
    block: undefined,
    text: '',
    pieces: [],
    open: true,
    metadata: undefined,
  });
  reply.streamed.set(key, slot);
  reply.lastText = undefined;
  return slot;
}
