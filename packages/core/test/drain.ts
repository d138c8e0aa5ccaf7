import { expect } from 'vitest';
import type { AgentEvent } from '../src/event/index.ts';

/** Reads a stream to its end, whatever the end is. */
export async function drain(stream: AsyncIterable<AgentEvent>, onEvent: (event: AgentEvent) => void = () => undefined): Promise<{ readonly events: AgentEvent[]; readonly error: unknown }> {
  const events: AgentEvent[] = [];
  try {
    for await (const event of stream) {
      events.push(event);
      onEvent(event);
    }
  } catch (error) {
    return { events, error };
  }
  return { events, error: undefined };
}

/** Every START of a block, a call or a result has its END. */
export function expectPaired(events: readonly AgentEvent[]): void {
  const open = new Map<string, number>();
  for (const event of events) {
    const [, name, edge] = /^(.*)_(START|END)$/.exec(event.type) ?? [];
    if (name === undefined) continue;
    const id = `${name} ${'blockId' in event ? event.blockId : 'toolCallId' in event ? event.toolCallId : ''}`;
    open.set(id, (open.get(id) ?? 0) + (edge === 'START' ? 1 : -1));
  }
  expect([...open].filter(([, count]) => count !== 0)).toEqual([]);
}
