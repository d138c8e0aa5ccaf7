import type { AgentEventType, EventOf } from './events.ts';

type Fields<E> = E extends unknown ? Omit<E, 'type' | 'id' | 'createdAt'> : never;

/**
 * An event without a stamp (`id` and `createdAt` are `''`): committing it gives it both. For middleware, tools and emitters of your own.
 */
export function createEvent<T extends AgentEventType>(type: T, fields: Fields<EventOf<T>>): EventOf<T> {
  return { type, id: '', createdAt: '', ...fields } as unknown as EventOf<T>;
}
