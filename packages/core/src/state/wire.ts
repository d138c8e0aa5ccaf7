import * as event from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import type { JsonObject } from '../internal/index.ts';
import type { MsgData, WriteOptions } from '../message/index.ts';
import type { AgentState } from './agent-state.ts';
import { stateToJava2, stateToPython2 } from './write-state.ts';

/**
 * A message, an event or a state as AgentScope Java prints it. Strict by default: exactly what Java declares, without what only we
 * know. `extensions: true` adds the model's optional members, so that reading it gives an equal value: the form of journals and
 * streams. Events without blocks come back as they are then, not copied.
 */
export function toJava2(value: MsgData | AgentEvent | AgentState, options: WriteOptions = {}): JsonObject {
  return isState(value) ? stateToJava2(value, options) : event.toJava2(value, options);
}

/** A message, an event or a state as AgentScope Python 2 prints it; undefined for an event that has no twin there (WIRE §5.2). */
export function toPython2(value: MsgData | AgentState): JsonObject;
export function toPython2(value: MsgData | AgentEvent | AgentState): JsonObject | undefined;
export function toPython2(value: MsgData | AgentEvent | AgentState): JsonObject | undefined {
  return isState(value) ? stateToPython2(value) : event.toPython2(value);
}

/** Neither an event, which has a type, nor a message, which has content. */
function isState(value: MsgData | AgentEvent | AgentState): value is AgentState {
  return 'context' in value && !('type' in value) && !('content' in value);
}
