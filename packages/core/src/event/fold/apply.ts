import type { AgentEvent, ExternalExecutionResultEvent, UserConfirmResultEvent } from '../events.ts';
import { callDelta, callEnd, callStart } from './calls.ts';
import { dataDelta, dataEnd, dataStart } from './data.ts';
import { agentEnds, agentStarts, hint, modelCallStarts, modelCallStops, setReason } from './ending.ts';
import { takeEvidence } from './evidence.ts';
import { allDenied, stopRequested } from './facts-state.ts';
import { knownReply, replyFor, resumeEarlier, startReply } from './lane.ts';
import type { Lane } from './lane.ts';
import { confirmResults, externalResults, requireAnswers } from './people.ts';
import type { Reply } from './reply.ts';
import { resultDataDelta, resultEnd, resultStart, resultTextDelta } from './results.ts';
import { isOwnId } from './seen.ts';
import { textDelta, textEnd, textStart } from './text.ts';

/** One event into its reply, which is returned. Nothing is returned where the event adds nothing and no reply is there. */
export function applyTo(lane: Lane, event: AgentEvent, parentId: string): Reply | undefined {
  switch (event.type) {
    case 'AGENT_START': {
      const reply = startReply(lane, event, parentId);
      agentStarts(reply, event);
      return reply;
    }
    case 'AGENT_END':
    case 'REQUEST_STOP':
    case 'EXCEED_MAX_ITERS':
    case 'USER_INTERRUPT':
      return applyControl(lane, event);
    case 'ALL_TOOLS_DENIED':
      return noteAllDenied(lane, event.replyId ?? '');
    case 'CUSTOM':
    case 'SUBAGENT_EXPOSED':
      return knownReply(lane, '');
    default:
      if (!CONTENT_TYPES.has(event.type)) return undefined; // a type of a newer emitter, kept by { unknown: 'keep' }
      return applyContent(replyFor(lane, event, parentId), lane, event);
  }
}

type ControlEvent = Extract<AgentEvent, { type: 'AGENT_END' | 'REQUEST_STOP' | 'EXCEED_MAX_ITERS' | 'USER_INTERRUPT' }>;
type OtherEvent = Extract<AgentEvent, { type: ControlEvent['type'] | 'AGENT_START' | 'CUSTOM' | 'SUBAGENT_EXPOSED' | 'ALL_TOOLS_DENIED' }>;
type ContentEvent = Exclude<AgentEvent, OtherEvent>;

const CONTENT_TYPES: ReadonlySet<string> = new Set<ContentEvent['type']>([
  'TEXT_BLOCK_START',
  'TEXT_BLOCK_DELTA',
  'TEXT_BLOCK_END',
  'THINKING_BLOCK_START',
  'THINKING_BLOCK_DELTA',
  'THINKING_BLOCK_END',
  'DATA_BLOCK_START',
  'DATA_BLOCK_DELTA',
  'DATA_BLOCK_END',
  'TOOL_CALL_START',
  'TOOL_CALL_DELTA',
  'TOOL_CALL_END',
  'TOOL_RESULT_START',
  'TOOL_RESULT_TEXT_DELTA',
  'TOOL_RESULT_DATA_DELTA',
  'TOOL_RESULT_END',
  'MODEL_CALL_START',
  'MODEL_CALL_END',
  'HINT_BLOCK',
  'REQUIRE_USER_CONFIRM',
  'REQUIRE_EXTERNAL_EXECUTION',
  'USER_CONFIRM_RESULT',
  'EXTERNAL_EXECUTION_RESULT',
  'AGENT_RESULT',
]);

/** No content; the loop says it once for each step. */
function noteAllDenied(lane: Lane, replyId: string): Reply | undefined {
  const reply = knownReply(lane, replyId);
  if (reply) allDenied(reply.facts);
  return reply;
}

