import type { EventStream, SessionStreamOptions, StreamOptions } from './agent.ts';
import type { V1Event, V1EventType } from './v1-stream-event.ts';
import { V1View } from './v1-stream-view.ts';

export interface V1Options {
  /** Which of them come. Default: all. */
  readonly eventTypes?: readonly V1EventType[] | undefined;
  /** True: a piece holds what is new. False: everything its step has said so far. Default true. */
  readonly incremental?: boolean | undefined;
}
export interface V1StreamOptions extends StreamOptions, V1Options {}
export interface V1SessionStreamOptions extends SessionStreamOptions, V1Options {}

const ALL: readonly V1EventType[] = ['REASONING', 'TOOL_RESULT', 'HINT', 'SUMMARY', 'AGENT_RESULT'];

/** The coarse view of AgentScope 1 over the events of one reply. Lazy as they are; leaving early leaves them. */
export async function* v1Stream(events: EventStream, { eventTypes = ALL, incremental = true }: V1Options = {}): AsyncGenerator<V1Event, void, undefined> {
  const view = new V1View(incremental);
  for await (const event of events) {
    for (const step of view.take(event)) if (eventTypes.includes(step.type)) yield step;
  }
  if (eventTypes.includes('AGENT_RESULT')) yield { type: 'AGENT_RESULT', message: await events.result, isLast: true };
}
