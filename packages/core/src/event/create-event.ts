import { isoTime, newId } from '../internal/index.ts';
import type { AgentEvent, AgentEventType, EventOf } from './events.ts';

type Fields<E> = E extends unknown ? Omit<E, 'type' | 'id' | 'createdAt'> : never;

/**
 * An event without a stamp (`id` and `createdAt` are `''`): committing it gives it both. For middleware, tools and emitters of your own.
 */
export function createEvent<T extends AgentEventType>(type: T, fields: Fields<EventOf<T>>): EventOf<T> {
  return { type, id: '', createdAt: '', ...fields } as unknown as EventOf<T>;
}

/**
 * A copy with what is missing of its stamp: a random id of 32 hexadecimal digits, as AgentScope Java makes them, and the present time.
 * For who sends events without an agent: a gateway, a test server. What an agent emits is stamped by its commit.
 */
export function stampEvent<E extends AgentEvent>(event: E): E {
  return { ...event, id: event.id || newId().replaceAll('-', ''), createdAt: event.createdAt || isoTime(Date.now()) };
}
