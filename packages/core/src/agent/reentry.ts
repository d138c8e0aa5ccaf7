/** What is used of `AsyncLocalStorage`, which the root does not import: it has to run in a browser. */
interface Storage {
  run<T>(marks: readonly object[], work: () => T): T;
  getStore(): readonly object[] | undefined;
}

const storage = asyncStorage();
let current: readonly object[] = [];

/**
 * Runs a tool so that {@link isWithin} knows what it is part of. Where the runtime follows asynchronous calls cheaply (Node 24 and
 * later) that holds as long as the tool runs; elsewhere until it first waits. On older versions the machinery slows every promise of
 * the process down, which is too much for a guard; there a tool that waits for its own session still ends by its time-out.
 */
export function runWithin<T>(mark: object, work: () => T): T {
  const marks = [...(storage?.getStore() ?? current), mark];
  if (storage) return storage.run(marks, work);
  const before = current;
  current = marks;
  try {
    return work();
  } finally {
    current = before;
  }
}

/** True in code that was called by a tool of the marked session. */
export function isWithin(mark: object): boolean {
  return (storage?.getStore() ?? current).includes(mark);
}

function asyncStorage(): Storage | undefined {
  const { process } = globalThis as { process?: { versions?: { node?: string }; getBuiltinModule?(name: string): { AsyncLocalStorage: new () => Storage } | undefined } };
  const isCheap = Number(process?.versions?.node?.split('.')[0] ?? 0) >= 24;
  const hooks = isCheap ? process?.getBuiltinModule?.('node:async_hooks') : undefined;
  return hooks && new hooks.AsyncLocalStorage();
}
