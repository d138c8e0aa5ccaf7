import type { JsonObject } from '../internal/index.ts';
import type { AgentEvent } from './events.ts';
import { toJava2, toPython2 } from './wire.ts';

export interface TranslateOptions {
  readonly to: 'java2' | 'python2';
  /**
   * What a model call that may still be taken back gets (WIRE F24), since neither Java nor Python can take it back. Default `'show'`:
   * it goes out as it comes. `'hold'`: it waits for its end, and does not go out when it was discarded.
   */
  readonly partial?: 'hold' | 'show';
}

/** A stream in another dialect, strict. Some events have no twin there: they become `CUSTOM`, or are left out (WIRE §5.2). */
export async function* translateEvents(events: AsyncIterable<AgentEvent> | Iterable<AgentEvent>, { to, partial = 'show' }: TranslateOptions): AsyncGenerator<JsonObject, void, undefined> {
  const write = to === 'java2' ? (event: AgentEvent): JsonObject => toJava2(event) : toPython2;
  for await (const event of partial === 'hold' ? settled(events) : events) {
    const written = write(event);
    if (written !== undefined) yield written;
  }
}

/** Holds each model call back until its end is known; a discarded one leaves its end only, which has the usage. */
async function* settled(events: AsyncIterable<AgentEvent> | Iterable<AgentEvent>): AsyncGenerator<AgentEvent, void, undefined> {
  const held = new Map<string, AgentEvent[]>();
  for await (const event of events) {
    const key = `${event.source ?? ''}\n${event.replyId ?? ''}`;
    const call = held.get(key);
    if (event.type === 'MODEL_CALL_START') {
      if (call !== undefined) yield* call;
      held.set(key, [event]);
    } else if (call === undefined) yield event;
    else if (event.type === 'MODEL_CALL_END' || event.type === 'AGENT_END') {
      held.delete(key);
      if (event.metadata?.['discarded'] === true) yield call[0] as AgentEvent;
      else yield* call;
      yield event;
    } else call.push(event);
  }
  for (const call of held.values()) yield* call;
}