/** What ends or stops a reply never opens one. */
function applyControl(lane: Lane, event: ControlEvent): Reply | undefined {
  const reply = knownReply(lane, event.replyId ?? '');
  if (reply === undefined) return undefined;
  switch (event.type) {
    case 'AGENT_END':
      agentEnds(reply, event);
      if (lane.open === reply) lane.open = undefined;
      break;
    case 'REQUEST_STOP':
      setReason(reply, event.generateReason ?? 'MIDDLEWARE_STOP_REQUESTED');
      stopRequested(reply.facts, event);
      break;
    case 'EXCEED_MAX_ITERS':
      setReason(reply, 'MAX_ITERATIONS');
      reply.facts.now.exceeded = true;
      break;
    case 'USER_INTERRUPT':
      reply.facts.now.interrupted = true;
  }
  return reply;
}

/** Deltas first: they are nearly all there is. */
function applyContent(reply: Reply, lane: Lane, event: ContentEvent): Reply {
  switch (event.type) {
    case 'TEXT_BLOCK_DELTA':
      textDelta(reply, event, 'text');
      break;
    case 'THINKING_BLOCK_DELTA':
      textDelta(reply, event, 'thinking');
      break;
    case 'TOOL_CALL_DELTA':
      callDelta(reply, event);
      break;
    case 'TOOL_RESULT_TEXT_DELTA':
      resultTextDelta(reply, event);
      break;
    case 'TEXT_BLOCK_START':
      textStart(reply, event, 'text');
      break;
    case 'TEXT_BLOCK_END':
      textEnd(reply, event, 'text');
      break;
    case 'THINKING_BLOCK_START':
      textStart(reply, event, 'thinking');
      break;
    case 'THINKING_BLOCK_END':
      textEnd(reply, event, 'thinking');
      break;
    case 'DATA_BLOCK_START':
      dataStart(reply, event);
      break;
    case 'DATA_BLOCK_DELTA':
      dataDelta(reply, event);
      break;
    case 'DATA_BLOCK_END':
      dataEnd(reply, event);
      break;
    default:
      applyStep(reply, lane, event);
  }
  return reply;
}

type StepEvent = Exclude<ContentEvent, { type: `${string}_BLOCK_START` | `${string}_BLOCK_DELTA` | `${string}_BLOCK_END` | 'TOOL_CALL_DELTA' | 'TOOL_RESULT_TEXT_DELTA' }>;

function applyStep(reply: Reply, lane: Lane, event: StepEvent): void {
  switch (event.type) {
    case 'TOOL_CALL_START':
      return callStart(reply, event);
    case 'TOOL_CALL_END':
      return callEnd(reply, event);
    case 'TOOL_RESULT_START':
      return resultStart(reply, event);
    case 'TOOL_RESULT_DATA_DELTA':
      return resultDataDelta(reply, event);
    case 'TOOL_RESULT_END':
      return resultEnd(reply, event);
    case 'MODEL_CALL_START':
      return modelCallStarts(reply, event);
    case 'MODEL_CALL_END':
      return modelCallStops(reply, event);
    case 'HINT_BLOCK':
      return hint(reply, event);
    case 'REQUIRE_USER_CONFIRM':
    case 'REQUIRE_EXTERNAL_EXECUTION':
      return requireAnswers(reply, event);
    case 'USER_CONFIRM_RESULT':
    case 'EXTERNAL_EXECUTION_RESULT':
      return takeAnswers(reply, lane, event);
    case 'AGENT_RESULT':
      if (!isOwnId(event.id, event.replyId ?? '')) takeEvidence(reply, event); // ours is the fold of the same events
  }
}

function takeAnswers(reply: Reply, lane: Lane, event: UserConfirmResultEvent | ExternalExecutionResultEvent): void {
  if (lane.open !== reply) resumeEarlier(lane, reply);
  if (event.type === 'USER_CONFIRM_RESULT') confirmResults(reply, event);
  else externalResults(reply, event);
}
