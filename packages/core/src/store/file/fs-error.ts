import { AgentScopeError } from '../../error/index.ts';

/** True for an error of the operating system with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** Runs a task whose own errors, a full disk or a missing right, become `session/unavailable`. */
export async function onDisk<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw asUnavailable(error);
  }
}

export function asUnavailable(error: unknown): AgentScopeError {
  if (AgentScopeError.is(error)) return error;
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return new AgentScopeError('session/unavailable', `The session folder cannot be read or written${code}. What was stored before is untouched; mend the disk or its rights and try again.`, {
    details: { store: 'file' },
    cause: error,
  });
}
