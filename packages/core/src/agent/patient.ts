import { AgentScopeError } from '../error/index.ts';
import type { StageEvents } from '../middleware/index.ts';
import { STOP_PATIENCE_MS } from './let-go.ts';
import { untilAborted, within } from './until-aborted.ts';

/** A wrapped stage, left behind when it says nothing for a while after an abort: a middleware may wait for something that hears none. */
export async function* patient<R>(events: StageEvents<R>, signal: AbortSignal): StageEvents<R> {
  let isDeaf = false;
  const late = (): AgentScopeError => {
    isDeaf = true;
    return deaf();
  };
  try {
    for (;;) {
      const next = events.next();
      const step = await untilAborted(next, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
        return within(next, { ms: STOP_PATIENCE_MS, late });
      });
      if (step.done === true) return step.value;
      yield step.value;
    }
  } finally {
    const closing = events.return(undefined as never).catch(() => undefined); // also where nobody asks for the rest
    if (!isDeaf) await within(closing, { ms: STOP_PATIENCE_MS, late: deaf }).catch(() => undefined);
  }
}

function deaf(): AgentScopeError<'agent/bad-event'> {
  return new AgentScopeError('agent/bad-event', `A middleware was still waiting ${STOP_PATIENCE_MS} ms after its run was stopped. Give ctx.signal to what it waits for.`, {
    details: { middleware: '', rule: 'it heard no abort' },
  });
}
