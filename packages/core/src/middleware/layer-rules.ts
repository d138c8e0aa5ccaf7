import type { AgentEvent } from '../event/index.ts';

/** Where a middleware stands. */
export type StageName = 'onAgent' | 'onReasoning' | 'onModelCall' | 'onActing' | 'onToolCall';

/**
 * What the loop rests on: a call that begins and ends, a tool that starts, a question, a stop, an end. A middleware passes each on before
 * it asks for the next event, and may add to its metadata only.
 */
const FIRM: ReadonlySet<string> = new Set([
  'AGENT_START', 'AGENT_RESULT', 'AGENT_END', 'MODEL_CALL_START', 'MODEL_CALL_END', 'TOOL_RESULT_START', 'TOOL_RESULT_END', 'REQUIRE_USER_CONFIRM', 'REQUIRE_EXTERNAL_EXECUTION',
  'USER_CONFIRM_RESULT', 'EXTERNAL_EXECUTION_RESULT', 'USER_INTERRUPT', 'ALL_TOOLS_DENIED', 'REQUEST_STOP', 'EXCEED_MAX_ITERS', 'HINT_BLOCK', 'SUBAGENT_EXPOSED',
]);
const BLOCKS = ['TEXT_BLOCK', 'THINKING_BLOCK', 'DATA_BLOCK'].flatMap((name) => [`${name}_START`, `${name}_DELTA`, `${name}_END`]);
const CALLS = ['TOOL_CALL_START', 'TOOL_CALL_DELTA', 'TOOL_CALL_END'];
const OUTPUT = ['TOOL_RESULT_TEXT_DELTA', 'TOOL_RESULT_DATA_DELTA'];
const KNOWN: ReadonlySet<string> = new Set([...FIRM, ...BLOCKS, ...CALLS, ...OUTPUT, 'CUSTOM']);

const ANYWHERE = ['CUSTOM', 'REQUEST_STOP'];
const ANSWER = [...ANYWHERE, ...BLOCKS, ...CALLS, 'HINT_BLOCK', 'MODEL_CALL_START', 'MODEL_CALL_END'];
/** What a middleware may say of its own, by stage. */
const MAY_ADD: Readonly<Record<StageName, ReadonlySet<string>>> = {
  onAgent: new Set([...ANYWHERE, 'HINT_BLOCK']),
  onReasoning: new Set(ANSWER),
  onModelCall: new Set(ANSWER),
  onActing: new Set([...ANYWHERE, ...OUTPUT, 'TOOL_RESULT_START']),
  onToolCall: new Set([...ANYWHERE, ...OUTPUT, 'TOOL_RESULT_START']),
};

export function isKnown(event: AgentEvent): boolean {
  return KNOWN.has(event.type);
}

export function isFirm(event: AgentEvent): boolean {
  return FIRM.has(event.type);
}

/** A result that is replaced, and a model call that is taken back and begun again, are the only firm ones a middleware makes itself. */
export function mayAdd(stage: StageName, event: AgentEvent): boolean {
  if (!MAY_ADD[stage].has(event.type)) return false;
  if (event.type === 'TOOL_RESULT_START') return event.metadata?.['replaces'] === true;
  return event.type !== 'MODEL_CALL_END' || event.metadata?.['discarded'] === true;
}

/** True for what was passed on with nothing but more in its metadata. */
export function isSame(given: AgentEvent, passed: AgentEvent): boolean {
  if (given === passed) return true;
  const [before, after] = [given as unknown as Fields, passed as unknown as Fields];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const name of names) if (name !== 'metadata' && before[name] !== after[name]) return false;
  const [had, has] = [given.metadata ?? {}, passed.metadata ?? {}];
  return Object.keys(had).every((name) => had[name] === has[name]);
}

interface Fields {
  readonly [name: string]: unknown;
}
