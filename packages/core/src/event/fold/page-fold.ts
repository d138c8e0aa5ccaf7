import { MsgView } from '../../message/index.ts';
import type { MsgData } from '../../message/index.ts';
import type { AgentEvent } from '../events.ts';
import { foldAll, foldWith } from './fold.ts';
import type { ChildMessages, Fold, FoldOptions } from './fold.ts';

export type PageFold = Fold<MsgView>;
export type PageChildMessages = ChildMessages<MsgView>;

/** Begins a fold: from nothing, from a stored message, or from a snapshot. Its messages are to be read: they have no `with`. */
export function createFold(options?: FoldOptions): PageFold {
  return foldWith(MsgView.from, options);
}

/**
 * The message a stream tells: of its newest top-level reply.
 *
 * @throws AgentScopeError `event/invalid` when there is no reply in it
 */
export function foldEvents(events: Iterable<AgentEvent>, options?: { readonly seed?: MsgData }): MsgView;
export function foldEvents(events: AsyncIterable<AgentEvent>, options?: { readonly seed?: MsgData }): Promise<MsgView>;
export function foldEvents(events: Iterable<AgentEvent> | AsyncIterable<AgentEvent>, options?: { readonly seed?: MsgData }): MsgView | Promise<MsgView> {
  return foldAll(createFold(options), events);
}
