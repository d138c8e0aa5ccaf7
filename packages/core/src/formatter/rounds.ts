import type { ContentBlock, HintBlock, Msg, ToolResultBlock, ToolUseBlock } from '../message/index.ts';

/** A part of the conversation before repair: something said to the model, or one model call with what answered it. */
export type Segment = Said | Round;

export interface Said {
  readonly kind: 'system' | 'user' | 'hint';
  readonly name: string | null;
  /** Of a hint: who said it. */
  readonly source?: string | null;
  readonly blocks: readonly ContentBlock[];
}

export interface Round {
  readonly kind: 'round';
  readonly name: string | null;
  readonly call: number | undefined;
  /** Everything the model said in this call, its tool calls among it. */
  readonly blocks: ContentBlock[];
  readonly calls: CallSlot[];
}

interface CallSlot {
  readonly block: ToolUseBlock;
  readonly round: Round;
  result: ToolResultBlock | undefined;
}

/**
 * Cuts stored messages where the model calls were, and gives every result to its call wherever it is stored: in the same message
 * (ours, Java 2), in a message of role TOOL (Java 1) or in one of role SYSTEM (Python 1). Results without a call are left out.
 */
export function cutRounds(messages: readonly Msg[]): readonly Segment[] {
  const segments: Segment[] = [];
  const slots = new Map<string, CallSlot[]>();
  for (const message of messages) {
    if (message.role === 'ASSISTANT') cutReply(message, segments, slots);
    else cutSaid(message, segments, slots);
  }
  return segments;
}

function cutSaid(message: Msg, segments: Segment[], slots: Map<string, CallSlot[]>): void {
  const blocks = message.content.some(isForeign) ? message.content.filter((block) => !isForeign(block)) : message.content;
  for (const block of message.content) if (block.type === 'tool_result') answer(block, slots);
  const kind = message.role === 'SYSTEM' ? 'system' : 'user';
  if (blocks.length > 0) segments.push({ kind, name: message.name, blocks });
}

function isForeign(block: ContentBlock): boolean {
  return block.type === 'tool_result' || block.type === 'tool_use' || block.type === 'thinking';
}

function cutReply(message: Msg, segments: Segment[], slots: Map<string, CallSlot[]>): void {
  let round: Round | undefined;
  let closed = true;
  for (const block of message.content) {
    if (block.type === 'tool_result') {
      answer(block, slots);
      closed = true;
    } else if (block.type === 'hint') {
      segments.push(hinted(block));
      closed = true;
    } else {
      if (round === undefined || startsRound(round, block, closed)) {
        round = { kind: 'round', name: message.name, call: block.call, blocks: [], calls: [] };
        segments.push(round);
      }
      closed = false;
      round.blocks.push(block);
      if (block.type === 'tool_use') openCall({ block, round, result: undefined }, slots);
    }
  }
}

/** By the number of the model call; where there is none, what follows a result or a hint is a new one. */
function startsRound(round: Round, block: ContentBlock, closed: boolean): boolean {
  return block.call !== undefined && round.call !== undefined ? block.call !== round.call : closed;
}

function hinted(block: HintBlock): Said {
  return { kind: 'hint', name: null, source: block.source, blocks: typeof block.hint === 'string' ? [block] : block.hint };
}

function openCall(slot: CallSlot, slots: Map<string, CallSlot[]>): void {
  slot.round.calls.push(slot);
  const list = slots.get(slot.block.id);
  if (list === undefined) slots.set(slot.block.id, [slot]);
  else list.push(slot);
}

/** An id may come again (C024): the newest round that waits for it gets the result, its first waiting call before its second. */
function answer(result: ToolResultBlock, slots: Map<string, CallSlot[]>): void {
  const list = slots.get(result.id);
  if (list === undefined) return;
  const newest = list.findLast((slot) => slot.result === undefined || slot.result.state === 'running');
  if (newest === undefined) return;
  const slot = list.find((one) => one.round === newest.round && (one.result === undefined || one.result.state === 'running'));
  (slot ?? newest).result = result;
}
