import { addUsage, ERROR_KEY, isGenerateReason, messageTime, readUsage, SUSPENDED_KEY } from '../../message/index.ts';
import type { AgentEndEvent, AgentEvent, AgentStartEvent, HintBlockEvent, ModelCallEndEvent, ModelCallStartEvent } from '../events.ts';
import { closeData } from './data.ts';
import { modelCallBegins, modelCallEnds, runEnds } from './facts-state.ts';
import { denyRefused } from './people.ts';
import { append, reasonOfReply, removeSlots, touch } from './reply.ts';
import type { Reply } from './reply.ts';
import { sealResult } from './results.ts';
import type { Slot, WholeSlot } from './slots.ts';
import { indexSlots } from './slot-index.ts';
import { closeText } from './text.ts';

/** What AGENT_START says of the message. A reply that goes on keeps what it has. */
export function agentStarts(reply: Reply, event: AgentStartEvent): void {
  reply.name ??= event.name ?? null;
  reply.timestamp ??= messageTime(event.createdAt) ?? null;
  reply.shown = undefined;
}

export function modelCallStarts(reply: Reply, event: ModelCallStartEvent): void {
  denyRefused(reply);
  reply.round++;
  reply.call = modelCallBegins(reply.facts, event);
}

/** The usage counts even when the blocks of the call are taken back (WIRE F24). */
export function modelCallStops(reply: Reply, event: ModelCallEndEvent): void {
  const usage = readUsage(event.usage);
  if (usage !== null) reply.usage = addUsage(reply.usage, usage);
  if (event.metadata?.['discarded'] === true) takeBack(reply, event);
  modelCallEnds(reply.facts, event);
  reply.call = undefined;
  reply.shown = undefined;
}

/** Ignored if a hint with this id is there (WIRE F10). */
export function hint(reply: Reply, event: HintBlockEvent): void {
  const id = event.blockId ?? '';
  if (reply.hintIds.has(id)) return;
  reply.hintIds.add(id);
  const createdAt = messageTime(event.createdAt);
  appendWhole(reply, { type: 'hint', id, hint: event.hint ?? '', source: event.hintSource || null, ...(createdAt === undefined ? {} : { createdAt }) });
}

export function appendWhole(reply: Reply, whole: WholeSlot['whole']): void {
  append<WholeSlot>(reply, { kind: 'whole', whole, index: 0, round: reply.round, call: whole.call, createdAt: undefined, finishedAt: undefined, block: undefined });
}

/** The last of what says why a reply ended counts (WIRE F19). */
export function setReason(reply: Reply, reason: unknown): void {
  if (!isGenerateReason(reason)) return;
  reply.reason = reason;
  reply.shown = undefined;
}

/** AGENT_END: closes everything; the reply can go on all the same (WIRE F21). */
export function agentEnds(reply: Reply, event: AgentEndEvent): void {
  setReason(reply, event.generateReason);
  denyRefused(reply);
  const at = messageTime(event.createdAt);
  const interrupted = reply.reason === 'INTERRUPTED';
  for (const slot of reply.slots.slice()) closeSlot(reply, slot, { at, interrupted });
  if (event.error !== undefined && event.error !== null) reply.metadata[ERROR_KEY] = { type: event.error.type, message: event.error.message };
  mergeMetadata(reply, event);
  reply.finishedAt = at;
  reply.ended = true;
  reply.call = undefined;
  reply.shown = undefined;
  runEnds(reply.facts, reasonOfReply(reply), event);
}

function closeSlot(reply: Reply, slot: Slot, { at, interrupted }: { at: string | undefined; interrupted: boolean }): void {
  if (slot.kind === 'text' || slot.kind === 'thinking') {
    if (!slot.open) return;
    touch(reply, slot);
    closeText(reply, slot, at);
  } else if (slot.kind === 'data') {
    if (!slot.open) return;
    touch(reply, slot);
    closeData(reply, slot, at);
  } else if (slot.kind === 'result' && interrupted && !slot.sealed && slot.metadata[SUSPENDED_KEY] !== true) {
    sealResult(reply, slot, 'interrupted');
    slot.finishedAt ??= at;
  }
}

/** `metadata.msg` of AGENT_END is merged into the metadata of the message. */
function mergeMetadata(reply: Reply, event: AgentEvent): void {
  const more = event.metadata?.['msg'];
  if (typeof more !== 'object' || more === null || Array.isArray(more)) return;
  reply.metadata = { ...reply.metadata, ...more };
}

/** What the open call said goes away; of the newest one that has ended, named by its number, what it said (WIRE F24, and a last answer said anew). */
function takeBack(reply: Reply, event: ModelCallEndEvent): void {
  if (reply.call !== undefined) return takeBackRound(reply);
  const call = event.metadata?.['call'];
  if (typeof call !== 'number' || call !== reply.facts.now.lastCall?.call) return;
  removeSlots(reply, (slot) => slot.call === call && slot.kind !== 'result');
  indexSlots(reply);
}

/** Every block opened since the newest MODEL_CALL_START goes away. */
function takeBackRound(reply: Reply): void {
  const { round } = reply;
  if (!reply.slots.some((slot) => slot.round === round)) return;
  removeSlots(reply, (slot) => slot.round === round);
  indexSlots(reply);
}
