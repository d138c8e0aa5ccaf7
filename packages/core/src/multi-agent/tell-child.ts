import type { Caller, ChildSession } from '../agent/index.ts';
import type { Session } from '../session/index.ts';

/** An agent's conversation whose events are told to who asked it. */
export interface Telling {
  readonly session: ChildSession;
  /** Where the events are stored. */
  readonly store: Session;
  readonly caller: Caller;
}

/** Shows what a child does in the caller's stream while it works, from where an earlier run left off; all of it, when the work has ended. */
export async function whileTelling<T>({ session, store, caller }: Telling, work: () => Promise<T>): Promise<T> {
  const child = { key: { userId: session.userId, sessionId: session.sessionId }, id: session.id, store };
  const over = new AbortController();
  let at = caller.toldTo();
  const tellFrom = async (signal?: AbortSignal): Promise<void> => {
    for await (const told of session.events({ from: at, follow: signal !== undefined, signal })) {
      caller.tell(child, told);
      at = told.cursor;
    }
  };
  const following = tellFrom(over.signal);
  const told = (async () => {
    await following;
    await tellFrom(); // what came between the last look and the end
  })();
  caller.telling(told.catch(() => undefined));
  try {
    return await work();
  } finally {
    over.abort();
    await told;
  }
}
