import { AgentScopeError } from '../../error/index.ts';
import type { JsonObject } from '../../internal/index.ts';
import { CONFIRM_KEY, EXTERNAL_KEY } from '../../message/index.ts';
import type { Msg, MsgData, MsgView } from '../../message/index.ts';
import type { AgentEvent } from '../events.ts';
import type { Facts } from '../facts.ts';
import { applyTo } from './apply.ts';
import { createFacts, factsOf } from './facts-state.ts';
import { createLane } from './lane.ts';
import type { Lane } from './lane.ts';
import { shownMsg } from './reply.ts';
import type { MakeMsg, Reply } from './reply.ts';
import { replyOf } from './restore.ts';
import { laneKey, restore, rewind, REWIND } from './rewind.ts';
import type { FoldState } from './rewind.ts';
import { isOwnId, SeenIds } from './seen.ts';
import { replySnapshot } from './snapshot.ts';

/** The messages of a child, told apart by the path of who said them and, where there is one, its task. */
export interface ChildMessages<M extends MsgView = Msg> {
  readonly source: string;
  readonly taskId?: string;
  readonly messages: readonly M[];
}

/**
 * Events in, messages out, at any time (WIRE §4). It never throws: repeats are skipped, what comes out of order or is unknown finds
 * its place or none. Events may come from any of AgentScope's languages, once read by `parseEvent`.
 */
export interface Fold<M extends MsgView = Msg> {
  apply(event: AgentEvent): void;
  /** The newest top-level reply so far; undefined before its first event. The same object as long as nothing changed. */
  message(): M | undefined;
  /** Every top-level reply, in the order they began. */
  messages(): readonly M[];
  /** What children said, in the order they first spoke. */
  children(): readonly ChildMessages<M>[];
  /** What the loop decides on beside the message, of the newest top-level reply; before its first event `replyId` is `''`. */
  facts(): Facts;
  /** Everything, as JSON, to go on from later: `createFold({ snapshot })`. Its form is private. */
  snapshot(): JsonObject;
}

export interface FoldOptions {
  /** A stored message to go on from, a paused one mostly. */
  readonly seed?: MsgData | undefined;
  /** What `snapshot()` gave. */
  readonly snapshot?: JsonObject | undefined;
  /** Facts of the seed, where they were kept. */
  readonly facts?: Facts | undefined;
  /** Each event comes once, so ids need no look: a journal's own fold. Default false. */
  readonly trusted?: boolean | undefined;
}

/** A fold whose messages are made by `make`. */
export function foldWith<M extends MsgView>(make: MakeMsg<M>, { seed, snapshot, facts, trusted = false }: FoldOptions = {}): Fold<M> {
  const top = createLane('', undefined);
  const state: FoldState = { lanes: new Map([['', top]]), seen: new SeenIds() };
  if (seed !== undefined) plant(top, seed, facts);
  if (snapshot !== undefined) restore(state, snapshot);
  return {
    apply: trusted ? (event) => applyTrusted(state, top, event) : (event) => apply(state, top, event),
    message: () => (top.replies.length === 0 ? undefined : shownMsg(top.replies.at(-1) as Reply, make)),
    messages: () => top.replies.map((reply) => shownMsg(reply, make)),
    children: () => Array.from(state.lanes.values()).filter((lane) => lane !== top && lane.replies.length > 0).map((lane) => childOf(lane, make)),
    facts: () => factsOf(top.replies.at(-1)?.facts ?? createFacts('')),
    snapshot: () => snapshotOf(state),
  };
}

/** Folds all of them. @throws AgentScopeError `event/invalid` when there is no reply in it */
export function foldAll<M extends MsgView>(fold: Fold<M>, events: Iterable<AgentEvent> | AsyncIterable<AgentEvent>): M | Promise<M> {
  if (Symbol.asyncIterator in events) return foldAsync(fold, events);
  for (const event of events) fold.apply(event);
  return toldBy(fold);
}

async function foldAsync<M extends MsgView>(fold: Fold<M>, events: AsyncIterable<AgentEvent>): Promise<M> {
  for await (const event of events) fold.apply(event);
  return toldBy(fold);
}

