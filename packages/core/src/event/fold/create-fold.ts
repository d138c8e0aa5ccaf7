import { Msg } from '../../message/index.ts';
import type { MsgData } from '../../message/index.ts';
import type { AgentEvent } from '../events.ts';
import { foldAll, foldWith } from './fold.ts';
import type { Fold, FoldOptions } from './fold.ts';

/** Begins a fold: from nothing, from a stored message, or from a snapshot. */
export function createFold(options?: FoldOptions): Fold {
  return foldWith(Msg.from, options);
}

/**
 * The message a stream tells: of its newest top-level reply.
 *
 * @throws AgentScopeError `event/invalid` when there is no reply in it
 */
export function foldEvents(events: Iterable<AgentEvent>, options?: { readonly seed?: MsgData }): Msg;
export function foldEvents(events: AsyncIterable<AgentEvent>, options?: { readonly seed?: MsgData }): Promise<Msg>;
export function foldEvents(events: Iterable<AgentEvent> | AsyncIterable<AgentEvent>, options?: { readonly seed?: MsgData }): Msg | Promise<Msg> {
  return foldAll(createFold(options), events);
}
