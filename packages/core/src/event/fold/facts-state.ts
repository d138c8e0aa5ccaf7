import type { Facts, ModelCallEndFacts, ModelCallPurpose } from '../facts.ts';
import type { AgentEndEvent, AgentStartEvent, ModelCallEndEvent, ModelCallStartEvent, RequestStopEvent } from '../events.ts';
import { isObject } from '../../internal/index.ts';
import type { JsonObject } from '../../internal/index.ts';
import type { GenerateReason } from '../../message/index.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Facts of one reply, and what they were before the newest model call, in case it is taken back. */
export interface FactsState {
  now: Mutable<Facts>;
  before: Pick<Facts, 'lastCall' | 'calls' | 'repairs' | 'structured'>;
}

export function createFacts(replyId: string, given?: Facts): FactsState {
  const now: Mutable<Facts> = given ? { ...given } : { replyId, agentName: '', inputIds: [], running: false, closed: false, iterations: 0, repairs: 0, calls: 0, interrupted: false, exceeded: false, refused: [] };
  return { now, before: whatADiscardRestores(now) };
}

function whatADiscardRestores({ calls, repairs, lastCall, structured }: Facts): FactsState['before'] {
  return { calls, repairs, ...(lastCall === undefined ? {} : { lastCall }), ...(structured === undefined ? {} : { structured }) };
}

/** A copy: what was handed out never changes. */
export function factsOf({ now }: FactsState): Facts {
  return { ...now };
}

/**
 * AGENT_START: a run begins, first or again. A stop or an interrupt of the run before no longer counts, unless that run was cut off
 * before it could end by it: then this one still has to.
 */
export function runBegins({ now }: FactsState, event?: AgentStartEvent): void {
  if (!now.running) {
    now.interrupted = false;
    delete now.stop;
  }
  now.running = true;
  now.closed = false;
  delete now.askedAt;
  if (event === undefined) return;
  if (event.createdAt) now.startedAt = event.createdAt;
  if (now.agentName === '') now.agentName = event.name ?? '';
  const ids = event.metadata?.['inputIds'];
  const structured = event.metadata?.['structured'];
  if (isObject(structured) && isObject(structured['schema'])) now.structured = { schema: structured['schema'] as JsonObject, reminders: now.structured?.reminders ?? 0 };
  if (Array.isArray(ids)) now.inputIds = [...new Set([...now.inputIds, ...ids.filter((id) => typeof id === 'string')])];
}

/** AGENT_END with the reason the reply has then. */
export function runEnds({ now }: FactsState, reason: GenerateReason, { createdAt }: AgentEndEvent): void {
  const tookMs = now.running ? Date.parse(createdAt) - Date.parse(now.startedAt ?? '') : 0;
  if (tookMs > 0) now.activeMs = (now.activeMs ?? 0) + tookMs;
  now.running = false;
  now.closed = !isPause(reason);
}

export function isPause(reason: GenerateReason): boolean {
  return reason === 'PERMISSION_ASKING' || reason === 'TOOL_SUSPENDED' || reason.endsWith('_STOP_REQUESTED');
}

export function modelCallBegins(state: FactsState, { metadata }: ModelCallStartEvent): number {
  const { now } = state;
  const call = typeof metadata?.['call'] === 'number' ? metadata['call'] : now.calls + 1;
  const purpose = (typeof metadata?.['purpose'] === 'string' ? metadata['purpose'] : 'reason') as ModelCallPurpose;
  state.before = whatADiscardRestores(now);
  now.calls = Math.max(now.calls, call);
  now.lastCall = { call, purpose, ended: false };
  if (purpose === 'repair') now.repairs++;
  if (now.structured !== undefined && metadata?.['cause'] === 'structured') now.structured = { ...now.structured, reminders: now.structured.reminders + 1 };
  return call;
}

/** A discarded call leaves the facts as they were before it. A rewritten one stands for the call it replaces, so it counts as one. */
export function modelCallEnds(state: FactsState, { metadata }: ModelCallEndEvent): void {
  const { now, before } = state;
  const facts = (metadata ?? {}) as ModelCallEndFacts;
  const { lastCall } = now;
  if (lastCall === undefined) return;
  const isLate = lastCall.ended && facts.discarded === true && metadata?.['call'] === lastCall.call;
  if (lastCall.ended && !isLate) return;
  if (isLate && countsAsRound(lastCall.purpose)) now.iterations--;
  if (facts.discarded === true) {
    now.calls = before.calls;
    now.repairs = before.repairs;
    if (before.structured !== undefined) now.structured = before.structured;
    if (before.lastCall === undefined) delete now.lastCall;
    else now.lastCall = before.lastCall;
    return;
  }
  now.lastCall = {
    ...lastCall,
    ended: true,
    ...(typeof facts.finishReason === 'string' ? { finishReason: facts.finishReason } : {}),
    ...(facts.error === undefined || facts.error === null ? {} : { error: facts.error }),
  };
  if (countsAsRound(lastCall.purpose)) now.iterations++;
}

function countsAsRound(purpose: ModelCallPurpose): boolean {
  return purpose === 'reason' || purpose === 'rewrite';
}

/** The model called a tool, or said something. */
export function modelSpoke({ now }: FactsState): void {
  if (now.repairs !== 0) now.repairs = 0;
}

export function stopRequested({ now }: FactsState, { reason, generateReason }: RequestStopEvent): void {
  now.stop = { reason: reason ?? '', generateReason: generateReason ?? 'MIDDLEWARE_STOP_REQUESTED' };
  now.stoppedAt = now.calls;
}

export function questionsAsked({ now }: FactsState, createdAt: string): void {
  now.askedAt = createdAt;
}

export function allDenied({ now }: FactsState): void {
  now.allDenied = now.lastCall?.call ?? now.calls;
}

export function callRefused({ now }: FactsState, id: string): void {
  now.refused = [...now.refused, id];
}
