import { reasonOf, REASON_KEY } from '../../message/index.ts';
import type { ContentBlock, MsgData } from '../../message/index.ts';
import { createFacts } from './facts-state.ts';
import type { Facts } from '../facts.ts';
import { append, createReply } from './reply.ts';
import type { Reply } from './reply.ts';
import { indexSlots } from './slot-index.ts';
import type { Slot } from './slots.ts';

/** A stored message as a reply that can go on. */
export function replyOf(msg: MsgData, facts: Facts | undefined): Reply {
  const calls = msg.content.reduce((highest, block) => Math.max(highest, block.call ?? 0), 0);
  const reply = createReply(msg.id, '', createFacts(msg.id, facts));
  if (facts === undefined) reply.facts = createFacts(msg.id, { ...reply.facts.now, agentName: msg.name ?? '', calls });
  const { [REASON_KEY]: _reason, ...metadata } = msg.metadata;
  const reason = reasonOf(msg.metadata);
  reply.metadata = metadata;
  reply.reason = reason === 'MODEL_STOP' ? undefined : reason;
  reply.name = msg.name;
  reply.timestamp = msg.timestamp;
  reply.finishedAt = msg.finishedAt;
  reply.usage = msg.usage;
  reply.ended = true;
  for (const block of msg.content) append(reply, slotOf(block));
  indexSlots(reply);
  return reply;
}

/** A slot that goes on where the block is. */
export function slotOf(block: ContentBlock): Slot {
  const base = { index: 0, round: -1, call: block.call, createdAt: block.createdAt, finishedAt: block.finishedAt, extra: block.extra, block };
  switch (block.type) {
    case 'text':
      return { ...base, kind: 'text', key: '', id: block.id ?? '', text: block.text, pieces: [], open: false, metadata: block.metadata };
    case 'thinking':
      return { ...base, kind: 'thinking', key: '', id: block.id ?? '', text: block.thinking, pieces: [], open: false, metadata: block.metadata };
    case 'tool_use': {
      const { id, name, input, state, metadata, suggestedRules: rules } = block;
      return { ...base, kind: 'call', id, name, input, state, metadata, rules, text: block.content ?? '', pieces: [], closed: (block.content ?? '').trimEnd().endsWith('}'), nullContent: block.content === null, result: undefined };
    }
    case 'tool_result': {
      const { id, name, state, metadata } = block;
      return { ...base, kind: 'result', id, name, state, metadata, output: [...block.output], text: '', pieces: [], sealed: state !== 'running', outputString: block.outputString === true };
    }
    default:
      return { ...base, kind: 'whole', whole: block };
  }
}
