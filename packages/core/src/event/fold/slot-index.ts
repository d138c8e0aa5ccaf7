import type { Reply } from './reply.ts';
import type { Slot } from './slots.ts';

/** Finds again, from the blocks alone, which block an id or a key means: the newest one. */
export function indexSlots(reply: Reply): void {
  reply.streamed.clear();
  reply.calls.clear();
  reply.orphans.clear();
  reply.blockIds.clear();
  reply.hintIds.clear();
  reply.asking = 0;
  reply.submitted = 0;
  reply.lastText = undefined;
  for (const slot of reply.slots) indexSlot(reply, slot);
}

function indexSlot(reply: Reply, slot: Slot): void {
  switch (slot.kind) {
    case 'text':
    case 'thinking':
    case 'data':
      if (slot.key !== '') reply.streamed.set(slot.key, slot);
      if (slot.id !== '') reply.blockIds.add(slot.id);
      return;
    case 'call':
      reply.calls.set(slot.id, slot);
      slot.result = undefined;
      if (slot.state === 'asking') reply.asking++;
      if (slot.state === 'submitted') reply.submitted++;
      return;
    case 'result': {
      const call = reply.calls.get(slot.id);
      if (call === undefined) reply.orphans.set(slot.id, slot);
      else call.result ??= slot;
      return;
    }
    case 'whole':
      if (slot.whole.type === 'hint') reply.hintIds.add(slot.whole.id);
      if (slot.whole.type === 'data' && slot.whole.id !== undefined) reply.blockIds.add(slot.whole.id);
  }
}
