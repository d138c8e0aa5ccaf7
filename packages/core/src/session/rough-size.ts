import type { ContentBlock, MsgData } from '../message/index.ts';
import { CONTEXT_EDIT } from './context-edit.ts';
import type { JournalEntry } from './entry.ts';

/** Bytes of what stands around the texts, as measured over typical sessions. */
const EVENT_BYTES = 260;
const CUT_BYTES = 9;
const INPUT_BYTES = 180;
const MSG_BYTES = 140;
const BLOCK_BYTES = 130;
const USAGE_BYTES = 150;

/**
 * About how many bytes an entry takes in the journal. Only to decide when a snapshot is worth it: the exact number would cost as much
 * as writing the entry.
 */
export function roughSize(entry: JournalEntry): number {
  switch (entry.kind) {
    case 'event':
      return sizeOfEvent(entry.event);
    case 'delta':
      return EVENT_BYTES + sizeOfEvent(entry.event) + CUT_BYTES * entry.cuts.length;
    case 'input':
      return INPUT_BYTES + roughMsgSize(entry.msg);
    case 'state':
      // An import counts as a snapshot, so its size is asked for there.
      return 80 + (entry.name === CONTEXT_EDIT ? 0 : sizeOfValue(entry.value));
    case 'blob':
      return 60 + entry.data.length;
    default:
      return 120;
  }
}

/** About how many bytes a message takes in a snapshot; one text is kept without the block around it. */
export function roughMsgSize({ content = [], text = '', metadata, usage }: Partial<MsgData> & { readonly text?: string }): number {
  let size = MSG_BYTES + text.length + (usage ? USAGE_BYTES : 0);
  for (const block of content) size += BLOCK_BYTES + sizeOfBlock(block);
  for (const name in metadata) size += name.length + sizeOfValue(metadata[name]);
  return size;
}

/** Deltas come alone and are stored together. */
function sizeOfEvent(event: object): number {
  const { delta, data, toolCalls, metadata } = event as { delta?: unknown; data?: unknown; toolCalls?: unknown; metadata?: unknown };
  if (typeof delta === 'string') return CUT_BYTES + delta.length;
  return EVENT_BYTES + (data === undefined ? 0 : sizeOfValue(data)) + (toolCalls === undefined ? 0 : sizeOfValue(toolCalls)) + (metadata === undefined ? 0 : sizeOfValue(metadata));
}

function sizeOfBlock(block: ContentBlock): number {
  if (block.type === 'text') return block.text.length;
  if (block.type === 'thinking') return block.thinking.length;
  return sizeOfValue(block);
}

function sizeOfValue(value: unknown): number {
  if (typeof value === 'string') return value.length + 3;
  if (typeof value !== 'object' || value === null) return 6;
  let size = 2;
  if (Array.isArray(value)) for (const item of value) size += sizeOfValue(item);
  else for (const name in value) size += name.length + 4 + sizeOfValue((value as Record<string, unknown>)[name]);
  return size;
}
