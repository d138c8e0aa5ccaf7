// A program that declares a CUSTOM event. It has a compiler run of its own: what is declared here counts in the whole of a program.
import { createEvent } from '@agentscope/core';
import type { AgentEvent, ToolContext } from '@agentscope/core';

declare module '@agentscope/core' {
  interface CustomEvents {
    'acme.progress': { readonly done: number };
    'acme.note': { readonly text: string };
  }
}

export function done(event: AgentEvent): number | undefined {
  if (event.type !== 'CUSTOM') return undefined;
  if (event.name === 'acme.progress') return event.value.done;
  const { text } = event.value; // the other one
  return text.length;
}

createEvent('CUSTOM', { name: 'acme.progress', value: { done: 1 } });
// @ts-expect-error the value of this name has a number
createEvent('CUSTOM', { name: 'acme.progress', value: { done: 'much' } });
// @ts-expect-error nobody declared this name
createEvent('CUSTOM', { name: 'acme.unknown', value: {} });

export function emit(ctx: ToolContext): void {
  ctx.emit({ type: 'CUSTOM', name: 'acme.progress', value: { done: 1 } });
}
