import { AgentScopeError } from '../error/index.ts';

/** A place in a journal: the epoch says which writer's count the number belongs to. */
export interface Position {
  readonly epoch: number;
  readonly seq: number;
}

export const START: Position = { epoch: 0, seq: 0 };

/** Opaque to its users. ASCII, safe in a URL, a header and an SSE `id` line. */
export function toCursor({ epoch, seq }: Position): string {
  return `${epoch}:${seq}`;
}

/** @throws AgentScopeError `event/invalid` for a text that no cursor has. */
export function parseCursor(cursor: string): Position {
  const [, epoch, seq] = /^(\d{1,15}):(\d{1,15})$/.exec(cursor) ?? [];
  if (epoch !== undefined && seq !== undefined) return { epoch: Number(epoch), seq: Number(seq) };
  throw new AgentScopeError('event/invalid', 'The cursor is none of ours. Give back `cursor` of an event as it came, or leave `from` out.', { details: { path: 'from' } });
}

/** The cursor of a place, to begin reading after it. */
export function cursorOf(epoch: number, seq: number): string {
  return toCursor({ epoch, seq });
}
