import type { AgentEvent } from '../event/index.ts';
import { isObject } from '../internal/index.ts';
import type { FlushPoint } from '../session/index.ts';

/**
 * Where the loop waits until what happened is durable (DESIGN §4), read off the events themselves: the end or a pause, the intent of
 * a tool with an effect, the end of a model call or of a tool.
 */
export function flushPointOf(events: readonly AgentEvent[]): FlushPoint {
  let point: FlushPoint = 'delta';
  for (const event of events) {
    if (event.type === 'AGENT_END') return 'end';
    if (event.type === 'TOOL_RESULT_START' && isIntentWithEffect(event)) point = 'intent';
    else if (point === 'delta' && (event.type === 'MODEL_CALL_END' || event.type === 'TOOL_RESULT_END')) point = 'step';
  }
  return point;
}

function isIntentWithEffect({ metadata }: AgentEvent): boolean {
  const run = metadata?.['run'];
  if (!isObject(run)) return false;
  return (run['decision'] === 'allow' || run['decision'] === 'user-allow') && run['effect'] !== 'read';
}
