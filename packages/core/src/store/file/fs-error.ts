import { AgentScopeError } from '../../error/index.ts';

/** True for an error of the operating system with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** Runs a task. An error of the operating system, a full disk or a missing right, becomes `session/unavailable`; any other passes as it is. */
export async function onDisk<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw isOfSystem(error) ? unavailable(error) : error;
  }
}

/** `ENOSPC` and the like; `ERR_INVALID_ARG_TYPE` and the like are mistakes in code. */
function isOfSystem(error: unknown): error is NodeJS.ErrnoException & { readonly code: string } {
  return error instanceof Error && 'code' in error && /^E[A-Z0-9]+$/.test(String(error.code));
}

function unavailable(error: NodeJS.ErrnoException & { readonly code: string }): AgentScopeError {
  return new AgentScopeError('session/unavailable', `The session folder cannot be read or written (${error.code}). What was stored before is untouched; mend the disk or its rights and try again.`, {
    details: { store: 'file' },
    cause: error,
  });
}
