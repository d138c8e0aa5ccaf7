import type { AgentEvent, AgentStartEvent } from '../events.ts';
import { createFacts, runBegins } from './facts-state.ts';
import { createReply } from './reply.ts';
import type { Reply } from './reply.ts';

/** The replies of one speaker: the agent itself, or a child told apart by its path and task (WIRE F2). */
export interface Lane {
  readonly source: string;
  readonly taskId: string | undefined;
  /** In the order they began. */
  replies: Reply[];
  /** By its own id and by every other id that was found to mean it. */
  readonly byId: Map<string, Reply>;
  /** The one that has not ended. */
  open: Reply | undefined;
}

export function createLane(source: string, taskId: string | undefined): Lane {
  return { source, taskId, replies: [], byId: new Map(), open: undefined };
}

/** AGENT_START: continues the reply it names, or opens one (WIRE F3). */
export function startReply(lane: Lane, event: AgentStartEvent, parentId: string): Reply {
  const rid = event.replyId ?? '';
  const known = rid === '' ? undefined : lane.byId.get(rid);
  const reply = known ?? openReply(lane, event, parentId);
  reopen(lane, reply);
  runBegins(reply.facts, event);
  return reply;
}

/** The reply an event belongs to; opens one where there is none that fits (WIRE F4). */
export function replyFor(lane: Lane, event: AgentEvent, parentId: string): Reply {
  return knownReply(lane, event.replyId ?? '') ?? implicitReply(lane, event, parentId);
}

/** The reply an event belongs to, if there is one. An unknown id becomes another name of the open reply. */
export function knownReply(lane: Lane, rid: string): Reply | undefined {
  const known = rid === '' ? undefined : lane.byId.get(rid);
  if (known !== undefined) return known;
  if (lane.open === undefined) return rid === '' ? lane.replies.at(-1) : undefined;
  if (rid !== '') alias(lane, lane.open, rid);
  return lane.open;
}

/** The reply is the open one again: that it ended, and why, no longer holds. */
function reopen(lane: Lane, reply: Reply): void {
  lane.open = reply;
  reply.ended = false;
  reply.finishedAt = undefined;
  reply.reason = undefined;
  reply.shown = undefined;
}

/**
 * Java resumes under a new id: an answer that names an earlier reply, while the open one says nothing yet, means the earlier one. The
 * open one becomes another name of it (WIRE F5).
 */
export function resumeEarlier(lane: Lane, reply: Reply): void {
  const { open } = lane;
  if (open === reply) return;
  if (open !== undefined) {
    if (open.slots.length > 0) return;
    lane.replies = lane.replies.filter((other) => other !== open);
    for (const [id, other] of lane.byId) if (other === open) lane.byId.set(id, reply);
    reply.foreignIds?.push(...(open.foreignIds ?? []));
  }
  reopen(lane, reply);
  runBegins(reply.facts);
}

function openReply(lane: Lane, event: AgentEvent, parentId: string): Reply {
  const rid = event.replyId ?? '';
  const id = rid || event.id || `${lane.source || 'reply'}-${lane.replies.length + 1}`;
  const reply = createReply(id, parentId, createFacts(id));
  reply.provisional = rid === '';
  lane.replies.push(reply);
  lane.byId.set(id, reply);
  return reply;
}

function implicitReply(lane: Lane, event: AgentEvent, parentId: string): Reply {
  const reply = openReply(lane, event, parentId);
  reopen(lane, reply);
  runBegins(reply.facts);
  return reply;
}

function alias(lane: Lane, reply: Reply, rid: string): void {
  lane.byId.set(rid, reply);
  if (!reply.provisional) return;
  reply.provisional = false;
  reply.id = rid;
  reply.facts.now.replyId = rid;
  reply.shown = undefined;
}
