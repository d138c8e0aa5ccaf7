import { isObject } from '../internal/index.ts';

/** What an error says, without its stack; whatever was thrown. */
export function messageOf(error: unknown): string {
  try {
    if (error instanceof Error) return error.message === '' ? error.name : error.message;
    return isObject(error) && typeof error['message'] === 'string' ? error['message'] : String(error);
  } catch {
    return 'something that cannot be shown was thrown';
  }
}
