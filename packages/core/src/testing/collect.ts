import type { AgentEvent } from '../event/index.ts';

/** All events of a stream. */
export async function collect(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const list: AgentEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
}
