import { toJava2 } from '@agentscope/core';
import type { View, Write } from './view.ts';

/** One event a line as JSON, in AgentScope Java's form with extensions: what every reader of the family takes. */
export function eventsView(write: Write): View {
  return { event: (event) => write(`${JSON.stringify(toJava2(event, { extensions: true }))}\n`), end: () => undefined };
}