function toldBy<M extends MsgView>(fold: Fold<M>): M {
  const msg = fold.message();
  if (msg === undefined) throw new AgentScopeError('event/invalid', 'The events hold no reply: there is nothing to make a message of.', { details: { path: 'AGENT_START' } });
  return msg;
}

function apply(state: FoldState, top: Lane, event: AgentEvent): void {
  if (event.type === 'CUSTOM' && event.name === REWIND) return rewind(state, (event.value as JsonObject | null)?.['snapshot']);
  const { id, replyId } = event;
  // What is kept of an unknown type was not read, so its members may be anything.
  const noted = typeof id === 'string' && id !== '' ? state.seen.note(id, typeof replyId === 'string' ? replyId : '') : 'own';
  if (noted === 'repeat') return;
  const lane = typeof event.source === 'string' && event.source !== '' ? childLane(state, event) : top;
  if (isSettled(state, lane, event)) return;
  const reply = applyTo(lane, event, lane === top ? '' : ((top.open ?? top.replies.at(-1))?.id ?? ''));
  if (reply === undefined) return;
  if (noted === 'foreign') reply.foreignIds?.push(id);
  if (event.type === 'AGENT_END') settleOthers(state, lane, reply);
}

/** The newest id is noted only when a snapshot needs the watermark. */
function applyTrusted(state: FoldState, top: Lane, event: AgentEvent): void {
  state.newest = event;
  const lane = event.source === undefined || event.source === '' ? top : childLane(state, event);
  applyTo(lane, event, lane === top ? '' : ((top.open ?? top.replies.at(-1))?.id ?? ''));
}

function childLane({ lanes }: FoldState, { source = '', metadata }: AgentEvent): Lane {
  const taskId = typeof metadata?.['taskId'] === 'string' ? metadata['taskId'] : undefined;
  const key = laneKey(source, taskId);
  let lane = lanes.get(key);
  if (lane === undefined) lanes.set(key, (lane = createLane(source, taskId)));
  return lane;
}

/**
 * A set of foreign ids must not grow for ever. The newest reply keeps its ids, the one that ended just now, and any that waits for an
 * answer; those of other ended replies are let go, and whatever still comes for such a reply is a repeat.
 */
function settleOthers({ seen }: FoldState, lane: Lane, ended: Reply): void {
  const newest = lane.replies.at(-1);
  for (const reply of lane.replies) {
    if (reply === newest || reply === ended || !reply.ended || !reply.facts.now.closed || reply.foreignIds === undefined || reply.foreignIds.length === 0) continue;
    seen.forget(reply.foreignIds);
    reply.foreignIds = undefined;
  }
}

function isSettled({ seen }: FoldState, lane: Lane, { id, replyId }: AgentEvent): boolean {
  const reply = replyId ? lane.byId.get(replyId) : undefined;
  if (reply === undefined || reply.foreignIds !== undefined || !id || !replyId || isOwnId(id, replyId)) return false;
  seen.forget([id]);
  return true;
}

function plant(top: Lane, seed: MsgData, facts: Facts | undefined): void {
  const reply = replyOf(seed, facts);
  top.replies.push(reply);
  top.byId.set(reply.id, reply);
  for (const key of [CONFIRM_KEY, EXTERNAL_KEY]) {
    const rid = seed.metadata[key];
    if (typeof rid === 'string' && rid !== '') top.byId.set(rid, reply);
  }
}

function childOf<M extends MsgView>({ source, taskId, replies }: Lane, make: MakeMsg<M>): ChildMessages<M> {
  return { source, ...(taskId === undefined ? {} : { taskId }), messages: replies.map((reply) => shownMsg(reply, make)) };
}

function snapshotOf({ lanes, seen, newest }: FoldState): JsonObject {
  if (newest?.replyId) seen.note(newest.id, newest.replyId);
  const saved = Array.from(lanes.values(), (lane) => ({
    source: lane.source,
    ...(lane.taskId === undefined ? {} : { taskId: lane.taskId }),
    replies: lane.replies.map((reply) => replySnapshot(lane, reply)),
  }));
  return { lanes: saved, watermarks: seen.watermarks() } as unknown as JsonObject;
}
