import type { JsonObject, JsonValue } from '../internal/index.ts';
import { msgToJava2, msgToPython2 } from '../message/index.ts';
import type { WriteOptions } from '../message/index.ts';
import type { AgentState } from './agent-state.ts';
import { summaryText } from './read-state.ts';

/** A state as AgentScope Java prints it: all eleven members, with the defaults of those we have nothing in. */
export function stateToJava2(state: AgentState, { extensions = false }: WriteOptions = {}): JsonObject {
  if (extensions) return extendedState(state);
  const { read_file_cache: _cache, ...tools } = state.toolContext;
  return {
    ...membersOf(state, false),
    shutdown_interrupted: state.shutdownInterrupted ?? false,
    permission_context: { ...PERMISSION, ...state.permissionContext },
    tool_context: { ...LIMITS, activated_groups: [], spawn_registry: {}, ...tools },
    tasks_context: { tasks: [], ...state.tasksContext },
    plan_mode_context: { plan_active: false, current_plan_file: null, ...state.planModeContext },
  };
}

/** Exactly what the model has: reading it gives an equal state. */
function extendedState(state: AgentState): JsonObject {
  return {
    ...membersOf(state, true),
    ...(state.shutdownInterrupted === undefined ? {} : { shutdown_interrupted: state.shutdownInterrupted }),
    permission_context: state.permissionContext,
    tool_context: state.toolContext,
    tasks_context: state.tasksContext,
    ...(state.planModeContext === undefined ? {} : { plan_mode_context: state.planModeContext }),
    ...(state.extra === undefined ? {} : { extra: state.extra }),
  };
}

function membersOf(state: AgentState, extensions: boolean): JsonObject {
  const context = state.context.map((msg) => msgToJava2(msg, { extensions }));
  return { session_id: state.sessionId, user_id: state.userId, summary: state.summary, context, reply_id: state.replyId, cur_iter: state.curIter };
}

/** A state as AgentScope Python 2 prints it. It knows no user, no plan mode and no agents that were spawned. */
export function stateToPython2(state: AgentState): JsonObject {
  const { extra = {} } = state;
  const { spawn_registry: _spawned, ...tools } = state.toolContext;
  return {
    session_id: state.sessionId,
    summary: summaryOf(state),
    context: state.context.map(msgToPython2),
    reply_context: { structured_schema: null, structured_output: null, ...(extra['reply_context'] as JsonObject | undefined), reply_id: state.replyId, cur_iter: state.curIter },
    permission_context: { ...PERMISSION, ...state.permissionContext },
    tool_context: { ...LIMITS, read_file_cache: [], activated_groups: [], ...tools },
    tasks_context: { tasks: [], ...state.tasksContext },
    middle_context: extra['middle_context'] ?? {},
  };
}

const LIMITS: JsonObject = { max_cache_files: 100, max_cache_bytes: 25_000 };
const PERMISSION: JsonObject = { mode: 'default', working_directories: {}, allow_rules: {}, deny_rules: {}, ask_rules: {} };

/** The blocks it was read from, as long as they say the same. */
function summaryOf({ summary, extra }: AgentState): JsonValue {
  const blocks = extra?.['summary'];
  return Array.isArray(blocks) && summaryText(blocks as JsonValue[]) === summary ? (blocks as JsonValue[]) : summary;
}
