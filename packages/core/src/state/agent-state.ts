import type { JsonObject } from '../internal/index.ts';
import type { Msg } from '../message/index.ts';

/**
 * What a conversation is, beside its journal: the wire's AgentState (WIRE §7), its own members in camelCase. The contexts are kept as
 * they are written, in snake_case: rules, tasks and groups belong to those who use them.
 */
export interface AgentState {
  readonly sessionId: string;
  readonly userId: string | null;
  /** What stands for the messages that were condensed away. */
  readonly summary: string;
  readonly context: readonly Msg[];
  /** The newest reply. */
  readonly replyId: string;
  /** Model calls of that reply so far. */
  readonly curIter: number;
  /** Java: the process was shut down in the middle of a reply. Absent where nobody said. */
  readonly shutdownInterrupted?: boolean;
  readonly permissionContext: JsonObject;
  readonly toolContext: JsonObject;
  readonly tasksContext: JsonObject;
  readonly planModeContext?: JsonObject;
  /** Members of other dialects and unknown ones, as read. */
  readonly extra?: JsonObject;
}

/** The state of a conversation that has not begun, with what is given put in. */
export function createAgentState(given: Partial<AgentState> & Pick<AgentState, 'sessionId'>): AgentState {
  return {
    userId: null,
    summary: '',
    context: [],
    replyId: '',
    curIter: 0,
    permissionContext: { mode: 'default', working_directories: {}, allow_rules: {}, deny_rules: {}, ask_rules: {} },
    toolContext: { activated_groups: [] },
    tasksContext: { tasks: [] },
    ...given,
  };
}
