import { spellings } from '../../message/index.ts';
import type { Spellings } from '../../message/index.ts';
import type { AgentEventType } from '../events.ts';

/**
 * How a member is read and written. `id`: text, always there in the model, left out by Java where it is empty. `text`: text, always
 * there. `word?`: text or absent. The rest says what it holds.
 */
export type FieldKind = 'id' | 'text' | 'word?' | 'number' | 'object' | 'error?' | 'usage?' | 'reason' | 'hint' | 'state' | 'msg' | 'block' | 'calls' | 'results' | 'confirms';
export type Fields = Readonly<Record<string, FieldKind>>;

/** The members of each type beside the common ones (WIRE §3.2), with our extensions. Made by a call: see {@link EVENT_NAMES}. */
export const EVENT_FIELDS: Readonly<Record<AgentEventType, Fields>> = /* @__PURE__ */ eventFields();

function eventFields(): Readonly<Record<AgentEventType, Fields>> {
  const block: Fields = { replyId: 'id', blockId: 'id' };
  const call: Fields = { replyId: 'id', toolCallId: 'id', toolCallName: 'id' };
  return {
    AGENT_START: { sessionId: 'id', replyId: 'id', name: 'id', role: 'text' },
    AGENT_END: { replyId: 'id', sessionId: 'word?', generateReason: 'word?', error: 'error?' },
    AGENT_RESULT: { replyId: 'word?', result: 'msg' },
    MODEL_CALL_START: { replyId: 'id', modelName: 'word?' },
    MODEL_CALL_END: { replyId: 'id', usage: 'usage?', finishedReason: 'word?' },
    TEXT_BLOCK_START: block,
    TEXT_BLOCK_DELTA: { ...block, delta: 'text' },
    TEXT_BLOCK_END: block,
    THINKING_BLOCK_START: block,
    THINKING_BLOCK_DELTA: { ...block, delta: 'text' },
    THINKING_BLOCK_END: block,
    DATA_BLOCK_START: { ...block, mediaType: 'word?', name: 'word?' },
    DATA_BLOCK_DELTA: { ...block, delta: 'text', mediaType: 'word?', url: 'word?' },
    DATA_BLOCK_END: block,
    TOOL_CALL_START: call,
    TOOL_CALL_DELTA: { ...call, delta: 'text' },
    TOOL_CALL_END: call,
    TOOL_RESULT_START: call,
    TOOL_RESULT_TEXT_DELTA: { ...call, delta: 'text' },
    TOOL_RESULT_DATA_DELTA: { ...call, data: 'block' },
    TOOL_RESULT_END: { ...call, state: 'state' },
    EXCEED_MAX_ITERS: { replyId: 'text', maxIters: 'number', currentIter: 'number', name: 'word?' },
    REQUIRE_USER_CONFIRM: { replyId: 'id', toolCalls: 'calls' },
    REQUIRE_EXTERNAL_EXECUTION: { replyId: 'id', toolCalls: 'calls' },
    USER_CONFIRM_RESULT: { replyId: 'id', confirmResults: 'confirms' },
    EXTERNAL_EXECUTION_RESULT: { replyId: 'id', toolResults: 'results' },
    REQUEST_STOP: { replyId: 'word?', reason: 'text', generateReason: 'reason' },
    ALL_TOOLS_DENIED: { replyId: 'word?', deniedToolCalls: 'calls' },
    HINT_BLOCK: { ...block, hintSource: 'id', hint: 'hint' },
    SUBAGENT_EXPOSED: { replyId: 'word?', subagentId: 'text', agentId: 'text', sessionId: 'text', label: 'word?' },
    USER_INTERRUPT: { replyId: 'id' },
    CUSTOM: { replyId: 'word?', name: 'text', value: 'object' },
  };
}

/** Types of the events that Java knows without a reply id. */
export const WITHOUT_REPLY: ReadonlySet<string> = new Set<AgentEventType>(['AGENT_RESULT', 'REQUEST_STOP', 'ALL_TOOLS_DENIED', 'SUBAGENT_EXPOSED', 'CUSTOM']);

/** Names that Java's enum understands, and Python's and the older TypeScript package's. */
export const TYPE_ALIASES: ReadonlyMap<string, AgentEventType> = new Map<string, AgentEventType>([
  ['RUN_STARTED', 'AGENT_START'],
  ['REPLY_START', 'AGENT_START'],
  ['RUN_FINISHED', 'AGENT_END'],
  ['REPLY_END', 'AGENT_END'],
  ['MODEL_CALL_STARTED', 'MODEL_CALL_START'],
  ['MODEL_CALL_ENDED', 'MODEL_CALL_END'],
  ['BINARY_BLOCK_START', 'DATA_BLOCK_START'],
  ['BINARY_BLOCK_DELTA', 'DATA_BLOCK_DELTA'],
  ['BINARY_BLOCK_END', 'DATA_BLOCK_END'],
  ['TOOL_RESULT_BINARY_DELTA', 'TOOL_RESULT_DATA_DELTA'],
  ['THREAD_EXPOSED', 'SUBAGENT_EXPOSED'],
]);

/** Members that are read into another one, by type; they are no unknown members. */
const ALSO_READ: Readonly<Partial<Record<AgentEventType, readonly string[]>>> = {
  AGENT_END: ['finishedReason'],
  MODEL_CALL_END: ['inputTokens', 'outputTokens', 'cacheInputTokens', 'cacheCreationInputTokens', 'totalTokens'],
  DATA_BLOCK_DELTA: ['data'],
  TOOL_RESULT_DATA_DELTA: ['mediaType', 'url', 'blockId'],
  EXTERNAL_EXECUTION_RESULT: ['executionResults'],
};

const COMMON = ['type', 'id', 'createdAt', 'source', 'metadata'];

/** The members of each type by every spelling. Made by a call, so that a bundler drops it where nothing is read. */
export const EVENT_NAMES: ReadonlyMap<string, Spellings> = /* @__PURE__ */ eventNames();

function eventNames(): ReadonlyMap<string, Spellings> {
  const types = Object.keys(EVENT_FIELDS) as AgentEventType[];
  return new Map(types.map((type) => [type, spellings([...COMMON, ...Object.keys(EVENT_FIELDS[type]), ...(ALSO_READ[type] ?? [])])]));
}
