import type { AgentEvent } from '../event/index.ts';
import { isObject } from '../internal/index.ts';
import type { FlushPoint } from '../session/index.ts';

/**
 * Where the loop waits until what happened is durable (DESIGN §4), read off the events themselves: the end or a pause, the intent of
 * a tool with an effect, the end of a model call or of a tool, a question or a stop.
 */
export function flushPointOf(events: readonly AgentEvent[]): FlushPoint {
  let point: FlushPoint = 'delta';
  for (const event of events) {
    if (event.type === 'AGENT_END') return 'end';
    if (event.type === 'TOOL_RESULT_START' && isIntentWithEffect(event)) point = 'intent';
    else if (point === 'delta' && isStepEnd(event)) point = 'step';
  }
  return point;
}

/** Others act on these: who is asked, who stops. */
const ASKS_OR_STOPS: ReadonlySet<string> = new Set<AgentEvent['type']>(['REQUIRE_USER_CONFIRM', 'REQUIRE_EXTERNAL_EXECUTION', 'ALL_TOOLS_DENIED', 'REQUEST_STOP']);

/** What takes a model call back waits for what comes in its place. */
function isStepEnd(event: AgentEvent): boolean {
  return event.type === 'TOOL_RESULT_END' || ASKS_OR_STOPS.has(event.type) || (event.type === 'MODEL_CALL_END' && event.metadata?.['discarded'] !== true);
}

function isIntentWithEffect(event: AgentEvent): boolean {
  return isIntent(event) && isObject(event.metadata?.['run']) && event.metadata['run']['effect'] !== 'read';
}

function isIntent({ metadata }: AgentEvent): boolean {
  const run = metadata?.['run'];
  return isObject(run) && (run['decision'] === 'allow' || run['decision'] === 'user-allow');
}

/** True for events that say what begins right after them: a model call, a tool. */
export function startsWork(events: readonly AgentEvent[]): boolean {
  return events.some((event) => event.type === 'MODEL_CALL_START' || (event.type === 'TOOL_RESULT_START' && isIntent(event)));
}
