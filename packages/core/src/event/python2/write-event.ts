import type { JsonObject } from '../../internal/index.ts';
import { blocksToPython2, blockToPython2, mediaTypeOf, reasonToPython2, usageToPython2, writeRule } from '../../message/index.ts';
import type { ContentBlock, HintBlock, PythonOwner } from '../../message/index.ts';
import type { AgentEndEvent, AgentEvent, ConfirmResult, DataBlockDeltaEvent, HintBlockEvent, ModelCallEndEvent, ToolResultDataDeltaEvent } from '../events.ts';
import { isPause } from '../fold/facts-state.ts';

/** An event as Python 2 prints it; undefined for what has no twin there (WIRE §5.2): AGENT_RESULT, REQUEST_STOP, the end of a pause. */
export function eventToPython2(event: AgentEvent): JsonObject | undefined {
  const fields = fieldsOf(event);
  if (fields === undefined) return undefined;
  const source = event.source === undefined || event.source === '' ? {} : { source: event.source };
  return { id: event.id, created_at: event.createdAt, metadata: { ...event.metadata, ...source }, type: TYPES.get(event.type) ?? event.type, ...fields };
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['AGENT_START', 'REPLY_START'],
  ['AGENT_END', 'REPLY_END'],
  ['ALL_TOOLS_DENIED', 'CUSTOM'],
  ['SUBAGENT_EXPOSED', 'CUSTOM'],
]);

function fieldsOf(event: AgentEvent): JsonObject | undefined {
  const reply_id = event.replyId ?? '';
  switch (event.type) {
    case 'AGENT_START':
      return { reply_id, session_id: event.sessionId, name: event.name, role: event.role };
    case 'AGENT_END':
      return writeEnd(event);
    case 'AGENT_RESULT':
    case 'REQUEST_STOP':
      return undefined;
    case 'MODEL_CALL_START':
      return { reply_id, model_name: event.modelName ?? '' };
    case 'MODEL_CALL_END':
      return writeModelCallEnd(event);
    case 'TEXT_BLOCK_DELTA':
    case 'THINKING_BLOCK_DELTA':
      return { reply_id, block_id: event.blockId, delta: event.delta };
    case 'TEXT_BLOCK_START':
    case 'TEXT_BLOCK_END':
    case 'THINKING_BLOCK_START':
    case 'THINKING_BLOCK_END':
    case 'DATA_BLOCK_END':
      return { reply_id, block_id: event.blockId };
    case 'DATA_BLOCK_START':
      return { reply_id, block_id: event.blockId, media_type: event.mediaType ?? UNKNOWN_TYPE };
    case 'DATA_BLOCK_DELTA':
      return writeDataDelta(event);
    case 'TOOL_CALL_START':
    case 'TOOL_RESULT_START':
      return { reply_id, tool_call_id: event.toolCallId, tool_call_name: event.toolCallName };
    case 'TOOL_CALL_DELTA':
    case 'TOOL_RESULT_TEXT_DELTA':
      return { reply_id, tool_call_id: event.toolCallId, delta: event.delta };
    case 'TOOL_CALL_END':
      return { reply_id, tool_call_id: event.toolCallId };
    case 'TOOL_RESULT_DATA_DELTA':
      return writeToolData(event);
    case 'TOOL_RESULT_END':
      return { reply_id, tool_call_id: event.toolCallId, state: event.state };
    default:
      return peopleFields(event, { id: reply_id, createdAt: event.createdAt });
  }
}

function peopleFields(event: AgentEvent, owner: PythonOwner): JsonObject | undefined {
  const reply_id = event.replyId ?? '';
  switch (event.type) {
    case 'REQUIRE_USER_CONFIRM':
    case 'REQUIRE_EXTERNAL_EXECUTION':
      return { reply_id, tool_calls: blocksToPython2(event.toolCalls, owner) };
    case 'USER_CONFIRM_RESULT':
      return { reply_id, confirm_results: event.confirmResults.map((answer) => writeConfirm(answer, owner)) };
    case 'EXTERNAL_EXECUTION_RESULT':
      return { reply_id, execution_results: blocksToPython2(event.toolResults, owner) };
    case 'EXCEED_MAX_ITERS':
      return { reply_id, name: event.name ?? '' };
    case 'HINT_BLOCK':
      return writeHint(event);
    case 'USER_INTERRUPT':
      return { reply_id };
    case 'ALL_TOOLS_DENIED':
      return { name: 'all_tools_denied', value: { denied_tool_calls: blocksToPython2(event.deniedToolCalls, owner) } };
    case 'SUBAGENT_EXPOSED': {
      const { subagentId: subagent_id, agentId: agent_id, sessionId: session_id, label } = event;
      return { name: 'subagent_exposed', value: { subagent_id, agent_id, session_id, ...(label === undefined ? {} : { label }) } };
    }
    case 'CUSTOM':
      return { name: event.name, value: event.value as JsonObject };
    default:
      return undefined;
  }
}

const UNKNOWN_TYPE = 'application/octet-stream';

/** Python says nothing at a pause. */
function writeEnd({ replyId, sessionId = '', generateReason, error }: AgentEndEvent): JsonObject | undefined {
  if (generateReason !== undefined && isPause(generateReason)) return undefined;
  const finished_reason = error === undefined ? (reasonToPython2(generateReason) ?? 'completed') : 'error';
  return { reply_id: replyId, session_id: sessionId, finished_reason, error: error === undefined ? null : { type: error.type, message: error.message } };
}

function writeModelCallEnd({ replyId, usage, finishedReason }: ModelCallEndEvent): JsonObject {
  return { reply_id: replyId, ...usageToPython2(usage ?? { inputTokens: 0, outputTokens: 0 }), finished_reason: finishedReason ?? 'completed' };
}

/** A piece that is a URL cannot be written. */
function writeDataDelta({ replyId, blockId, delta, mediaType, url }: DataBlockDeltaEvent): JsonObject | undefined {
  return url === undefined ? { reply_id: replyId, block_id: blockId, data: delta, media_type: mediaType ?? UNKNOWN_TYPE } : undefined;
}

/** Only media are data there; text that came as a block goes out as a text delta would. */
function writeToolData({ replyId, toolCallId, data }: ToolResultDataDeltaEvent): JsonObject | undefined {
  if (!('source' in data) || typeof data.source !== 'object' || data.source === null) return undefined;
  const { source } = data;
  const block_id = (data.type === 'data' ? data.id : undefined) ?? `${toolCallId}-0`;
  const [base64, url] = source.type === 'url' ? [null, source.url] : [source.data, null];
  return { reply_id: replyId, tool_call_id: toolCallId, block_id, media_type: mediaTypeOf(data.type as 'data', source), data: base64, url };
}

function writeHint({ replyId, blockId, hint, hintSource, createdAt }: HintBlockEvent): JsonObject {
  const parts = hint as HintBlock['hint'];
  return { reply_id: replyId, block_id: blockId, source: hintSource || null, hint: typeof parts === 'string' ? parts : blocksToPython2(parts as ContentBlock[], { id: blockId, createdAt }) };
}

function writeConfirm({ confirmed, toolCall, rules }: ConfirmResult, owner: PythonOwner): JsonObject {
  return { confirmed, tool_call: blockToPython2(toolCall, owner), rules: rules === null ? null : rules.map((rule) => writeRule(rule, false)) };
}
