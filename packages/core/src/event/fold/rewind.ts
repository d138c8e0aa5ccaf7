import type { AgentEvent } from '../events.ts';
import { createLane } from './lane.ts';
import type { Lane } from './lane.ts';
import type { Reply } from './reply.ts';
import type { SeenIds } from './seen.ts';
import { isFoldSnapshot, restoreReply } from './snapshot.ts';
import type { LaneSnapshot, ReplySnapshot } from './snapshot.ts';

/** Name of the `CUSTOM` event that takes back what a viewer saw before it was durable: it goes on from `value.snapshot`. */
export const REWIND = 'agentscope.rewind';

/** What the fold holds: `''` is the lane of the agent itself. */
export interface FoldState {
  readonly lanes: Map<string, Lane>;
  readonly seen: SeenIds;
  /** The last event of a trusted fold, whose ids are not noted one by one. */
  newest?: AgentEvent;
}

export function laneKey(source: string, taskId: string | undefined): string {
  return taskId === undefined ? source : `${source}\n${taskId}`;
}

/** Forgets the snapshot's replies (without one: the newest reply, if it is open) and goes on from the snapshot. */
export function rewind(state: FoldState, snapshot: unknown): void {
  if (isFoldSnapshot(snapshot)) return restore(state, snapshot);
  const top = state.lanes.get('');
  const newest = top?.replies.at(-1);
  if (newest !== undefined && !newest.ended) forget(state, newest);
}

/** Puts a snapshot's replies in the place of those it knows. */
export function restore(state: FoldState, snapshot: unknown): void {
  if (!isFoldSnapshot(snapshot)) return;
  for (const saved of snapshot.lanes) forgetKnown(state, saved);
  for (const saved of snapshot.lanes) {
    const key = laneKey(saved.source, saved.taskId);
    let lane = state.lanes.get(key);
    if (lane === undefined) state.lanes.set(key, (lane = createLane(saved.source, saved.taskId)));
    for (const reply of saved.replies) putBack(state, lane, reply);
  }
  for (const [id, epoch, n] of snapshot.watermarks) state.seen.setWatermark(id, epoch, n);
}

function putBack({ seen }: FoldState, lane: Lane, saved: ReplySnapshot): void {
  const reply = restoreReply(saved);
  lane.replies.push(reply);
  for (const id of saved.ids) lane.byId.set(id, reply);
  if (saved.open) lane.open = reply;
  if (reply.foreignIds !== undefined) seen.remember(reply.foreignIds);
}

/** What is there already of what a snapshot holds. */
function forgetKnown(state: FoldState, { source, taskId, replies }: LaneSnapshot): void {
  const lane = state.lanes.get(laneKey(source, taskId));
  if (lane === undefined) return;
  const ids = new Set(replies.map(({ id }) => id));
  for (const reply of lane.replies.filter(({ id }) => ids.has(id))) {
    if (source === '') forget(state, reply);
    else forgetReply(state, lane, reply);
  }
}

/** A reply of the top level, and those of children that began within it. */
function forget(state: FoldState, reply: Reply): void {
  for (const [key, lane] of state.lanes) {
    for (const gone of lane.replies.filter((other) => other === reply || (key !== '' && other.parentId === reply.id))) forgetReply(state, lane, gone);
    if (key !== '' && lane.replies.length === 0) state.lanes.delete(key);
  }
}

function forgetReply({ seen }: FoldState, lane: Lane, reply: Reply): void {
  lane.replies = lane.replies.filter((other) => other !== reply);
  for (const [id, other] of lane.byId) {
    if (other !== reply) continue;
    lane.byId.delete(id);
    seen.forgetReply(id);
  }
  if (lane.open === reply) lane.open = undefined;
  seen.forget(reply.foreignIds ?? []);
}
