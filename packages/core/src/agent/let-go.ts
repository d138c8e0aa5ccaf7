import { AgentScopeError } from '../error/index.ts';
import type { Journal } from '../session/index.ts';
import { untilAborted, within } from './until-aborted.ts';

/** How long a run that was stopped waits for its store, in milliseconds. */
export const STOP_PATIENCE_MS = 3_000;

/** What a run says that was stopped and whose store does not answer. */
export function storeHangs(store: string): AgentScopeError<'session/unavailable'> {
  return new AgentScopeError('session/unavailable', `The run was stopped, and the session store "${store}" did not answer within ${STOP_PATIENCE_MS} ms. What it took is there.`, { details: { store } });
}

/** Gives the journal back; a run that was stopped waits for that only so long. */
export async function letGo(journal: Journal, { signal, store }: { readonly signal: AbortSignal; readonly store: string }): Promise<void> {
  const released = journal.release();
  try {
    await (signal.aborted ? within(released, { ms: STOP_PATIENCE_MS, late: () => storeHangs(store) }) : untilAborted(released, signal));
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
  }
}
