import { context as contexts } from '@opentelemetry/api';
import type { Context } from '@opentelemetry/api';
import type { AgentEvent } from '../event/index.ts';

/** Runs a stage inside a context, so that what it starts hangs below; shows each event before it is passed on. */
export async function* within<R>(context: Context, events: AsyncGenerator<AgentEvent, R, undefined>, see: (event: AgentEvent) => void): AsyncGenerator<AgentEvent, R, undefined> {
  try {
    for (;;) {
      const step = await contexts.with(context, () => events.next());
      if (step.done === true) return step.value;
      see(step.value);
      yield step.value;
    }
  } finally {
    await contexts.with(context, () => events.return(undefined as never));
  }
}
