import { canonicalJson } from '../../internal/index.ts';
import { addUsage, readUsage, REASON_KEY } from '../../message/index.ts';
import type { ContentBlock, Metadata, MsgData, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock } from '../../message/index.ts';
import type { AgentResultEvent } from '../events.ts';
import { blockOf } from './build.ts';
import { appendCall } from './calls.ts';
import { appendWhole, setReason } from './ending.ts';
import { fillCall, withMissing } from './people.ts';
import { append, touch } from './reply.ts';
import type { Reply } from './reply.ts';
import { fillResult, findResult, openResult, sealResult } from './results.ts';
import { slotOf } from './restore.ts';
import { joined } from './slots.ts';
import type { TextSlot } from './slots.ts';

/**
 * AGENT_RESULT is evidence, not truth: Java's holds only the last model message. What the stream did not show is taken over (WIRE F20).
 */
export function takeEvidence(reply: Reply, { result }: AgentResultEvent): void {
  if (typeof result !== 'object' || result === null) return; // the journal stores the event without it
  for (const block of result.content ?? []) takeBlock(reply, block);
  takeMetadata(reply, result);
  reply.name ??= result.name ?? null;
  const usage = readUsage(result.usage);
  if (reply.usage === null && usage !== null) reply.usage = addUsage(null, usage);
  reply.shown = undefined;
}

function takeBlock(reply: Reply, block: ContentBlock): void {
  switch (block?.type) {
    case 'text':
    case 'thinking':
      return takeText(reply, block);
    case 'tool_use':
      return takeCall(reply, block);
    case 'tool_result':
      return takeResult(reply, block);
    default:
      if (block !== undefined && block !== null) takeOther(reply, block);
  }
}

function takeText(reply: Reply, block: TextBlock | ThinkingBlock): void {
  const text = block.type === 'text' ? block.text : block.thinking;
  const slots = reply.slots.filter((slot): slot is TextSlot => slot.kind === block.type);
  const equal = slots.find((slot) => joined(slot) === text);
  if (equal !== undefined) {
    if (block.metadata === undefined || block.metadata === null) return;
    touch(reply, equal);
    equal.metadata = withMissing(equal.metadata, block.metadata);
    return;
  }
  const current = slots.filter((slot) => slot.round === reply.round).map(joined);
  if (text === '' || current.join('') === text || current.join('\n') === text) return;
  append(reply, { ...slotOf(block), round: reply.round });
}

function takeCall(reply: Reply, block: ToolUseBlock): void {
  const slot = reply.calls.get(block.id);
  if (slot === undefined) appendCall(reply, block);
  else fillCall(reply, slot, block);
}

function takeResult(reply: Reply, block: ToolResultBlock): void {
  const known = findResult(reply, block.id);
  if (known?.sealed === true) return;
  const slot = known ?? openResult(reply, { toolCallId: block.id, toolCallName: block.name });
  fillResult(reply, slot, { output: block.output ?? [], state: 'running', metadata: block.metadata ?? {} });
  sealResult(reply, slot, block.state ?? 'running');
}

function takeOther(reply: Reply, block: ContentBlock): void {
  const text = withoutIds(block);
  if (!reply.slots.some((slot) => withoutIds(blockOf(slot)) === text)) appendWhole(reply, block);
}

function takeMetadata(reply: Reply, { metadata }: MsgData): void {
  const { _chat_usage: _usage, [REASON_KEY]: reason, ...rest } = (metadata ?? {}) as Metadata;
  reply.metadata = { ...reply.metadata, ...rest };
  setReason(reply, reason);
}

/** The block as text, without what differs between two tellings of it. */
function withoutIds(block: ContentBlock): string {
  const { id: _id, createdAt: _created, finishedAt: _finished, call: _call, extra: _extra, ...content } = block as ContentBlock & { id?: string };
  return canonicalJson(content);
}
